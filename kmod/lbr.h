/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_LBR_H
#define LBRSCOPE_LBR_H

#include <linux/types.h>

#include <linux/lbrscope.h>

#define LBR_DEPTH_MAX	32

/*
 * The architectural records as a component of the extended state (SDM vol. 1
 * "Managing State Using the XSAVE Feature Set"): bytes, for so many entries.
 */
#define LBR_XSTATE_NR		15
#define LBR_XSTATE		(1ULL << LBR_XSTATE_NR)
#define LBR_XSTATE_SIZE(nr)	(5 * sizeof(u64) + (nr) * 3 * sizeof(u64))

/* What the branch registers record; all false: they are not used. */
struct lbr_mode {
	bool call_stack;	/* the open calls of user mode */
	bool reset;		/* of these: forgotten when the task is switched */
	bool history;		/* the youngest branches that pass the filter */
	u32 filter;		/* of history: enum lbrscope_branch_filter */
};

/* Entries as the registers had them, youngest first. */
struct lbr_stack {
	u32 nr;
	u32 tos;	/* the register that held entry 0 */
	u64 from[LBR_DEPTH_MAX];
	u64 to[LBR_DEPTH_MAX];
	u64 info[LBR_DEPTH_MAX];	/* of a history, where there is INFO */
};

/* What ls_lbr_start() found, for ls_lbr_stop() to put back. */
struct lbr_saved {
	u64 debugctl, control, select, tos, xss;
};

static inline bool ls_lbr_wanted(const struct lbr_mode *mode)
{
	return mode->call_stack || mode->history;
}

/* Are the kernel's own branches recorded? */
static inline bool ls_lbr_of_kernel(const struct lbr_mode *mode)
{
	return mode->history && mode->filter & LBRSCOPE_FILTER_KERNEL;
}

/* All of these act on the CPU they run on, preemption off. */
bool ls_lbr_in_use(void);
void ls_lbr_start(struct lbr_saved *saved, const struct lbr_mode *mode);
void ls_lbr_stop(const struct lbr_saved *saved);

/* In call-stack mode: the open calls. */
void ls_lbr_read_calls(struct lbr_stack *stack);
bool ls_lbr_holds(const struct lbr_stack *stack);
void ls_lbr_restore(const struct lbr_stack *stack);

/* Of a history: all there is.  After a PMI froze it, it has to be thawed. */
void ls_lbr_read_history(struct lbr_stack *stack);
void ls_lbr_thaw(void);

/*
 * Switches the recording off, so that what does so leaves no branches behind,
 * and on again.  Meanwhile nothing else switches it on: neither the NMI, nor who
 * finds that somebody else has switched it off.
 */
void ls_lbr_pause(void);
void ls_lbr_resume(void);
void ls_lbr_reassert(void);

void ls_lbr_clear(void);

/* Empties the entries that have an address of the kernel in them. */
void ls_lbr_hide_kernel(struct lbr_stack *stack);

#endif
