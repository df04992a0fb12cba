// SPDX-License-Identifier: GPL-2.0
/*
 * Prints counts in a text that is both OpenMetrics and the text format of Prometheus, for the text
 * files of node_exporter (*.prom). All are gauges: a count is that of this interval or run. The
 * samples of a family stand together.
 */
#include <string.h>

#include "base/text.h"
#include "stat/stat.h"
#include "stat/tasks.h"

enum openmetrics_family { OPENMETRICS_EVENTS, OPENMETRICS_ENABLED, OPENMETRICS_RUNNING };

/* A label's value with its quotes. */
static void put_label(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (const unsigned char *s = (const unsigned char *)value; *s;) {
		size_t len = text_utf8_length(s);

		if (!len)
			fputs("\xef\xbf\xbd", out);
		else if (*s == '\n')
			fputs("\\n", out);
		else if (*s == '\\' || *s == '"')
			fprintf(out, "\\%c", *s);
		else
			fwrite(s, 1, len, out);
		s += len ? len : 1;
	}
	fputc('"', out);
}

static void put_unit(const struct stat_counts *c, int unit, FILE *out)
{
	const struct stat_unit *u = &c->units[unit];

	switch (c->per) {
	case STAT_ALL:
		break;
	case STAT_CPU:
		fprintf(out, ",cpu=\"%u\"", u->cpu);
		break;
	case STAT_CORE:
		fprintf(out, ",socket=\"%u\",die=\"%u\",core=\"%u\"", u->socket, u->die, u->core);
		break;
	case STAT_TASK:
		if (!u->task->id)
			break;
		fputc(',', out);
		put_label(out, "comm", u->task->comm);
		fprintf(out, ",pid=\"%u\",tid=\"%u\"", u->task->pid, u->task->tid);
	}
}

/* How many of the events before this one have its name: no two samples may have equal labels. */
static unsigned int namesakes(const struct stat_counts *c, unsigned int event)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < event; i++)
		nr += !strcmp(c->events->list[i].event.name, c->events->list[event].event.name);
	return nr;
}

static void put_labels(const struct stat_counts *c, int unit, unsigned int event, FILE *out)
{
	unsigned int before = namesakes(c, event);

	fputc('{', out);
	put_label(out, "event", c->events->list[event].event.name);
	if (before)
		fprintf(out, ",again=\"%u\"", before);
	put_unit(c, unit, out);
	fputc('}', out);
}

static void put_head(FILE *out, const char *name, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

/* An event that never had a counter has no sample of its count. */
static void put_family(const struct stat_counts *c, enum openmetrics_family family, FILE *out)
{
	static const char *const names[][2] = {
		[OPENMETRICS_EVENTS] = { "lbrscope_events",
			"Events, estimated where they had a counter for a part of the time." },
		[OPENMETRICS_ENABLED] = { "lbrscope_event_enabled_seconds",
			"Time for which the event was to be counted." },
		[OPENMETRICS_RUNNING] = { "lbrscope_event_running_seconds",
			"Time for which the event had a counter." },
	};
	struct stat_line line;
	int unit;

	put_head(out, names[family][0], names[family][1]);
	stat_each_unit(c, unit) {
		for (unsigned int event = 0; event < c->events->nr; event++) {
			stat_line(c, unit, event, &line);
			if (family == OPENMETRICS_EVENTS && !line.counted)
				continue;
			fputs(names[family][0], out);
			put_labels(c, unit, event, out);
			if (family == OPENMETRICS_EVENTS)
				fprintf(out, " %.0f\n", line.estimate);
			else
				fprintf(out, " %.9f\n", (family == OPENMETRICS_ENABLED ?
					line.count.enabled : line.count.running) / 1e9);
		}
	}
}

void stat_print_openmetrics(const struct stat_counts *c, FILE *out)
{
	double shares[TOPDOWN_SHARES];

	for (int family = OPENMETRICS_EVENTS; family <= OPENMETRICS_RUNNING; family++)
		put_family(c, family, out);
	put_head(out, "lbrscope_interval_seconds", "Length of the interval or run.");
	fprintf(out, "lbrscope_interval_seconds %.9f\n", c->seconds);
	if (stat_shares(c, shares)) {
		put_head(out, "lbrscope_slots_ratio", "Use of the CPU's slots.");
		for (int i = 0; i < TOPDOWN_SHARES; i++) {
			fputs("lbrscope_slots_ratio{", out);
			put_label(out, "use", topdown_name(i));
			fprintf(out, "} %.6f\n", shares[i]);
		}
	}
	fputs("# EOF\n", out);
}
