// SPDX-License-Identifier: GPL-2.0
/* Prints counts as JSON. */
#include <math.h>

#include "base/json.h"
#include "stat/stat.h"
#include "stat/tasks.h"

/* Significant digits: times are exact to some ns, counts are less exact. */
#define STAT_TIME	12
#define STAT_FIGURE	9

/* Writes the members of a count, of all units or of one. */
static void stat_put_count(const struct stat_counts *c, int unit, unsigned int event,
			   struct json *j)
{
	struct stat_line line;

	stat_line(c, unit, event, &line);
	json_unsigned(j, "value", line.count.value);
	json_unsigned(j, "enabled_ns", line.count.enabled);
	json_unsigned(j, "running_ns", line.count.running);
	json_signed(j, "estimate", llround(line.estimate));
	json_real(j, "error", line.error < 0 ? NAN : line.error, STAT_FIGURE);
	json_real(j, "figure", line.has_figure ? line.figure.value : NAN, STAT_FIGURE);
	json_text(j, "unit", line.has_figure ? line.figure.unit : NULL);
}

static void stat_put_task(const struct stat_task *task, struct json *j)
{
	json_text(j, "comm", task->id ? task->comm : NULL);
	if (!task->id) {
		json_null(j, "pid");
		json_null(j, "tid");
		return;
	}
	json_unsigned(j, "pid", task->pid);
	json_unsigned(j, "tid", task->tid);
}

static void stat_put_unit(const struct stat_counts *c, unsigned int i, unsigned int event,
			  struct json *j)
{
	const struct stat_unit *unit = &c->units[i];

	json_object(j, NULL);
	stat_put_count(c, i, event, j);
	if (c->per == STAT_TASK) {
		stat_put_task(unit->task, j);
	} else if (c->per == STAT_CORE) {
		json_unsigned(j, "socket", unit->socket);
		json_unsigned(j, "die", unit->die);
		json_unsigned(j, "core", unit->core);
	} else {
		json_unsigned(j, "cpu", unit->cpu);
	}
	json_close(j);
}

static void stat_put_event(const struct stat_counts *c, unsigned int event, struct json *j)
{
	static const char *const units[] = {
		[STAT_CPU] = "cpus", [STAT_CORE] = "cores", [STAT_TASK] = "threads",
	};

	json_object(j, NULL);
	stat_put_count(c, STAT_TOTAL, event, j);
	json_text(j, "event", c->events->list[event].event.name);
	if (c->per != STAT_ALL) {
		json_array(j, units[c->per]);
		for (unsigned int i = 0; i < c->nr_units; i++)
			stat_put_unit(c, i, event, j);
		json_close(j);
	}
	json_close(j);
}

static void stat_put_topdown(const struct stat_counts *c, struct json *j)
{
	static const char *const names[] = {
		[TOPDOWN_RETIRING] = "retiring", [TOPDOWN_BAD_SPECULATION] = "bad_speculation",
		[TOPDOWN_FRONTEND] = "frontend_bound", [TOPDOWN_BACKEND] = "backend_bound",
	};
	double shares[TOPDOWN_SHARES];

	if (!stat_shares(c, shares)) {
		json_null(j, "topdown");
		return;
	}
	json_object(j, "topdown");
	for (int i = 0; i < TOPDOWN_SHARES; i++)
		json_real(j, names[i], shares[i], STAT_FIGURE);
	json_close(j);
}

void stat_print_json(const struct stat_counts *c, FILE *out)
{
	struct json json = json_to(out), *j = &json;

	json_head(j, "stat");
	json_real(j, "seconds", c->seconds, STAT_TIME);
	if (c->interval)
		json_real(j, "until", c->until, STAT_TIME);
	if (c->nr_runs) {
		json_unsigned(j, "runs", c->nr_runs);
		json_real(j, "seconds_error", c->seconds_error < 0 ? NAN : c->seconds_error,
			  STAT_FIGURE);
	}
	if (c->topdown)
		stat_put_topdown(c, j);
	json_array(j, "events");
	for (unsigned int event = 0; event < c->events->nr; event++)
		stat_put_event(c, event, j);
	json_close(j);
	json_close(j);
	json_end(j);
}
