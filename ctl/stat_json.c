// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>
#include <math.h>

#include "stat.h"

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

static struct json_object *stat_units(const struct stat_counts *c, unsigned int event)
{
	struct json_object *array = json_object_new_array();
	unsigned int i;

	for (i = 0; i < c->nr_units; i++) {
		struct json_object *object = stat_object(c, i, event);
		const struct stat_unit *unit = &c->units[i];

		if (c->per == STAT_CORE) {
			json_object_object_add(object, "socket", json_object_new_int(unit->socket));
			json_object_object_add(object, "die", json_object_new_int(unit->die));
			json_object_object_add(object, "core", json_object_new_int(unit->core));
		} else {
			json_object_object_add(object, "cpu", json_object_new_int(unit->cpu));
		}
		json_object_array_add(array, object);
	}
	return array;
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
	struct json_object *array = json_object_new_array();
	unsigned int event;

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
	json_object_object_add(top, "events", array);
	for (event = 0; event < c->events->nr; event++) {
		struct json_object *object = stat_object(c, STAT_TOTAL, event);

		json_object_object_add(object, "event", json_object_new_string(
				       c->events->list[event].event.name));
		if (c->per != STAT_ALL)
			json_object_object_add(object, c->per == STAT_CORE ? "cores" : "cpus",
					       stat_units(c, event));
		json_object_array_add(array, object);
	}
	fprintf(out, "%s\n", json_object_to_json_string_ext(top, JSON_C_TO_STRING_PLAIN));
	json_object_put(top);
}
