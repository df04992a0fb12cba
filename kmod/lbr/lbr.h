/* SPDX-License-Identifier: GPL-2.0 */
/* The branch records, of any family. */
#ifndef LBRSCOPE_LBR_H
#define LBRSCOPE_LBR_H

#include <linux/types.h>

#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>

#include "pmu/caps.h"
#include "pmu/msr.h"

#define LBR_DEPTH_MAX	32
#define LBR_WORDS_MAX	3	/* of an entry: FROM, TO, INFO */

/*
 * The architectural records as a component of the extended state (SDM vol. 1
 * "Managing State Using the XSAVE Feature Set"): bytes, for this many entries.
 */
#define LBR_XSTATE_NR		15
#define LBR_XSTATE		(1ULL << LBR_XSTATE_NR)
#define LBR_XSTATE_SIZE(nr)	(5 * sizeof(u64) + (nr) * 3 * sizeof(u64))

/* The content of the branch records; all false: they are not used. */
struct ls_lbr_mode {
	bool call_stack;	/* the open calls of user mode */
	bool reset;		/* call_stack: discarded at each context switch */
	bool targets;		/* call_stack: TO as well as FROM */
	bool history;		/* the youngest branches that pass the filter */
	u32 filter;		/* history: enum lbrscope_branch_filter */
	u32 depth;		/* entries of a record, the youngest: 1 to ls_caps.lbr_depth */
};

struct ls_lbr_image;

/*
 * Entries as read, youngest first, each of ls_lbr_words() words: the layout of the ring,
 * so that they can be read straight into it.
 */
struct ls_lbr_stack {
	u32 nr;		/* entries; with an image only whether there are any */
	u32 tos;	/* call stacks: the register of entry 0 */
	/*
	 * Where XSAVES stores the registers of a call stack; words and nr follow from it only
	 * by ls_lbr_unpack().  NULL: in words at once.
	 */
	struct ls_lbr_image *image;
	u64 words[LBR_DEPTH_MAX * LBR_WORDS_MAX];
};

/*
 * Copies words and returns their end.  Written in assembly: for so few words the call of
 * memcpy() that the compiler would make costs more than the copy.
 */
static __always_inline u64 *ls_lbr_copy(u64 *word, const u64 *from, u64 nr)
{
	asm volatile("rep movsq" : "+D" (word), "+S" (from), "+c" (nr)
		     : : "memory");
	return word;
}

/* The registers as ls_lbr_start() found them, for ls_lbr_stop() to restore. */
struct ls_lbr_saved {
	u64 debugctl, control, select, tos, xss;
	u64 ours;	/* bits of DEBUGCTL that START set; kept after STOP, for
			 * ls_lbr_left()
			 */
};

/* What a reading returns instead of a number if the recording was off: see ls_lbr_heal(). */
#define LBR_OFF		(~0U)

static __always_inline bool ls_lbr_legacy_in_use(void)
{
	return msr_read(MSR_IA32_DEBUGCTLMSR) & DEBUGCTLMSR_LBR;
}

/*
 * Whether a PMI that freezes a history switches its recording off: nothing tells then whether
 * it was on.  Since PerfMon version 4, and on AMD, the status has a bit of its own.
 */
static __always_inline bool ls_lbr_stops_at_pmi(void)
{
	return ls_caps.lbr == CAPS_LBR_LEGACY && ls_caps.pmu_version < 4;
}

static __always_inline u32 ls_lbr_legacy_tos(void)
{
	return msr_read(MSR_LBR_TOS) & (ls_caps.lbr_depth - 1);
}

static __always_inline void ls_lbr_put_word(u64 *word, struct ls_msr_halves value)
{
	((u32 *)word)[0] = value.low;
	((u32 *)word)[1] = value.high;
}

/*
 * Reads the open calls, `depth` at most: 2 nr reads, or nr without targets, and one more that
 * finds the end if there are fewer.
 *
 * Inline, because for a stack of few calls a function call would cost as much as the
 * reads.  targets is a constant, so that no loop tests it.  The registers' numbers are
 * constants too: only CPUs without a call-stack mode have the old numbers.
 */
static __always_inline u64 *ls_lbr_legacy_read_calls(u64 *word, u32 tos, u32 depth,
						     const bool targets)
{
	const u32 mask = ls_caps.lbr_depth - 1;
	const u64 *end = word + depth * (1 + targets);
	u32 reg = tos;

	do {
		/* This word is 0 in an empty entry. */
		u64 from = msr_read(MSR_LBR_NHM_FROM + reg);

		if (!from)
			break;
		*word++ = from;
		if (targets)
			ls_lbr_put_word(word++, msr_read_halves(MSR_LBR_NHM_TO + reg));
		reg = (reg - 1) & mask;
	} while (word != end);
	return word;
}

/* lbr/kinds.h has the other functions of the families. */
u64 *ls_lbr_arch_read_calls(u64 *word, u32 depth, bool targets);

static inline bool ls_lbr_wanted(const struct ls_lbr_mode *mode)
{
	return mode->call_stack || mode->history;
}

/* Whether branches of the kernel are recorded. */
static inline bool ls_lbr_of_kernel(const struct ls_lbr_mode *mode)
{
	return mode->history && mode->filter & LBRSCOPE_FILTER_KERNEL;
}

/* Context: load, when ls_caps is known; unload. */
int ls_lbr_init(void);
void ls_lbr_exit(void);

/* Context: on the CPU that they act on, preemption off. */
bool ls_lbr_in_use(void);
/*
 * Whether another user excludes the session from the branch records, from now to its end.
 * Context: any, also the NMI.
 */
