// SPDX-License-Identifier: GPL-2.0
/* The lines of a result, for all output formats. */
#include <math.h>
#include <string.h>

#include "stat/counts.h"
#include "stat/stat.h"
#include "stat/tasks.h"

static unsigned int stat_topology(unsigned int cpu, const char *what)
{
	char path[96];
	unsigned int number = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, what);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%u", &number) != 1)
		number = 0;
	fclose(file);
	return number;
}

void stat_place(struct stat_unit *unit)
{
	unit->socket = stat_topology(unit->cpu, "physical_package_id");
	unit->die = stat_topology(unit->cpu, "die_id");
	unit->core = stat_topology(unit->cpu, "core_id");
}

static bool stat_same_core(const struct stat_unit *a, const struct stat_unit *b)
{
	return a->socket == b->socket && a->die == b->die && a->core == b->core;
}

void stat_cores(struct stat_counts *c)
{
	unsigned int nr = c->events->nr, used = 0, i, k, e;

	for (i = 0; i < c->nr_units; i++) {
		struct stat_unit unit = c->units[i];
		struct lbrscope_count *counts = c->counts + i * nr;

		for (k = 0; k < used; k++)
			if (stat_same_core(&c->units[k], &unit))
				break;
		for (e = 0; e < nr && k < used; e++)
			counts_add(&c->counts[k * nr + e], &counts[e]);
		if (k < used) {
			c->units[k].nr_cpus++;
			continue;
		}
		memmove(c->counts + used * nr, counts, nr * sizeof(*counts));
		c->units[used++] = unit;
	}
	c->nr_units = used;
}

unsigned int stat_shown(const struct stat_counts *c)
{
	unsigned int nr = c->events->nr;

	if (!c->topdown)
		return nr;
	/* The top-down group is at the end of the list. */
	return c->events->list[nr - 1].group;
}

static struct lbrscope_count stat_unit_count(const struct stat_counts *c, unsigned int unit,
					     unsigned int event)
{
	if (c->per == STAT_TASK)
		return stat_task_count(c->units[unit].task, event);
	return c->counts[unit * c->events->nr + event];
}

static struct lbrscope_count stat_count(const struct stat_counts *c, int unit,
					unsigned int event)
{
	struct lbrscope_count sum = {}, one;
	unsigned int i;

	if (unit != STAT_TOTAL)
		return stat_unit_count(c, unit, event);
	for (i = 0; i < c->nr_units; i++) {
		one = stat_unit_count(c, i, event);
		counts_add(&sum, &one);
	}
	return sum;
}

static double stat_estimate(const struct stat_counts *c, int unit, unsigned int event)
{
	struct lbrscope_count count = stat_count(c, unit, event);

	if (c->nr_runs)
		return c->means[event];
	if (c->events->list[event].event.software && !count.enabled)
		return NAN;
	return count.running || counts_whole(&count) ? counts_estimate(&count) : NAN;
}

void stat_line(const struct stat_counts *c, int unit, unsigned int event,
	       struct stat_line *line)
{
	double estimates[LBRSCOPE_EVENTS_MAX], error;
	unsigned int i;

	for (i = 0; i < c->events->nr; i++)
		estimates[i] = stat_estimate(c, unit, i);
	memset(line, 0, sizeof(*line));
	line->count = stat_count(c, unit, event);
	line->counted = !isnan(estimates[event]);
	if (line->counted)
		line->estimate = estimates[event];
	if (c->nr_runs)
		error = c->errors[event];
	else
		error = counts_error(&line->count) * line->estimate;
	line->error = line->counted ? error : -1;
	line->has_figure = figures_of(c->events, estimates, event, &line->figure);
	if (c->events->list[event].event.clock && line->counted && c->seconds > 0) {
		line->has_figure = true;
		line->figure = (struct figure){ line->estimate / 1e9 / c->seconds, "CPUs utilized" };
	} else if (c->events->list[event].event.software && line->counted && c->seconds > 0) {
		line->has_figure = true;
		line->figure = (struct figure){ line->estimate / c->seconds, "per second" };
	}
}

bool stat_shares(const struct stat_counts *c, double shares[TOPDOWN_SHARES])
{
	double counts[LBRSCOPE_EVENTS_MAX];
	unsigned int first = stat_shown(c), i;

	if (!c->topdown)
		return false;
	for (i = first; i < c->events->nr; i++)
		counts[i - first] = stat_estimate(c, STAT_TOTAL, i);
	c->topdown->shares(counts, shares);
	for (i = 0; i < TOPDOWN_SHARES; i++)
		if (!isfinite(shares[i]))
			return false;
	return true;
}
