/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_LBR_H
#define LBRSCOPE_LBR_H

#include <linux/types.h>

#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>

#include "caps.h"
#include "msr.h"

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
	bool targets;		/* of these: where they went, and not only who called */
	bool history;		/* the youngest branches that pass the filter */
	u32 filter;		/* of history: enum lbrscope_branch_filter */
};

/* Entries as the registers had them, youngest first. */
struct lbr_stack {
	u32 nr;
	u32 tos;	/* the register that held entry 0 */
	union {
		struct {
			u64 from[LBR_DEPTH_MAX];
			u64 to[LBR_DEPTH_MAX];	/* of calls: only with targets */
			u64 info[LBR_DEPTH_MAX];	/* of a history, if there is */
		};
		/* Of a history, where ls_caps.lbr_packs. */
		struct lbrscope_branch packed[LBR_DEPTH_MAX];
	};
};

/* What ls_lbr_start() found, for ls_lbr_stop() to put back. */
struct lbr_saved {
	u64 debugctl, control, select, tos, xss;
};

/*
 * 1 + 2 nr reads, 1 + nr without targets, and one for the end of the run where it is
 * not full.  What is constant is in registers: the compiler would read it again after
 * each MSR.  In line, for the NMI, where a stack of few calls is as dear as calling
 * this; targets is constant, so that no loop asks.
 */
static __always_inline void lbr_legacy_read_calls(struct lbr_stack *stack,
						  const bool targets)
{
	const unsigned long mask = ls_caps.lbr_depth - 1;
	const u32 froms = ls_caps.lbr_from, tos = ls_caps.lbr_to;
	unsigned long i = 0;
	u32 reg;

	reg = msr_read(MSR_LBR_TOS) & mask;
	stack->tos = reg;
	do {
		u64 from = msr_read(froms + reg);

		if (!from)
			break;
		stack->from[i] = from;
		if (targets)
			stack->to[i] = msr_read(tos + reg);
		reg = (reg - 1) & mask;
		i++;
	} while (i <= mask);
	stack->nr = i;
}

/* As lbr_kinds.h has the rest. */
void ls_lbr_arch_read_calls(struct lbr_stack *stack, bool targets);

static inline bool ls_lbr_wanted(const struct lbr_mode *mode)
{
	return mode->call_stack || mode->history;
}

/* Are the kernel's own branches recorded? */
static inline bool ls_lbr_of_kernel(const struct lbr_mode *mode)
{
	return mode->history && mode->filter & LBRSCOPE_FILTER_KERNEL;
}

/* At load, when ls_caps is known, and unload. */
int ls_lbr_init(void);
void ls_lbr_exit(void);

/* All of these act on the CPU they run on, preemption off. */
bool ls_lbr_in_use(void);
void ls_lbr_start(struct lbr_saved *saved, const struct lbr_mode *mode);
void ls_lbr_stop(const struct lbr_saved *saved);

/* In call-stack mode: the open calls. */
static __always_inline void ls_lbr_read_calls(struct lbr_stack *stack, bool targets)
{
	if (unlikely(ls_caps.lbr != CAPS_LBR_LEGACY))
		ls_lbr_arch_read_calls(stack, targets);
	else if (targets)
		lbr_legacy_read_calls(stack, true);
	else
		lbr_legacy_read_calls(stack, false);
}

bool ls_lbr_holds(const struct lbr_stack *stack);
void ls_lbr_restore(const struct lbr_stack *stack, bool targets);

/*
 * Of a history: all there is.  Where a PMI freezes it, it has to be thawed when the
 * overflow has been acknowledged.
 */
void ls_lbr_read_history(struct lbr_stack *stack);
bool ls_lbr_freezes(const struct lbr_mode *mode);
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
void ls_lbr_hide_kernel(struct lbr_stack *stack, const struct lbr_mode *mode);

#endif
