// SPDX-License-Identifier: GPL-2.0
/* Prints counts as text. */
#include <string.h>

#include "base/text.h"
#include "stat/counts.h"
#include "stat/stat.h"
#include "stat/tasks.h"

#define STAT_TASK_WIDTH	24	/* COMM-TID, which fits most */

/* Prints a number in groups of three digits. */
static void stat_number(double value, char *to, size_t size)
{
	char digits[32];
	size_t len, i, at = 0;

	len = snprintf(digits, sizeof(digits), "%.0f", value);
	for (i = 0; i < len && at + 2 < size; i++) {
		if (i && (len - i) % 3 == 0)
			to[at++] = ',';
		to[at++] = digits[i];
	}
	to[at] = '\0';
}

static void stat_text_line(const struct stat_counts *c, int unit, unsigned int event, FILE *out)
{
	const char *name = c->events->list[event].event.name;
	struct stat_line line;
	char number[48] = "<not counted>";
	bool whole;

	stat_line(c, unit, event, &line);
	whole = counts_whole(&line.count);
	if (line.counted && c->events->list[event].event.clock)
		snprintf(number, sizeof(number), "%.2f ms", line.estimate / 1e6);
	else if (line.counted)
		stat_number(line.estimate, number, sizeof(number));
	fprintf(out, "%22s  %-*s", number, line.error || !whole || line.has_figure ? 32 : 0, name);
	if (line.error > 0)
		fprintf(out, " +- %.2f %%", 100 * line.error / line.estimate);
	else if (line.error < 0 && line.counted)
		fprintf(out, " +- unknown");
	if (!whole)
		fprintf(out, "  (on a counter %.1f %% of the time)",
			100.0 * line.count.running / line.count.enabled);
	if (line.has_figure)
		fprintf(out, "  # %.2f %s", line.figure.value, line.figure.unit);
	fputc('\n', out);
}

/* As perf prints it; counts of no known thread have no name. */
static void stat_text_task(const struct stat_task *task, FILE *out)
{
	int width = STAT_TASK_WIDTH - strlen(task->comm) - 1;

	if (!task->id) {
		fprintf(out, "%-*s", STAT_TASK_WIDTH, "others");
		return;
	}
	text_put_line(out, task->comm, '\0');
	fprintf(out, "%c%-*u", *task->comm ? '-' : ':', width, task->tid);
}

/* Names the unit that the following lines belong to. */
static void stat_text_unit(const struct stat_counts *c, int unit, FILE *out)
{
	char name[48];

	if (c->interval)
		fprintf(out, "%12.6f ", c->until);
	if (unit == STAT_TOTAL)
		return;
	if (c->per == STAT_TASK) {
		stat_text_task(c->units[unit].task, out);
		return;
	}
	snprintf(name, sizeof(name), "CPU%u", c->units[unit].cpu);
	if (c->per == STAT_CORE)
		snprintf(name, sizeof(name), "S%u-D%u-C%u ", c->units[unit].socket,
			 c->units[unit].die, c->units[unit].core);
	fprintf(out, "%-7s", name);
}

static void stat_text_shares(const struct stat_counts *c, FILE *out)
{
	double shares[TOPDOWN_SHARES];

	if (!stat_shares(c, shares))
		return;
	for (int i = 0; i < TOPDOWN_SHARES; i++) {
		stat_text_unit(c, STAT_TOTAL, out);
		fprintf(out, "%20.1f %%  %s\n", 100 * shares[i], topdown_name(i));
	}
}

void stat_print_text(const struct stat_counts *c, FILE *out)
{
	unsigned int event;
	int unit;

	if (!c->interval)
		fputc('\n', out);
	stat_each_unit(c, unit) {
		for (event = 0; event < stat_shown(c); event++) {
			stat_text_unit(c, unit, out);
			stat_text_line(c, unit, event, out);
		}
	}
	stat_text_shares(c, out);
	if (c->interval)
		return;
	fprintf(out, "\n%22.6f  seconds", c->seconds);
	if (c->nr_runs)
		fprintf(out, ", the mean of %u run%s", c->nr_runs, c->nr_runs > 1 ? "s" : "");
	if (c->nr_runs > 1)
		fprintf(out, " +- %.2f %%", 100 * c->seconds_error / c->seconds);
	fputs("\n\n", out);
}
