/* SPDX-License-Identifier: GPL-2.0 */
/* Counts events, for a while or in intervals. */
#ifndef LBRCTL_STAT_STAT_H
#define LBRCTL_STAT_STAT_H

#include <linux/lbrscope.h>
#include <stdbool.h>
#include <stdio.h>

#include "pmu/list.h"
#include "pmu/topdown.h"
#include "stat/figures.h"
#include "workload/workload.h"

#define STAT_REPEAT_MAX	10000

/* The unit of a line. */
enum stat_per { STAT_ALL, STAT_CPU, STAT_CORE, STAT_TASK };

struct stat_counts;
struct stat_task;

struct stat_options {
	struct eventlist events;
	bool default_events;	/* none were asked for */
	struct subject_options subject;
	enum stat_per per;
	unsigned int repeat;	/* number of runs of the command */
	uint64_t interval;	/* ns; 0: output only at the end */
	bool topdown;
	bool detailed;		/* the events of data caches as well */
	void (*print)(const struct stat_counts *counts, FILE *out);
	const char *separator;	/* of stat_print_fields() */
	const char *output;	/* file; NULL: stderr */
	bool replace;		/* the file has the last interval only */
	bool shared;		/* other users read the file */
};

/* A CPU, a core, or a thread. */
struct stat_unit {
	unsigned int cpu;	/* number of the CPU, or of the core's first CPU */
	unsigned int nr_cpus;	/* CPUs of a core that were counted */
	unsigned int socket, die, core;	/* as the kernel numbers them: core numbers may repeat
					 * in each die */
	const struct stat_task *task;
};

/* The counts: from the start to the end, of an interval, or of several runs. */
struct stat_counts {
	const struct eventlist *events;
	const char *separator;	/* of stat_print_fields() */
	enum stat_per per;
	bool interval, first;	/* one of several intervals, and the first of them */
	double until;		/* seconds from the start to the end of the interval */
	double seconds;
	unsigned int nr_units;
	struct stat_unit *units;
	struct lbrscope_count *counts;	/* by unit, then by event; threads have their own */
	const struct topdown *topdown;	/* NULL: not requested; else its events are the last */
	unsigned int nr_runs;	/* 0: not requested; else the fields below are the mean of the
				 * runs and its error in 19 of 20 cases */
	double *means, *errors;	/* by event */
	double seconds_error;
};

/* Counts. Returns the exit status of `lbrctl stat`. */
int stat_run(struct stat_options *options);

/* Finds socket, die and core of the unit's CPU. */
void stat_place(struct stat_unit *unit);

/* Joins the CPUs of each core to one unit. */
void stat_cores(struct stat_counts *counts);

/* A line of the result: an event of one unit, or of all of them. */
#define STAT_TOTAL	(-1)
struct stat_line {
	struct lbrscope_count count;
	bool counted;		/* false: the event never had a counter */
	double estimate;	/* the count, or its estimate */
	double error;		/* to either side, in 19 of 20 cases; negative: unknown */
	bool has_figure;
	struct figure figure;
};
void stat_line(const struct stat_counts *counts, int unit, unsigned int event,
	       struct stat_line *line);

/* Iterates over the units to print: all together, or one after another. */
#define stat_each_unit(counts, unit)						\
	for ((unit) = (counts)->per == STAT_ALL ? STAT_TOTAL : 0;		\
	     (unit) < ((counts)->per == STAT_ALL ? 0 : (int)(counts)->nr_units);	\
	     (unit)++)

/* Returns the number of events to show: those of the top-down group are shown as shares. */
unsigned int stat_shown(const struct stat_counts *counts);

/* Computes the shares for all units together; false: not requested, or nothing was counted. */
bool stat_shares(const struct stat_counts *counts, double shares[TOPDOWN_SHARES]);

/* Print the result, for people and for scripts. */
void stat_print_text(const struct stat_counts *counts, FILE *out);
void stat_print_json(const struct stat_counts *counts, FILE *out);
void stat_print_fields(const struct stat_counts *counts, FILE *out);
void stat_print_csv(const struct stat_counts *counts, FILE *out);
void stat_print_openmetrics(const struct stat_counts *counts, FILE *out);

#endif
