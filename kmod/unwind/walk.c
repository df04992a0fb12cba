// SPDX-License-Identifier: GPL-2.0
/*
 * Unwinds the user stack of the current task by tables, frame by frame: three registers, rip,
 * rsp and rbp, are enough for all but a thousandth of the code that compilers write.
 *
 * The rules come from a user who may lie, and the stack from a program that may be hostile:
 *
 * - A read stays within the thread's stack: from the stack pointer up to the one that the
 *   thread began with.  Where that is not known, or is far away (a coroutine's stack), it stays
 *   within 64 KiB.  So a chain shows nothing that a copy of the stack (sample/user.c) would
 *   not show to the same user.
 * - A return from a signal handler may lead to another stack, but only to one that is allowed
 *   by the same rule, WALK_SIGNALS times at most.
 * - Every other frame lies above the one before it, except for one whose return address is in a
 *   register (vfork()): only the innermost frame has these.
 * - A walk ends after LBRSCOPE_USER_CHAIN_MAX frames, and after WALK_NS.
 *
 * Code without rules is left along the frame pointer, where the client says so.
 *
 * The rules of addresses that walks of the CPU met lately are in a cache.
 *
 * The memory of the user is open during the whole walk: to open it for each word (__get_user())
 * would take longer than the rest.  So all of the walk is one function, and calls none
 * (objtool checks this).
 *
 * Memory is read as it is: a page that is not present ends the walk.  It is seldom, since the
 * task has just used its stack.
 *
 * Context: the scheduler's hook, or the NMI with the rules of nmi.c.
 */
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/nospec.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/stddef.h>
#include <linux/uaccess.h>
#include <asm/processor.h>
#include <asm/segment.h>
#include <asm/tsc.h>
#include <asm/ucontext.h>

#include "sample/user.h"
#include "unwind/unwind.h"

#define WALK_SIGNALS	4
#define WALK_FOREIGN	(64UL << 10)	/* bytes of a stack whose beginning is not known */
#define WALK_NS		50000
#define WALK_STEPS	8		/* frames between two looks at the time */

struct ls_walk {
	const struct ls_unwind_ranges *ranges;
	struct ls_unwind_cache *cache;
	const struct pt_regs *user;	/* all registers of the innermost frame; else NULL */
	u64 ip, sp, bp;
	/* No bool: UBSAN checks each load of one, and calls a function if it is neither 0 nor 1. */
	u8 bp_known;
	u8 called;			/* ip is a return address: the call lies before it */
	u64 low, high;			/* memory that may be read */
	u64 base;
	u32 signals;
	bool by_pointer;		/* out of the innermost frame */
	u64 top[LBRSCOPE_USER_CHAIN_TOP];		/* the first words of the stack */
	const struct ls_unwind_range *range;	/* of the frame before, or NULL */
	enum lbrscope_user_chain_end end;	/* why there is no caller */
};

/* pt_regs by DWARF's numbers (x86-64 psABI, figure 3.36). */
static const u8 walk_registers[16] = {
	offsetof(struct pt_regs, ax), offsetof(struct pt_regs, dx), offsetof(struct pt_regs, cx),
	offsetof(struct pt_regs, bx), offsetof(struct pt_regs, si), offsetof(struct pt_regs, di),
	offsetof(struct pt_regs, bp), offsetof(struct pt_regs, sp), offsetof(struct pt_regs, r8),
	offsetof(struct pt_regs, r9), offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
	offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13), offsetof(struct pt_regs, r14),
	offsetof(struct pt_regs, r15),
};

/* Sets the memory that may be read with this stack pointer. */
static __always_inline void ls_walk_bound(struct ls_walk *w)
{
	const u64 depth = w->base - w->sp;

	w->low = w->sp;
	w->high = w->base && depth <= USER_STACK_FAR ? w->base : w->sp + WALK_FOREIGN;
	w->high = max_t(u64, min_t(u64, w->high, TASK_SIZE_MAX), w->low);
}

/* The steps of a walk return whether there is a caller; if not, they have set w->end. */
static __always_inline bool ls_walk_ends(struct ls_walk *w, enum lbrscope_user_chain_end end)
{
	w->end = end;
	return false;
}

