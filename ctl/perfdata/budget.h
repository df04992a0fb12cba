/* SPDX-License-Identifier: GPL-2.0 */
/* The actions that kept a recording to its budget: marks in a capture, and their sum. */
#ifndef LBRCTL_PERFDATA_BUDGET_H
#define LBRCTL_PERFDATA_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUDGET_CPUS	8192	/* more than any x86 kernel has (CONFIG_NR_CPUS) */

/* The sum of the actions that kept a session to its budget, from its records, or from the marks
 * in a capture. {} is empty. */
struct budget {
	uint64_t stretched;	/* times that the periods of a CPU became longer */
	uint32_t most;		/* the largest stretch, in thousandths of the requested period */
	uint64_t left_out;	/* context switches at which work was left out */
	uint32_t cpus[BUDGET_CPUS];	/* stretch of each, in thousandths; 0: not reported */
};

/* The data of one record of the ring (struct lbrscope_budget has the units). */
struct budget_record {
	uint32_t stretch, share, left_out;
};

/* Maximum bytes of a mark's text, including its NUL. */
#define BUDGET_MARK	64

/* "stretch=8.100 spent=11.2% left-out=3", of what struct lbrscope_budget says. */
void budget_mark(const struct budget_record *record, char mark[BUDGET_MARK]);

/* Parses a mark. Returns whether it is valid. A mark has no time. */
bool budget_parse(const char *mark, struct budget_record *record);

/* Adds the next record of a CPU. */
void budget_add(struct budget *budget, const struct budget_record *record,
		uint32_t cpu);

/* Prints the sum in one sentence without a full stop; false: the budget took no action. */
bool budget_text(const struct budget *budget, char *text, size_t size);

#endif
