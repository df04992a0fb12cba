// SPDX-License-Identifier: GPL-2.0
/* The options of lbrctl record about call stacks. */
#include <string.h>

#include "base/err.h"
#include "base/size.h"
#include "verbs/options.h"
#include "verbs/stacks.h"

/* The size of a record of perf.data has 16 bits, and it needs room for branches as well. */
#define STACKS_KEPT_MAX		(32U << 10)

/* perf's option for the default; text: NULL for -g. */
int stacks_graph(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;

	o->call_stacks = true;
	o->stacks_auto = text && !strcmp(text, "auto");
	o->stacks_where_needed = !text || o->stacks_auto;
	if (o->stacks_where_needed || !strcmp(text, "lbr"))
		return 0;
	if (!strcmp(text, "stack")) {
		o->stack_window = LBRSCOPE_USER_STACK_MAX;
		return 0;
	}
	return err_usage(verb, "--call-graph %s: call stacks are the LBR's (lbr), or come from "
			 "memory where needed (auto) or always (stack); frame pointers are not "
			 "followed", text);
}

int stacks_window(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;
	uint64_t bytes = LBRSCOPE_USER_STACK_DEFAULT;

	if (text && !size_parse(text, &bytes))
		bytes = 0;
	if (!bytes || bytes > LBRSCOPE_USER_STACK_MAX || bytes % 8)
		return err_usage(verb, "--stack-window=%s: the size is a multiple of 8, "
				 "up to %u bytes", text, LBRSCOPE_USER_STACK_MAX);
	o->stack_window = bytes;
	return 0;
}

int stacks_audit(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;
	uint64_t samples;

	if (!options_number(text, LBRSCOPE_STACK_AUDIT_MAX, &samples))
		return err_usage(verb, "--audit %s: it is a number of samples of which one is "
				 "checked, up to %u, or 0", text, LBRSCOPE_STACK_AUDIT_MAX);
	o->audit = samples;
	o->audit_asked = true;
	return 0;
}

/* The options that make the LBR cheaper ask for no other source. */
static bool stacks_are_lbr_only(const struct record_options *o)
{
	return o->branches || o->no_lbr ||
	       (!o->stacks_auto && (o->lbr_reset || o->lbr_callers || o->lbr_depth));
}

int stacks_check(struct record_options *o)
{
	if (stacks_are_lbr_only(o))
		o->stacks_where_needed = false;
	if (o->audit_asked && !o->stacks_where_needed)
		return err_usage("record", "--audit needs --call-graph auto: else the stacks of "
				 "all samples are read from memory, or of none");
	if (o->audit_asked && (o->stack_window || o->flight))
		return err_usage("record", "--audit excludes %s: there the stacks of all samples "
				 "are read from memory, or of none",
				 o->flight ? "--flight" : "--stack-window");
	if (o->keep_stacks && !o->stack_window)
		return err_usage("record", "--keep-stacks needs --stack-window");
	/* The samples are read when the programs may have ended. */
	o->keep_stacks |= o->flight;
	if (o->keep_stacks && o->stack_window > STACKS_KEPT_MAX)
		return err_usage("record", "a stack window of %u bytes is too large to be kept: "
				 "give --stack-window up to %u with --keep-stacks and --flight",
				 o->stack_window, STACKS_KEPT_MAX);
	return 0;
}
