// SPDX-License-Identifier: GPL-2.0
/* The report as text: for each event the head, the table, the tree, and notes. */
#include <string.h>

#include "base/err.h"
#include "base/pager.h"
#include "perfdata/own_events.h"
#include "report/text.h"

/* Times off the CPU are not added to samples: they are shown only on request. */
static void text_others(const struct text *t)
{
	size_t nr;
	const struct perfdata_event *events = samples_events(t->a->samples, &nr);

	for (size_t i = 0; i < nr; i++)
		if (!samples_selected(t->a->samples, i) &&
		    !strcmp(events[i].name, PERFDATA_OFFCPU_NAME))
			lines_say(&t->lines, "This capture also has times off the CPU: report -e "
				  PERFDATA_OFFCPU_NAME);
}

static void text_event(const struct text *t)
{
	const struct report *report = t->report;

	if (t->a->follows)
		fputc('\n', t->out);
	if (!report->quiet && report->verbose)
		analysis_details(t->a, &t->lines);
	else if (!report->quiet)
		analysis_head(t->a, " (-v: why)", &t->lines);
	else if (t->a->follows || t->a->next)
		lines_say(&t->lines, "Event: %s", t->a->event);
	text_table(t);
	if (report->tree)
		text_tree(t);
	if (report->quiet)
		return;
	analysis_notes(t->a, &t->lines);
	if (!t->a->follows)
		text_others(t);
}

static void text_line(void *out, const char *line)
{
	fprintf(out, "# %s\n", line);
}

int report_print_text(const struct report *whole, FILE *out)
{
	bool failed = false;

	for (const struct analysis *a = whole->analysis; a; a = a->next) {
		struct report report = *whole;
		struct text t = { .report = &report, .a = a, .out = out,
				  .lines = { text_line, out }, .failed = &failed,
				  .columns = report.full_names ? 0 : pager_columns() };

		report.analysis = a;
		t.all = report_all(&report);
		text_event(&t);
	}
	return failed ? err_fail("not enough memory for the report") : 0;
}
