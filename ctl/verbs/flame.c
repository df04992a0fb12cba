// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl flame. */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "flame/html.h"
#include "profile/analysis.h"
#include "profile/samples.h"
#include "perfdata/own_events.h"
#include "verbs/flame_code.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl flame [-i FILE] [-e EVENT] [-o FILE] [--svg] [--strict]\n"
	"                    [--hot-cold | --diff FILE] [FILTER]...\n"
	"\n"
	"Writes a capture's flame graph as one HTML page without external files: open it\n"
	"in a browser to zoom, search and read shares and counts.\n";

/* A page with this many samples has about 20 MB; with more it has time slices instead. */
#define PAGE_SAMPLES	(2u << 20)

struct flame_options {
	struct options_reading reading;
	enum out_flame_mode mode;
	const char *before;		/* with OUT_FLAME_DIFF */
	bool svg;
};

static struct analysis *open_side(struct flame_options *o,
				  const char *path, const char *event)
{
	struct analysis *a = analysis_open(&(struct analysis_query){
		.input = path, .event = event, .strict = o->reading.strict,
		.filter = &o->reading.filter, .names = &o->reading.names,
		.traces = !o->svg, .moments = !o->svg && o->mode != OUT_FLAME_DIFF,
		.moments_limit = PAGE_SAMPLES,
		.with_offcpu = !o->svg && o->mode == OUT_FLAME_SINGLE });

	if (a && !a->nr_samples) {
		analysis_none(a);
		analysis_free(a);
		return NULL;
	}
	return a;
}

/* Returns the time that each sample of a frequency stands for, in ns; 0 with a message. */
static double sample_time(const struct analysis *a, const char *path)
{
	const struct perf_event_attr *attr = NULL;
	size_t nr;
	const struct perfdata_event *events = samples_events(a->samples, &nr);
	unsigned int sampled = 0;

	for (size_t i = 0; i < nr && !a->offcpu; i++) {
		if (!samples_selected(a->samples, i) || !events[i].attr.sample_freq ||
		    events[i].attr.config == PERF_COUNT_SW_DUMMY)
			continue;
		attr = &events[i].attr;
		sampled++;
	}
	if (sampled > 1)
		err_fail("%s: several events were sampled: name the one for time on the CPU "
			 "with -e", path);
	else if (!attr)
		err_fail("%s: no samples of running code: record without -e dummy",
			 path);
	else if (!attr->freq)
		err_fail("%s: was recorded with -c, so samples do not stand for a known time: "
			 "record with -F", path);
	else
		return 1e9 / attr->sample_freq;
	return 0;
}

/* Adds a graph at the end of the chain. */
static int add_graph(struct flame ***end, const struct flame_side *a, const struct flame_side *b)
{
	struct flame *flame = calloc(1, sizeof(*flame));

	if (!flame)
		return -1;
	**end = flame;
	*end = &flame->next;
	return flame_build(flame, a, b);
}

/* Two captures: either has one event, whatever its name, or events of one name are compared. */
static int add_diffs(struct flame **list, const struct analysis *before,
		     const struct analysis *after)
{
	const bool one = !before->next && !after->next;
	int ret = 0;

	for (const struct analysis *a = after; a && !ret; a = a->next) {
		struct flame_side sides[2] = {
			{ .analysis = one ? before : analysis_find(before, a) },
			{ .analysis = a },
		};

		if (sides[0].analysis)
			ret = add_graph(&list, &sides[0], &sides[1]);
		else
			err_warn("%s: only in %s", a->event, a->query.input);
	}
	for (const struct analysis *b = before; b && !one; b = b->next)
		if (!analysis_find(after, b))
			err_warn("%s: only in %s", b->event, b->query.input);
	return ret;
}

static int write_page(const struct flame_options *o, const struct flame *list)
{
	const struct analysis *a = list->sides[list->nr_sides - 1].analysis;
	struct flame_codes codes = { .nr = 0 };
	int ret = 0;

	if (o->mode == OUT_FLAME_HOT_COLD)
		a = list->sides[0].analysis;
	/* No instruction has a time off the CPU. */
	if (!a->offcpu)
		ret = flame_code_read(&codes, &o->reading, a->event);
	if (!ret)
		ret = out_flame_write(list, o->mode, &codes, o->reading.output);
	flame_code_free(&codes);
	return ret;
}

static int write_graphs(const struct flame_options *o, const struct flame *list)
{
	if (!o->svg)
		return write_page(o, list);
	if (list->next && analysis_one_event(list->sides[0].analysis, "there is one picture"))
		return -1;
	return out_flame_write_svg(list, o->mode, o->reading.output);
}

