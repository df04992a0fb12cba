/* SPDX-License-Identifier: GPL-2.0 */
/* From a capture's file to its profiles, one for each event, and the figures of its summary: the
 * first step of every report. */
#ifndef LBRCTL_PROFILE_ANALYSIS_H
#define LBRCTL_PROFILE_ANALYSIS_H

#include <stdio.h>

#include "base/confidence.h"
#include "base/lines.h"
#include "base/pidset.h"
#include "profile/filter.h"
#include "profile/group_counts.h"
#include "profile/library.h"
#include "profile/samples.h"
#include "profile/symbols.h"
#include "profile/table.h"
#include "profile/traces.h"
#include "profile/tree.h"
#include "profile/unnamed.h"
#include "stacks/build.h"

/* The query of an analysis. */
struct analysis_query {
	const char *input;		/* the capture's file */
	const char *event;		/* name of the event, as for samples_select() */
	bool strict;			/* without stacks that are broken or disputed */
	struct filter *filter;		/* the samples to include; NULL: all */
	const struct symbols_options *names;
	struct library *library;	/* what analyses of earlier captures of this machine have
					 * found out; NULL: nothing */
	const struct rows_sort *sort;	/* keys of the table; NULL: no table */
	bool traces;			/* keep the stacks by thread, CPU and cgroup, too */
	bool frames;			/* with traces: keep their frames */
	bool moments;			/* with traces: keep the time of each sample, */
	size_t moments_limit;		/* maximum number, approximately; 0: all */
	bool with_offcpu;		/* without event: times off the CPU, too */
	bool no_tree;			/* only the table and the figures: the profile's tree stays
					 * empty. Not with traces */
	bool leaves;			/* only the table's selfs are asked for: callers are not looked
					 * for, where that is no condition for anything else. With no_tree */
	/* Options of the tree. */
	bool fold;			/* recursive calls are folded into the first occurrence */
	bool inverted;			/* callers below their callees, no threads */
	bool sources;			/* entries differ by what shows them; see paths.h */
};

struct analysis_cpu {
	uint64_t samples, period;
};

struct analysis_reading;

/* The samples of the events with one name. Periods of different events are never added up. */
struct analysis {
	struct analysis *next;		/* the analysis of the next event with samples; NULL:
					 * none */
	bool follows;			/* another analysis points to it as its next */
	uint32_t number;		/* sorted by the first sample */
	struct analysis_reading *reading;	/* shared by all analyses, as these three: */
	struct samples *samples;
	struct symbols *symbols;
	const struct group *group;	/* the additional counts, */
	uint64_t *counts;		/* their sums by event */
	struct profile *profile;
	struct rows *rows;		/* NULL without query.sort */
	struct traces traces;		/* empty without query.traces */
	struct moments moments;		/* empty without query.moments */
	const char *event;		/* name of the event */
	size_t event_number;		/* index in the capture, of the first event with this
					 * name */
	bool offcpu;			/* periods are ns off the CPU */
	bool leaves;			/* no callers were looked for: there are neither totals nor
					 * verdicts */
	uint64_t preempted;		/* its samples that are left out, since the thread could run, */
	uint64_t preempted_ns;		/* and the sum of their periods */
	uint64_t nr_samples;
	uint64_t nr_read;		/* samples of the event before the filter; of all
					 * events if none has samples */
	struct analysis_cpu *cpus;	/* by CPU number; samples 0: none on this CPU */
	size_t nr_cpus, max_cpus;
	uint64_t period;		/* of each sample; 0: varying */
	uint64_t period_sum;
	double squares_sum;		/* sum of the periods' squares */
	uint64_t first_time, last_time;	/* ns; both 0 without times */
	uint32_t pid;			/* of the last sample */
	size_t nr_processes;		/* with samples */
	struct pidset processes;
	uint64_t verdicts[STACKS_NR_VERDICTS];	/* samples by verdict */
	uint64_t reasons[VERDICT_ROWS];	/* samples by the row of verdict_table */
	uint64_t reason_weights[VERDICT_ROWS];	/* sums of their periods, */
	uint64_t lacking_weights[VERDICT_ROWS];	/* and of those that lack outer callers */
	uint64_t by_lbr;		/* samples of complete stacks that the LBR alone gives */
	uint64_t inferred;		/* samples with inferred tail calls */
	uint64_t unwound;		/* samples with frames that only the recorded user stack
					 * shows
					 */
	uint64_t pointed;		/* samples with frames that rest on a frame pointer */
	uint64_t stitched;		/* samples with frames from other samples of the thread */
	struct analysis_query query;
	uint64_t left_out;		/* samples of broken and disputed stacks that are left
					 * out; not in period_sum */
	struct unnamed unnamed;		/* weights of samples without names */
	uint64_t unverified;		/* samples with entries that could not be
					 * checked for want of the code */
};

