// SPDX-License-Identifier: GPL-2.0
/*
 * The counts in the fields of `perf stat -x`, for scripts that read those: the seconds of an
 * interval, the CPU, core or thread, then count, unit, event, ns on a counter, percent of the
 * time on a counter, figure and its unit. After tools/perf/util/stat-display.c of Linux 6.1.
 */
#include <inttypes.h>

#include "base/text.h"
#include "stat/counts.h"
#include "stat/stat.h"
#include "stat/tasks.h"

static void fields_interval(const struct stat_counts *c, FILE *out)
{
	if (c->interval)
		fprintf(out, "%16.9f%s", c->until, c->separator);
}

static void fields_unit(const struct stat_counts *c, int unit, FILE *out)
{
	const struct stat_unit *u = unit == STAT_TOTAL ? NULL : &c->units[unit];

	switch (c->per) {
	case STAT_ALL:
		return;
	case STAT_CPU:
		fprintf(out, "CPU%u", u->cpu);
		break;
	case STAT_CORE:
		fprintf(out, "S%u-D%u-C%u%s%u", u->socket, u->die, u->core, c->separator,
			u->nr_cpus);
		break;
	case STAT_TASK:
		text_put_line(out, u->task->id ? u->task->comm : "others", '\0');
		if (u->task->id)
			fprintf(out, "-%u", u->task->tid);
	}
	fputs(c->separator, out);
}

static void fields_line(const struct stat_counts *c, int unit, unsigned int event, FILE *out)
{
	const struct events_event *e = &c->events->list[event].event;
	const char *sep = c->separator;
	struct stat_line line;

	stat_line(c, unit, event, &line);
	fields_interval(c, out);
	fields_unit(c, unit, out);
	/* perf prints its clocks in ms, to a hundredth. */
	if (!line.counted)
		fputs("<not counted>", out);
	else if (e->clock)
		fprintf(out, "%.2f", line.estimate / 1e6);
	else
		fprintf(out, "%.0f", line.estimate);
	fprintf(out, "%s%s%s%s%s%" PRIu64 "%s%.2f%s", sep,
		line.counted && e->clock ? "msec" : "", sep, e->name, sep,
		(uint64_t)line.count.running, sep, line.count.enabled ?
		100.0 * line.count.running / line.count.enabled : 100, sep);
	if (line.has_figure)
		fprintf(out, "%.2f%s%s\n", line.figure.value, sep, line.figure.unit);
	else
		fprintf(out, "%s\n", sep);
}

static void fields_shares(const struct stat_counts *c, FILE *out)
{
	double shares[TOPDOWN_SHARES];

	for (int i = 0; stat_shares(c, shares) && i < TOPDOWN_SHARES; i++) {
		fields_interval(c, out);
		for (int empty = 0; empty < 5; empty++)
			fputs(c->separator, out);
		fprintf(out, "%.1f%s%%  %s\n", 100 * shares[i], c->separator, topdown_name(i));
	}
}

void stat_print_fields(const struct stat_counts *c, FILE *out)
{
	unsigned int event;
	int unit;

	stat_each_unit(c, unit)
		for (event = 0; event < stat_shown(c); event++)
			fields_line(c, unit, event, out);
	fields_shares(c, out);
}