static int write_out(const struct flame_options *o, const struct flame_side *a,
		     const struct flame_side *b)
{
	struct flame *list = NULL, **end = &list;
	int ret = 0;

	if (o->mode == OUT_FLAME_DIFF)
		ret = add_diffs(&list, a->analysis, b->analysis);
	else if (b)
		ret = add_graph(&end, a, b);
	else
		for (struct flame_side side = *a; side.analysis && !ret;
		     side.analysis = side.analysis->next)
			ret = add_graph(&end, &side, NULL);
	if (ret)
		err_fail("not enough memory for the graph");
	else if (!list)
		ret = err_fail("%s and %s have no event in common", o->before, o->reading.input);
	else
		ret = write_graphs(o, list);
	while (list) {
		struct flame *next = list->next;

		flame_free(list);
		free(list);
		list = next;
	}
	return ret;
}

static int flame(struct flame_options *o)
{
	const char *path = o->reading.input, *event = o->reading.event;
	struct analysis *first, *second = NULL;
	struct flame_side sides[2] = { 0 };
	int ret = -1;

	first = o->mode == OUT_FLAME_DIFF ? open_side(o, o->before, event) :
					    open_side(o, path, event);
	if (first && o->mode == OUT_FLAME_HOT_COLD) {
		sides[0].each = sample_time(first, path);
		if (sides[0].each)
			second = open_side(o, path, PERFDATA_OFFCPU_NAME);
	} else if (first && o->mode == OUT_FLAME_DIFF) {
		second = open_side(o, path, event);
	}
	sides[0].analysis = first;
	sides[1].analysis = second;
	if (second && o->mode == OUT_FLAME_DIFF && first->offcpu != second->offcpu)
		ret = err_fail("%s and the other capture: only one of them has times off the "
			       "CPU; name an event of both with -e", path);
	else if (first && (second || o->mode == OUT_FLAME_SINGLE))
		ret = write_out(o, &sides[0], second ? &sides[1] : NULL);
	analysis_free(first);
	analysis_free(second);
	return ret ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static int flame_mode(const char *verb, struct flame_options *o, enum out_flame_mode mode)
{
	if (o->mode != OUT_FLAME_SINGLE && o->mode != mode)
		return err_usage(verb, "--hot-cold and --diff exclude each other");
	o->mode = mode;
	return 0;
}

static int flame_hot_cold(const char *verb, const char *none, void *options)
{
	(void)none;
	return flame_mode(verb, options, OUT_FLAME_HOT_COLD);
}

static int flame_diff(const char *verb, const char *path, void *options)
{
	struct flame_options *o = options;

	o->before = path;
	return flame_mode(verb, o, OUT_FLAME_DIFF);
}

static const struct options_option options[] = {
	{ "input", 'i', "FILE",
	  "the capture (perf.data)",
	  options_text, part_of(struct flame_options, reading.input, const char *) },
	{ "event", 'e', "EVENT",
	  "only this event, such as offcpu-time (all others)",
	  options_text, part_of(struct flame_options, reading.event, const char *) },
	{ "hot-cold", 0, NULL,
	  "time on and off the CPU in one picture, for a capture recorded with -F and --off-cpu",
	  flame_hot_cold, 0 },
	{ "diff", 0, "FILE",
	  "show the change since this capture",
	  flame_diff, 0 },
	{ "output", 'o', "FILE",
	  "the file to write (flame.html or flame.svg; -: standard output)",
	  options_text, part_of(struct flame_options, reading.output, const char *) },
	{ "svg", 0, NULL,
	  "write a static picture instead",
	  options_set, part_of(struct flame_options, svg, bool) },
	{ "strict", 0, NULL,
	  "omit stacks that are broken or disputed",
	  options_set, part_of(struct flame_options, reading.strict, bool) },
	OPTIONS_NAMES_ROWS(struct flame_options, reading.names),
	OPTIONS_SYMFS_ROW,
	FILTER_ROWS(struct flame_options, reading.filter),
	FILTER_VERDICT_ROW(struct flame_options, reading.filter),
	{ .name = NULL }
};

int cmd_flame(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "flame", .usage = usage,
		.options = options,
	};
	struct flame_options o = { .reading.input = "perf.data" };
	int err;

	if (options_take(&verb, argc, argv, &o, &err)) {
		if (!o.reading.output)
			o.reading.output = o.svg ? "flame.svg" : "flame.html";
		err = flame(&o);
	}
	filter_free(&o.reading.filter);
	return err;
}