static __always_inline bool ls_walk_read(const struct ls_walk *w, u64 at, u64 *value)
{
	const u64 offset = at - w->low, size = w->high - w->low;
	u64 word;

	if (size < sizeof(word) || offset > size - sizeof(word))
		return false;
	/* The CPU must not read elsewhere before it has decided this. */
	at = w->low + (offset & array_index_mask_nospec(offset, size));
	unsafe_get_user(word, (const u64 __user *)at, fault);
	*value = word;
	return true;
fault:
	return false;
}

static __always_inline bool ls_walk_register(const struct ls_walk *w, u32 number, u64 *value)
{
	if (!w->user)
		return false;
	*value = *(const unsigned long *)((const void *)w->user + *(walk_registers + number));
	return true;
}

/* Returns the rule that holds at an address of the file; the one of the first row outside. */
static __always_inline const struct lbrscope_unwind_rule *
ls_walk_rule_of(const struct lbrscope_unwind_head *head, u64 vaddr)
{
	const struct lbrscope_unwind_row *row = ls_unwind_rows(head);
	const struct lbrscope_unwind_rule *rules = ls_unwind_rules(head);
	const u64 bucket = (vaddr - head->base) >> head->shift;
	const u16 low = vaddr;
	const u32 *index;
	u32 nr, half;

	if (vaddr < head->base || bucket >= head->nr_buckets)
		return rules + row->rule;
	index = ls_unwind_index(head) + bucket;
	row += index[0];
	/* The rows behind it begin in this bucket. */
	for (nr = index[1] - index[0]; nr;) {
		half = (nr + 1) / 2;
		if (row[half].low <= low) {
			row += half;
			nr -= half;
		} else {
			nr = half - 1;
		}
	}
	return rules + row->rule;
}

static __always_inline const struct ls_unwind_range *ls_walk_range(const struct ls_unwind_ranges *ranges, u64 ip)
{
	u32 first = 0, end = ranges->nr, middle;

	while (first < end) {
		middle = (first + end) / 2;
		if (ranges->list[middle].end <= ip)
			first = middle + 1;
		else
			end = middle;
	}
	return first < ranges->nr && ranges->list[first].start <= ip ? &ranges->list[first] : NULL;
}

static __always_inline bool ls_walk_holds(const struct ls_unwind_range *range, u64 at)
{
	return at - range->start < range->end - range->start;
}

/* Finds the rule at an address.  *range: where the last one was found. */
static __always_inline bool ls_walk_look_up(const struct ls_unwind_ranges *ranges,
					    const struct ls_unwind_range **range, u64 at,
					    struct lbrscope_unwind_rule *rule)
{
	if (!*range || !ls_walk_holds(*range, at))
		*range = ls_walk_range(ranges, at);
	if (!*range)
		return false;
	if ((*range)->table)
		*rule = *ls_walk_rule_of((*range)->table, at - (*range)->bias);
	else
		*rule = (struct lbrscope_unwind_rule){ .kind = LBRSCOPE_UNWIND_POINTER };
	return true;
}

static __always_inline bool ls_walk_rule(struct ls_walk *w, u64 at,
					 struct lbrscope_unwind_rule *rule)
{
	struct ls_unwind_cached *cached = w->cache->list + hash_64(at, UNWIND_CACHE_BITS);

	if (cached->at != at || cached->serial != w->ranges->serial) {
		if (!ls_walk_look_up(w->ranges, &w->range, at, &cached->rule))
			return false;
		cached->at = at;
		cached->serial = w->ranges->serial;
	}
	*rule = cached->rule;
	return true;
}

/* The registers that the kernel has put on the stack for sigreturn(). */
static __always_inline bool ls_walk_out_of_signal(struct ls_walk *w)
{
	const u64 at = w->sp + offsetof(struct ucontext, uc_mcontext);
	u64 sp;

	if (++w->signals > WALK_SIGNALS)
		return ls_walk_ends(w, LBRSCOPE_CHAIN_NO_RULE);
	if (!ls_walk_read(w, at + offsetof(struct sigcontext_64, ip), &w->ip) ||
	    !ls_walk_read(w, at + offsetof(struct sigcontext_64, bp), &w->bp) ||
	    !ls_walk_read(w, at + offsetof(struct sigcontext_64, sp), &sp))
		return ls_walk_ends(w, LBRSCOPE_CHAIN_MEMORY);
	/* The stack of the handler may be another one. */
	if (sp < w->low || sp >= w->high) {
		if (!w->base || w->base - sp > USER_STACK_FAR)
			return ls_walk_ends(w, LBRSCOPE_CHAIN_MEMORY);
		w->sp = sp;
		ls_walk_bound(w);
	}
	w->sp = sp;
	w->bp_known = true;
	w->called = false;
	return true;
}

