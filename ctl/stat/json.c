// SPDX-License-Identifier: GPL-2.0
/* Prints counts as JSON. */
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "stat/stat.h"
#include "stat/tasks.h"

static void stat_add_number(struct json_object *object, const char *name, double value)
{
	json_object_object_add(object, name, json_object_new_double(value));
}

static struct json_object *stat_object(const struct stat_counts *c, int unit,
				       unsigned int event)
{
	struct json_object *object = json_object_new_object();
	struct stat_line line;

	stat_line(c, unit, event, &line);
	json_object_object_add(object, "value", json_object_new_uint64(line.count.value));
	json_object_object_add(object, "enabled_ns",
			       json_object_new_uint64(line.count.enabled));
	json_object_object_add(object, "running_ns",
			       json_object_new_uint64(line.count.running));
	json_object_object_add(object, "estimate",
			       json_object_new_uint64(llround(line.estimate)));
	json_object_object_add(object, "error", line.error < 0 ? NULL :
			       json_object_new_double(line.error));
	json_object_object_add(object, "figure", line.has_figure ?
			       json_object_new_double(line.figure.value) : NULL);
	json_object_object_add(object, "unit", line.has_figure ?
			       json_object_new_string(line.figure.unit) : NULL);
	return object;
}

/* All of it but the brace at its end: more comes behind. There may be very many threads. */
static void stat_put_open(struct json_object *object, FILE *out)
{
	const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);

	fwrite(text, 1, strlen(text) - 1, out);
	json_object_put(object);
}

static void stat_put_task(const struct stat_task *task, FILE *out)
{
	if (!task->id) {
		fputs(",\"comm\":null,\"pid\":null,\"tid\":null", out);
		return;
	}
	fputs(",\"comm\":", out);
	text_put_json(out, task->comm);
	fprintf(out, ",\"pid\":%u,\"tid\":%u", task->pid, task->tid);
}

static void stat_put_unit(const struct stat_counts *c, unsigned int i, unsigned int event,
			  FILE *out)
{
	const struct stat_unit *unit = &c->units[i];

	stat_put_open(stat_object(c, i, event), out);
	if (c->per == STAT_TASK)
		stat_put_task(unit->task, out);
	else if (c->per == STAT_CORE)
		fprintf(out, ",\"socket\":%u,\"die\":%u,\"core\":%u", unit->socket, unit->die,
			unit->core);
	else
		fprintf(out, ",\"cpu\":%u", unit->cpu);
	fputc('}', out);
}

static void stat_put_event(const struct stat_counts *c, unsigned int event, FILE *out)
{
	static const char *const units[] = {
		[STAT_CPU] = "cpus", [STAT_CORE] = "cores", [STAT_TASK] = "threads",
	};
	struct json_object *object = stat_object(c, STAT_TOTAL, event);

	json_object_object_add(object, "event", json_object_new_string(
			       c->events->list[event].event.name));
	stat_put_open(object, out);
	if (c->per != STAT_ALL) {
		fprintf(out, ",\"%s\":[", units[c->per]);
		for (unsigned int i = 0; i < c->nr_units; i++) {
			fputs(i ? "," : "", out);
			stat_put_unit(c, i, event, out);
		}
		fputc(']', out);
	}
	fputc('}', out);
}

static struct json_object *stat_topdown(const struct stat_counts *c)
{
	static const char *const names[] = {
		[TOPDOWN_RETIRING] = "retiring", [TOPDOWN_BAD_SPECULATION] = "bad_speculation",
		[TOPDOWN_FRONTEND] = "frontend_bound", [TOPDOWN_BACKEND] = "backend_bound",
	};
	double shares[TOPDOWN_SHARES];
	struct json_object *object;

	if (!stat_shares(c, shares))
		return NULL;
	object = json_object_new_object();
	for (int i = 0; i < TOPDOWN_SHARES; i++)
		stat_add_number(object, names[i], shares[i]);
	return object;
}

void stat_print_json(const struct stat_counts *c, FILE *out)
{
	struct json_object *top = json_object_new_object();

	json_object_object_add(top, "version", json_object_new_int(1));
	json_object_object_add(top, "verb", json_object_new_string("stat"));
	stat_add_number(top, "seconds", c->seconds);
	if (c->interval)
		stat_add_number(top, "until", c->until);
	if (c->nr_runs) {
		json_object_object_add(top, "runs", json_object_new_int(c->nr_runs));
		json_object_object_add(top, "seconds_error", c->seconds_error < 0 ? NULL :
				       json_object_new_double(c->seconds_error));
	}
	if (c->topdown)
		json_object_object_add(top, "topdown", stat_topdown(c));
	stat_put_open(top, out);
	fputs(",\"events\":[", out);
	for (unsigned int event = 0; event < c->events->nr; event++) {
		fputs(event ? "," : "", out);
		stat_put_event(c, event, out);
	}
	fputs("]}\n", out);
}
