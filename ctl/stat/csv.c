// SPDX-License-Identifier: GPL-2.0
/* The counts as a table (RFC 4180) with a header; unknown values are empty. */
#include <inttypes.h>

#include "base/text.h"
#include "stat/stat.h"
#include "stat/tasks.h"

static void csv_task(const struct stat_task *task, FILE *out)
{
	if (task->id) {
		text_put_csv(out, task->comm);
		fprintf(out, ",%u,%u,", task->pid, task->tid);
	} else {
		fputs(",,,", out);
	}
}

/* Prints the unit that the line belongs to. */
static void csv_unit(const struct stat_counts *c, int unit, FILE *out)
{
	switch (c->per) {
	case STAT_ALL:
		break;
	case STAT_CPU:
		fprintf(out, "%u,", c->units[unit].cpu);
		break;
	case STAT_CORE:
		fprintf(out, "%u,%u,%u,", c->units[unit].socket, c->units[unit].die,
			c->units[unit].core);
		break;
	case STAT_TASK:
		csv_task(c->units[unit].task, out);
	}
}

static void csv_line(const struct stat_counts *c, int unit, unsigned int event, FILE *out)
{
	struct stat_line line;

	stat_line(c, unit, event, &line);
	if (c->interval)
		fprintf(out, "%.6f,", c->until);
	csv_unit(c, unit, out);
	text_put_csv(out, c->events->list[event].event.name);
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", (uint64_t)line.count.value,
		(uint64_t)line.count.enabled, (uint64_t)line.count.running);
	if (line.counted)
		fprintf(out, "%.0f", line.estimate);
	fputc(',', out);
	if (line.counted && line.error >= 0)
		fprintf(out, "%.1f", line.error);
	fputc(',', out);
	if (line.has_figure)
		fprintf(out, "%.6f", line.figure.value);
	fputc(',', out);
	if (line.has_figure)
		text_put_csv(out, line.figure.unit);
	fputs("\r\n", out);
}

static void csv_shares(const struct stat_counts *c, FILE *out)
{
	double shares[TOPDOWN_SHARES];

	for (int i = 0; stat_shares(c, shares) && i < TOPDOWN_SHARES; i++) {
		if (c->interval)
			fprintf(out, "%.6f,", c->until);
		text_put_csv(out, topdown_name(i));
		fprintf(out, ",,,,,,%.6f,\"of slots\"\r\n", shares[i]);
	}
}

void stat_print_csv(const struct stat_counts *c, FILE *out)
{
	static const char *const units[] = {
		[STAT_ALL] = "", [STAT_CPU] = "cpu,", [STAT_CORE] = "socket,die,core,",
		[STAT_TASK] = "comm,pid,tid,",
	};
	unsigned int event;
	int unit;

	if (!c->interval || c->first)
		fprintf(out, "%s%sevent,value,enabled_ns,running_ns,estimate,error,figure,unit\r\n",
			c->interval ? "until," : "", units[c->per]);
	stat_each_unit(c, unit)
		for (event = 0; event < c->events->nr; event++)
			csv_line(c, unit, event, out);
	csv_shares(c, out);
}