/* The stack pointer of the caller. */
static __always_inline bool ls_walk_cfa(struct ls_walk *w, const struct lbrscope_unwind_rule *rule, u64 *cfa)
{
	const s64 at = (s16)rule->offset, behind = rule->offset >> 16;

	switch (rule->kind) {
	case LBRSCOPE_UNWIND_SP:
	case LBRSCOPE_UNWIND_BACK_IN:
		*cfa = w->sp + rule->offset;
		return true;
	case LBRSCOPE_UNWIND_BP:
		*cfa = w->bp + rule->offset;
		return w->bp_known || ls_walk_ends(w, LBRSCOPE_CHAIN_NO_RULE);
	case LBRSCOPE_UNWIND_POINTER:
		*cfa = w->bp + 2 * sizeof(u64);
		return (w->bp_known && !(w->bp & 7)) || ls_walk_ends(w, LBRSCOPE_CHAIN_NO_RULE);
	case LBRSCOPE_UNWIND_PLT:
		*cfa = w->sp + sizeof(u64) * (1 + ((w->ip & 15) >= rule->offset));
		return true;
	case LBRSCOPE_UNWIND_SP_AT:
		if (!ls_walk_read(w, w->sp + at, cfa))
			return ls_walk_ends(w, LBRSCOPE_CHAIN_MEMORY);
		*cfa += behind;
		return true;
	case LBRSCOPE_UNWIND_BP_AT:
		if (!w->bp_known)
			return ls_walk_ends(w, LBRSCOPE_CHAIN_NO_RULE);
		if (!ls_walk_read(w, w->bp + at, cfa))
			return ls_walk_ends(w, LBRSCOPE_CHAIN_MEMORY);
		*cfa += behind;
		return true;
	case LBRSCOPE_UNWIND_REGISTER:
		if (!ls_walk_register(w, rule->rbp >> 4, cfa))
			return ls_walk_ends(w, LBRSCOPE_CHAIN_NO_RULE);
		*cfa += rule->offset;
		return true;
	default:
		return ls_walk_ends(w, LBRSCOPE_CHAIN_NO_RULE);
	}
}

/* rbp of the caller; a walk goes on without it. */
static __always_inline void ls_walk_set_bp(struct ls_walk *w, const struct lbrscope_unwind_rule *rule, u64 cfa)
{
	const s64 at = (s64)rule->rbp_at * (s64)sizeof(u64);

	if (rule->kind == LBRSCOPE_UNWIND_POINTER) {
		w->bp_known = ls_walk_read(w, w->bp, &w->bp);
		return;
	}
	switch (rule->rbp & 0xf) {
	case LBRSCOPE_UNWIND_RBP_SAME:
		return;
	case LBRSCOPE_UNWIND_RBP_AT_CFA:
		w->bp_known = ls_walk_read(w, cfa + at, &w->bp);
		return;
	case LBRSCOPE_UNWIND_RBP_AT_RBP:
		w->bp_known = w->bp_known && ls_walk_read(w, w->bp + at, &w->bp);
		return;
	default:
		w->bp_known = false;
	}
}

static __always_inline bool ls_walk_out(struct ls_walk *w, const struct lbrscope_unwind_rule *rule)
{
	u64 cfa, back;

	if (rule->kind == LBRSCOPE_UNWIND_SIGNAL)
		return ls_walk_out_of_signal(w);
	if (!ls_walk_cfa(w, rule, &cfa))
		return false;
	/* A call leaves its frame below the caller's; its return address alone may be elsewhere. */
	if (cfa < w->sp || (cfa == w->sp && rule->kind != LBRSCOPE_UNWIND_BACK_IN))
		return ls_walk_ends(w, LBRSCOPE_CHAIN_NO_RULE);
	if (cfa > w->high)
		return ls_walk_ends(w, LBRSCOPE_CHAIN_MEMORY);
	if (rule->kind == LBRSCOPE_UNWIND_BACK_IN) {
		if (!ls_walk_register(w, rule->rbp >> 4, &back))
			return ls_walk_ends(w, LBRSCOPE_CHAIN_NO_RULE);
	} else if (!ls_walk_read(w, cfa - sizeof(back), &back)) {
		return ls_walk_ends(w, LBRSCOPE_CHAIN_MEMORY);
	}
	ls_walk_set_bp(w, rule, cfa);
	w->ip = back;
	w->sp = cfa;
	w->called = true;
	return true;
}

