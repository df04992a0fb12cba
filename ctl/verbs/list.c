// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl list. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/pager.h"
#include "module/netlink.h"
#include "pmu/generic.h"
#include "pmu/libpfm.h"
#include "pmu/name.h"
#include "pmu/software.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl list [--json] [WORD]...\n"
	"\n"
	"Lists the events of this CPU with what they count: first those with perf's own\n"
	"names, then all others by libpfm4's names. With WORD: only events that have\n"
	"every WORD in their name or description.\n";

#define LIST_TEXT	4096	/* bytes; libpfm4's longest descriptions have a third of that */

struct list {
	char **words;		/* NULL ends the list */
	const pfm_event_info_t *event;
	bool umasks;		/* the event has unit masks */
	bool json, no_pager;
	struct json out;	/* with --json */
	unsigned int nr;	/* number of printed events */
};

/* Prints the words of a description, separated by one blank: some have tabs and line ends. */
static void list_words(const char *desc, char *text, size_t size)
{
	size_t at = 0;
	bool blank = false;

	for (; desc && *desc && at + 2 < size; desc++) {
		if (isspace((unsigned char)*desc)) {
			blank = true;
			continue;
		}
		if (blank)
			text[at++] = ' ';
		blank = false;
		text[at++] = iscntrl((unsigned char)*desc) ? '?' : *desc;
	}
	text[at] = '\0';
}

static void list_print(struct list *l, const char *event, const char *umask,
		       const char *desc)
{
	char name[LIST_TEXT], text[LIST_TEXT];

	snprintf(name, sizeof(name), "%s%s%s", event, umask ? ":" : "",
		 umask ? umask : "");
	list_words(desc, text, sizeof(text));
	if (!l->json) {
		printf("%-47s %s%s\n", name, strlen(name) < 47 ? "" : " ", text);
		return;
	}
	if (!l->nr) {
		json_head(&l->out, "list");
		json_array(&l->out, "events");
	}
	json_object(&l->out, NULL);
	json_text(&l->out, "name", name);
	json_text(&l->out, "description", text);
	json_close(&l->out);
}

static bool list_has(const char *text, const char *word)
{
	return text && strcasestr(text, word);
}

static void list_consider(struct list *l, const pfm_event_attr_info_t *umask)
{
	const pfm_event_info_t *e = l->event;
	char **word;

	for (word = l->words; *word; word++)
		if (!list_has(e->name, *word) && !list_has(e->desc, *word) &&
		    !(umask && (list_has(umask->name, *word) ||
				list_has(umask->desc, *word))))
			return;
	list_print(l, e->name, umask ? umask->name : NULL, umask ? umask->desc : e->desc);
	l->nr++;
}

/* Lists an event that libpfm4 does not have. */
static void list_own(struct list *l, const char *name, const char *desc)
{
	char **word;

	for (word = l->words; *word; word++)
		if (!list_has(name, *word) && !list_has(desc, *word))
			return;
	list_print(l, name, NULL, desc);
	l->nr++;
}

/* perf's names, with what they mean on this CPU. */
static void list_generic(struct list *l)
{
	char desc[LIST_TEXT], pfm[256];	/* what follows the code */
	struct generic generic;
	const char *name;

	for (size_t i = 0; (name = generic_name(i)); i++) {
		if (!generic_find(name, &generic) || !generic.code)
			continue;
		*pfm = 0;
		if (generic.extra)
			snprintf(pfm, sizeof(pfm), "@extra=%llx",
				 (unsigned long long)generic.extra);
		else if (events_name(generic.code, pfm + 2, sizeof(pfm) - 2))
			memcpy(pfm, ", ", 2);
		snprintf(desc, sizeof(desc), "perf's name of r%llx%s",
			 (unsigned long long)generic.code, pfm);
		list_own(l, name, desc);
	}
}

/* What needs no PMU, on any CPU. */
static void list_software(struct list *l)
{
	const char *name;

	list_own(l, "cpu-clock", "Time in ns that a CPU, or a task on it, runs: by a timer, "
		 "without a counter");
	list_own(l, "task-clock", "Time in ns that a task runs: the same, of tasks only");
	for (size_t i = 0; (name = software_name(i)); i++)
		list_own(l, name, "Linux's software event of this name: for stat alone");
}

static bool list_umask(void *ctx, const pfm_event_attr_info_t *umask)
{
	struct list *l = ctx;

	l->umasks = true;
	list_consider(l, umask);
	return false;
}

struct earlier {
	const pfm_event_info_t *event;
	bool named;
};

/* Whether an earlier event has the same name. */
static bool list_earlier(void *ctx, const pfm_pmu_info_t *pmu,
			 const pfm_event_info_t *event)
{
	struct earlier *e = ctx;

	(void)pmu;
	if (event->idx == e->event->idx)
		return true;
	e->named = !strcmp(event->name, e->event->name);
	return e->named;
}

static bool list_event(void *ctx, const pfm_pmu_info_t *pmu,
		       const pfm_event_info_t *event)
{
	struct list *l = ctx;

	struct earlier earlier = { event, false };

	(void)pmu;
	/* On CPUs that list them, architectural events have their names as well. */
	events_each(list_earlier, &earlier);
	if (earlier.named)
		return false;
	l->event = event;
	l->umasks = false;
	events_each_umask(event, list_umask, l);
	if (!l->umasks)
		list_consider(l, NULL);
	return false;
}

static bool list_known(void *ctx, const pfm_pmu_info_t *pmu,
		       const pfm_event_info_t *event)
{
	(void)ctx;
	(void)pmu;
	(void)event;
	return true;
}

/* Whether the module, if it is loaded, says that this machine has no PMU; why: a buffer. */
static bool list_no_pmu(char *why, size_t size)
{
	struct control control;
	struct control_info info;
	bool none;

	if (control_open(&control))
		return false;
	none = !control_info(&control, &info) && info.no_pmu[0];
	if (none)
		snprintf(why, size, "%s", info.no_pmu);
	control_close(&control);
	return none;
}

static int list_end(struct list *l)
{
	if (!l->nr)
		return err_fail("no event of this CPU has %s in its name or description",
				l->words[1] ? "all of these words" : *l->words);
	if (l->json) {
		json_close(&l->out);
		json_close(&l->out);
		json_end(&l->out);
	}
	return err_flush_stdout();
}

static const struct options_option options[] = {
	{ "json", 0, NULL,
	  "one JSON object",
	  options_set, part_of(struct list, json, bool) },
	OPTIONS_PAGER_ROW(struct list, no_pager),
	{ .name = NULL }
};

int cmd_list(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "list", .usage = usage, .options = options,
		.arguments = OPTIONS_ANY,
	};
	struct list list = { .out = json_to(stdout) };
	char why[256];
	int err;

	if (!options_take(&verb, argc, argv, &list, &err))
		return err;
	list.words = argv + optind;
	if (list_no_pmu(why, sizeof(why))) {
		err_warn("no PMU (%s): this machine counts time, and what Linux counts", why);
		list_software(&list);
		return list_end(&list) ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
	}
	if (!events_each(list_known, NULL)) {
		err_fail("libpfm4 does not know this CPU: use the names in 'lbrctl record "
			 "--help', or raw codes");
		return ERR_EXIT_FAILED;
	}
	if (!list.json && !list.no_pager)
		pager_start();
	list_generic(&list);
	list_software(&list);
	events_each(list_event, &list);
	err = list_end(&list);
	pager_end();
	return err ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}