/* Returns the analysis of the first event with samples, or NULL with the reason printed. A capture
 * without samples is no error: its only analysis has none. The query's pointers must outlive
 * the analysis. */
struct analysis *analysis_open(const struct analysis_query *query);
/* Frees the analysis and those that follow it. */
void analysis_free(struct analysis *analysis);

/* Finds the analysis, in the list of an analysis and those that follow it, of the same event
 * as the other capture's; NULL: none. */
const struct analysis *analysis_find(const struct analysis *list,
				     const struct analysis *event);

/* Whether the samples have the number of their CPU. */
bool analysis_has_cpu(const struct analysis *analysis);

/* Refuses several events, times off the CPU apart, if the output holds only one. Returns 0, or -1
 * with a message that names the events; what: "folded stacks have one number each". */
int analysis_one_event(const struct analysis *analysis, const char *what);

/* Prints that the capture has no samples, or none that passes the filter. Returns -1. */
int analysis_none(const struct analysis *analysis);

/* Fewer checks give no bound: one of 60 would be 6 % at least. */
#define ANALYSIS_AUDIT_LEAST	60

/* The results of the recorder's audits, which compared stacks that the LBR called complete
 * with the user stack: those of the whole recording, not only of the selected samples. */
struct analysis_audit {
	uint64_t checked, disagreed;	/* number of samples */
	size_t failed;			/* processes with disagreements */
	bool bounded;			/* enough of them to say: */
	struct share_interval wrong;	/* the wrong part of such stacks, with 95 % confidence */
};
struct analysis_audit analysis_audit(const struct analysis *analysis);

/* Returns period_part in percent of the whole. */
double analysis_percent(const struct analysis *analysis, uint64_t period_part);

/* Writes the summary as a JSON object, see lbrctl-json(7); key: as in base/json.h. */
struct json;
void analysis_put_json(const struct analysis *analysis, struct json *json, const char *key);

/* The sum of the periods of all samples that have a verdict, those that are left out as well. */
double analysis_judged(const struct analysis *analysis);
/* Of these, those with this verdict. */
double analysis_of_verdict(const struct analysis *analysis, enum stacks_verdict verdict);

/* What is said of an analysis. What concerns the whole capture is said of the first event only. */

/* One line: what was recorded and lost. */
void analysis_recorded(const struct analysis *analysis, const struct lines *lines);
/* At most three lines: what was recorded and lost; the verdicts on the stacks, with `more` behind
 * them if not all are complete; and why most of those that lack callers do. */
void analysis_head(const struct analysis *analysis, const char *more, const struct lines *lines);
/* Everything about the samples, the stacks, and the machine. */
void analysis_details(const struct analysis *analysis, const struct lines *lines);
/* What a reader might miss: events without samples, files without names, and the like. */
void analysis_notes(const struct analysis *analysis, const struct lines *lines);
/* Of these, the files without names. */
void analysis_unnamed(const struct analysis *analysis, const struct lines *lines);

#endif