/* Whether other rules than those of a frame pointer hold behind a call at this address. */
static __always_inline bool ls_walk_is_other(const struct ls_walk *w, u64 back)
{
	const struct ls_unwind_range *range = NULL;
	struct lbrscope_unwind_rule rule;

	return ls_walk_look_up(w->ranges, &range, back - 1, &rule) &&
	       rule.kind != LBRSCOPE_UNWIND_POINTER &&
	       (rule.kind != LBRSCOPE_UNWIND_BP || rule.offset != 2 * sizeof(u64));
}

/*
 * The innermost function has no rules, and may not have set up its frame.  Returns whether the
 * walk may go on by rbp all the same.  If the function was interrupted by a signal, nobody
 * decides whether it has.
 */
static __always_inline bool ls_walk_begins_by_pointer(struct ls_walk *w)
{
	u64 *word = w->top;

	if (!w->user)
		return false;
	for (; word < w->top + LBRSCOPE_USER_CHAIN_TOP; word++)
		if (!ls_walk_read(w, w->sp + (word - w->top) * sizeof(u64), word) ||
		    ls_walk_is_other(w, *word))
			return false;
	w->by_pointer = true;
	return true;
}

/* Goes to the caller. */
static __always_inline bool ls_walk_step(struct ls_walk *w)
{
	struct lbrscope_unwind_rule rule;

	if (!ls_walk_rule(w, w->ip - w->called, &rule))
		return ls_walk_ends(w, LBRSCOPE_CHAIN_NO_TABLE);
	if (rule.kind == LBRSCOPE_UNWIND_END)
		return ls_walk_ends(w, LBRSCOPE_CHAIN_ENTRY);
	if (rule.kind == LBRSCOPE_UNWIND_POINTER && !w->called && !ls_walk_begins_by_pointer(w))
		return ls_walk_ends(w, LBRSCOPE_CHAIN_NO_RULE);
	if (!ls_walk_out(w, &rule))
		return false;
	w->user = NULL;
	return w->ip < TASK_SIZE_MAX || ls_walk_ends(w, LBRSCOPE_CHAIN_NO_RULE);
}

/* Writes the callers to words.  Returns: how many there are; w->end says why they end. */
static u32 ls_walk_frames(struct ls_walk *w, u64 *words)
{
	const u64 until = rdtsc() + (u64)tsc_khz * WALK_NS / 1000000;
	u64 *word = words;

	/* Each read has a check of its own. */
	if (!user_access_begin(NULL, TASK_SIZE_MAX)) {
		w->end = LBRSCOPE_CHAIN_MEMORY;
		return 0;
	}
	while (ls_walk_step(w)) {
		*word++ = w->ip;
		if (word == words + LBRSCOPE_USER_CHAIN_MAX) {
			w->end = LBRSCOPE_CHAIN_FULL;
			break;
		}
		if ((word - words) % WALK_STEPS == 0 && (s64)(rdtsc() - until) > 0) {
			w->end = LBRSCOPE_CHAIN_TIME;
			break;
		}
	}
	user_access_end();
	return word - words;
}
NOKPROBE_SYMBOL(ls_walk_frames);

void ls_unwind_walk(const struct ls_unwind_ranges *ranges, const struct pt_regs *user,
		    unsigned long base, struct ls_unwind_chain *chain,
		    struct ls_unwind_cache *cache)
{
	struct ls_walk w = {
		.ranges = ranges, .cache = cache, .user = user, .base = base,
		.ip = user->ip, .sp = user->sp, .bp = user->bp, .bp_known = true,
	};

	chain->head = (struct lbrscope_user_chain){
		.end = LBRSCOPE_CHAIN_NO_RULE, .generation = ranges->generation,
	};
	/* Code of 32 bits has other rules. */
	if (user->cs != __USER_CS)
		return;
	ls_walk_bound(&w);
	pagefault_disable();
	chain->head.nr = ls_walk_frames(&w, chain->words);
	chain->head.end = w.end;
	pagefault_enable();
	if (w.by_pointer && chain->head.nr) {
		chain->head.top = LBRSCOPE_USER_CHAIN_TOP;
		memcpy(chain->words + chain->head.nr, w.top, sizeof(w.top));
	}
}
NOKPROBE_SYMBOL(ls_unwind_walk);
