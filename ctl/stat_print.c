// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "stat.h"

static const struct lbrscope_count *stat_count(const struct stat_counts *c,
					       unsigned int cpu,
					       unsigned int event)
{
	return &c->counts[cpu * c->events->nr + event];
}

static struct lbrscope_count stat_sum(const struct stat_counts *c,
				      unsigned int event)
{
	struct lbrscope_count sum = {};
	unsigned int cpu;

	for (cpu = 0; cpu < c->nr_cpus; cpu++)
		counts_add(&sum, stat_count(c, cpu, event));
	return sum;
}

/* A number in groups of three digits. */
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

static void stat_line(const struct lbrscope_count *count, const char *name,
		      FILE *out)
{
	double error = counts_error(count);
	char number[48] = "<not counted>";

	if (count->running || counts_whole(count))
		stat_number(counts_estimate(count), number, sizeof(number));
	fprintf(out, "%22s  %-32s", number, name);
	if (error > 0)
		fprintf(out, " +- %.2f %%", 100 * error);
	else if (error < 0 && count->running)
		fprintf(out, " +- unknown");
	if (!counts_whole(count))
		fprintf(out, "  (on a counter %.1f %% of the time)",
			100.0 * count->running / count->enabled);
	fputc('\n', out);
}

void stat_print_text(const struct stat_counts *c, bool per_cpu, FILE *out)
{
	unsigned int cpu, event;

	fputc('\n', out);
	for (event = 0; event < c->events->nr && !per_cpu; event++) {
		struct lbrscope_count sum = stat_sum(c, event);

		stat_line(&sum, c->events->list[event].event.name, out);
	}
	for (cpu = 0; cpu < c->nr_cpus && per_cpu; cpu++)
		for (event = 0; event < c->events->nr; event++) {
			fprintf(out, "CPU%-4u", c->cpus[cpu]);
			stat_line(stat_count(c, cpu, event),
				  c->events->list[event].event.name, out);
		}
	fprintf(out, "\n%22.6f  seconds\n\n", c->seconds);
}

static struct json_object *stat_object(const struct lbrscope_count *count)
{
	struct json_object *object = json_object_new_object();
	double error = counts_error(count);

	json_object_object_add(object, "value",
			       json_object_new_uint64(count->value));
	json_object_object_add(object, "enabled_ns",
			       json_object_new_uint64(count->enabled));
	json_object_object_add(object, "running_ns",
			       json_object_new_uint64(count->running));
	json_object_object_add(object, "estimate",
		json_object_new_uint64(llround(counts_estimate(count))));
	json_object_object_add(object, "error", error < 0 ? NULL :
		json_object_new_double(error * counts_estimate(count)));
	return object;
}

static struct json_object *stat_cpus(const struct stat_counts *c,
				     unsigned int event)
{
	struct json_object *array = json_object_new_array();
	unsigned int cpu;

	for (cpu = 0; cpu < c->nr_cpus; cpu++) {
		struct json_object *object = stat_object(stat_count(c, cpu,
								    event));

		json_object_object_add(object, "cpu",
				       json_object_new_int(c->cpus[cpu]));
		json_object_array_add(array, object);
	}
	return array;
}

void stat_print_json(const struct stat_counts *c, bool per_cpu, FILE *out)
{
	struct json_object *top = json_object_new_object();
	struct json_object *array = json_object_new_array();
	unsigned int event;

	json_object_object_add(top, "version", json_object_new_int(1));
	json_object_object_add(top, "verb", json_object_new_string("stat"));
	json_object_object_add(top, "seconds",
			       json_object_new_double(c->seconds));
	json_object_object_add(top, "events", array);
	for (event = 0; event < c->events->nr; event++) {
		struct lbrscope_count sum = stat_sum(c, event);
		struct json_object *object = stat_object(&sum);

		json_object_object_add(object, "event", json_object_new_string(
				       c->events->list[event].event.name));
		if (per_cpu)
			json_object_object_add(object, "cpus",
					       stat_cpus(c, event));
		json_object_array_add(array, object);
	}
	fprintf(out, "%s\n", json_object_to_json_string_ext(top,
						JSON_C_TO_STRING_PLAIN));
	json_object_put(top);
}