bool ls_lbr_lost(void);
/* Whether KVM switched the records on again, after the session that left saved had stopped. */
bool ls_lbr_left(const struct ls_lbr_saved *saved);

void ls_lbr_start(struct ls_lbr_saved *saved, const struct ls_lbr_mode *mode);
void ls_lbr_stop(const struct ls_lbr_saved *saved);

/* Returns the number of words of an entry; 0: branches are not recorded. */
u32 ls_lbr_words(const struct ls_lbr_mode *mode);

/*
 * Switches the recording on again, with empty entries, if somebody else has switched it off:
 * perf's or a debugger's watchpoint (debug.c), a BPF program that reads the branch records
 * (bpf_get_branch_snapshot()).  What the entries held is of that moment.
 * Returns: false if it is off because of ls_lbr_pause(): then the entries are right.
 * Context: the recording is off; interrupts off, or the NMI.
 */
bool ls_lbr_heal(void);

/*
 * Reads the `depth` innermost open calls in call-stack mode to word.  targets is a constant.
 * Returns: the end of the words; NULL: the recording was off, and is on again.
 */
static __always_inline u64 *ls_lbr_read_calls(u64 *word, u32 depth, const bool targets)
{
	if (unlikely(ls_caps.lbr != CAPS_LBR_LEGACY))
		return ls_lbr_arch_read_calls(word, depth, targets);
	if (unlikely(!ls_lbr_legacy_in_use()) && ls_lbr_heal())
		return NULL;
	return ls_lbr_legacy_read_calls(word, ls_lbr_legacy_tos(), depth, targets);
}

/*
 * The memory that an image takes at any address; 0: there are none.  ls_lbr_set_image()
 * takes this much, filled with zeroes, for a stack.
 */
size_t ls_lbr_image_size(void);
void ls_lbr_set_image(struct ls_lbr_stack *stack, void *memory);

/* Fills words from the image, if there is one, after ls_lbr_save(). */
void ls_lbr_unpack(struct ls_lbr_stack *stack, bool targets);

/*
 * Saves the `depth` innermost open calls; all of them for ls_lbr_restore(), and wherever the
 * stack has an image.
 * Returns: false: the recording was off, and is on again; nothing is saved.
 */
bool ls_lbr_save(struct ls_lbr_stack *stack, u32 depth, bool targets);
bool ls_lbr_holds(const struct ls_lbr_stack *stack);
void ls_lbr_restore(const struct ls_lbr_stack *stack, bool targets);

/*
 * Adds an entry as a call from `from` to `to` would, in call-stack mode.  If all registers
 * are in use the oldest entry is lost, as with a call.
 * Context: ring 0, which is not recorded, while the NMI leaves the registers alone.
 */
void ls_lbr_push(u64 from, u64 to, bool targets);

/* lbr/kinds.h has the other functions of the families. */
u32 ls_lbr_legacy_read_history(u64 *word, u32 depth);
u32 ls_lbr_arch_read_history(u64 *word, u32 depth);
u32 ls_lbr_amd_read_history(u64 *word, u32 depth);
bool ls_lbr_amd_in_use(void);

/* Returns the number of entries without the oldest ones that were never filled. */
u32 ls_lbr_filled(const u64 *word, u32 nr, u32 words);

/* The reading of architectural records tells it. */
static __always_inline bool ls_lbr_history_off(void)
{
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		return !ls_lbr_stops_at_pmi() && !ls_lbr_legacy_in_use();
	return ls_caps.lbr == CAPS_LBR_AMD && !ls_lbr_amd_in_use();
}

/*
 * Reads the `depth` youngest entries of a history, of ls_lbr_words() words each, to word, which
 * has room for all.  If a PMI freezes
 * the history, the code that handles the overflow calls ls_lbr_thaw() after its
 * acknowledgement; otherwise the acknowledgement of ls_pmu_regs.ack_more thaws it.
 * Returns: the number of entries; LBR_OFF: the recording was off, and is on again.
 */
static __always_inline u32 ls_lbr_read_history(u64 *word, u32 words, u32 depth)
{
	u32 nr;

	if (unlikely(ls_lbr_history_off()) && ls_lbr_heal())
		return LBR_OFF;
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		nr = ls_lbr_legacy_read_history(word, depth);
	else if (ls_caps.lbr == CAPS_LBR_ARCH)
		nr = ls_lbr_arch_read_history(word, depth);
	else
		nr = ls_lbr_amd_read_history(word, depth);
	if (unlikely(nr == LBR_OFF))
		return nr;
	/* The lower half of FROM, which is hardly ever 0 in an entry that is filled. */
	if (unlikely(!nr || !(u32)word[(nr - 1) * words]))
		nr = ls_lbr_filled(word, nr, words);
	return nr;
}

bool ls_lbr_freezes(const struct ls_lbr_mode *mode);
void ls_lbr_thaw(void);

/*
 * Switches the recording off and on again, so that the code in between leaves no branches
 * behind.  Meanwhile nothing else switches it on: neither the NMI nor
 * ls_lbr_reassert(), which undoes what somebody else has switched off.
 */
void ls_lbr_pause(void);
void ls_lbr_resume(void);
void ls_lbr_reassert(void);

/*
 * Whether the recording was switched off by others: calls and returns are missing then.  Of the
 * architectural records the readings tell it.
 */
bool ls_lbr_stopped(void);

void ls_lbr_clear(void);

/* Empties the entries that contain a kernel address. */
void ls_lbr_hide_kernel(struct ls_lbr_stack *stack, const struct ls_lbr_mode *mode);

#endif
