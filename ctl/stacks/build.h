/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From what one sample recorded to the stack it proves, with a verdict. Pure: code
 * is asked about through struct stacks_code, nothing else is looked at.
 *
 * In call-stack mode the LBR holds the calls that have not returned, newest first
 * (SDM vol. 3B, "LBR Stack", call-stack mode): `from` of an entry is the call
 * instruction in the caller, `to` the callee's first instruction. So a true stack
 * has the sampled IP in the function that entry 0 went to, entry 0's `from` in the
 * function that entry 1 went to, and so on out to code that nobody called.
 *
 * A recorded piece of the user stack tells the same callers once more, by the return
 * addresses in it, and those further out that the LBR does not hold. Each entry of
 * the LBR must be the call that the next return address comes back from.
 */
#ifndef LBRCTL_STACKS_BUILD_H
#define LBRCTL_STACKS_BUILD_H

#include <stdbool.h>
#include <stddef.h>

#include "stacks/maps.h"

enum stacks_verdict {
	STACKS_COMPLETE,	/* reaches the thread's entry, nothing disagrees */
	STACKS_TRUNCATED,	/* the LBR is full: outer frames fell out of it */
	STACKS_PARTIAL,		/* outer frames are missing though it is not full:
				 * entered before it was armed, or lost */
	STACKS_BROKEN,		/* entries that contradict each other or the code */
	STACKS_DISPUTED,	/* the recorded user stack reaches the thread's entry,
				 * the LBR says something else: frames are the stack's */
	STACKS_UNPROVED,	/* reaches the thread's entry, by a conclusion that
				 * nothing proves */
	STACKS_NO_USER,		/* a kernel thread: there is no user stack */
	STACKS_NR_VERDICTS
};

enum stacks_kind {
	STACKS_KERNEL,		/* place is the next kernel instruction */
	STACKS_KERNEL_RETURN,	/* place is behind a call in the kernel */
	STACKS_LEAF,		/* place is the next user instruction */
	STACKS_LEAF_INFERRED,	/* place is only known to be in the leaf function */
	STACKS_CALL,		/* place is the call instruction */
	STACKS_RETURN,		/* place is behind the call instruction */
	STACKS_TAIL_CALL,	/* inferred: the function at place was called, and
				 * left for the frame inside it by a jump */
	STACKS_UNWOUND,		/* inferred: place is the call instruction, by the
				 * return address in the recorded stack */
	STACKS_SIGNAL,		/* inferred: where a signal handler returns to */
	STACKS_INTERRUPTED,	/* inferred: place is the next instruction of what
				 * the signal handler interrupted */
	STACKS_STITCHED,	/* inferred: place is the call instruction, by what
				 * the thread showed at other times */
	STACKS_STITCHED_SOMEWHERE,	/* the same, but place is only the begin of the
				 * function, which calls from several */
};

/* Why the unwinding of the recorded user stack went no further. */
enum stacks_end {
	STACKS_END_NONE,	/* nothing was recorded */
	STACKS_END_ENTRY,	/* nobody called what is there */
	STACKS_END_WINDOW,	/* the stack goes on outside of what was recorded */
	STACKS_END_RULES,	/* no call frame information, or none to go by */
	STACKS_END_NOWHERE,	/* the next address is in no mapped file */
};

struct stacks_frame {
	struct place place;
	enum stacks_kind kind;
};

/* `to` is MAPS_NOTHING and 0 where only the callers were recorded, and the code does not
 * tell it. */
struct stacks_branch {
	struct place from, to;
};

/* Where there was a branch history instead of the LBR's call stack (replay.h). */
enum stacks_history {
	STACKS_HISTORY_NONE,	/* it was call-stack mode */
	STACKS_HISTORY_WHOLE,	/* known from its oldest branch on */
	STACKS_HISTORY_GAP,	/* known from somewhere within on */
	STACKS_HISTORY_ELSEWHERE,	/* it does not end where the sample is */
};

/* What was recorded. Arrays belong to the caller. */
struct stacks_sample {
	const struct place *kernel;	/* kernel frames, innermost first */
	size_t nr_kernel;
	bool has_user;			/* there is a user part */
	bool leaf_known;
	struct place leaf;		/* user instruction pointer */
	bool leaf_inferred;		/* only known to be in that function */
	bool stack_known;
	int64_t stack;			/* bytes in use of the thread's user stack; another
					 * number than they can be: on another stack */
	bool has_lbr;			/* of call-stack mode, or as if it were */
	enum stacks_history history;
	const struct stacks_branch *lbr;	/* newest first */
	size_t nr_lbr;
	size_t depth;			/* entries the LBR has */
	/* Of a branch history: calls that were made, open or not. */
	const struct stacks_branch *made;
	size_t nr_made;
	const struct place *chain;	/* without LBR: return addresses, innermost
					 * first, as the kernel walked them */
	size_t nr_chain;
	/* By the recorded user registers and stack: the instruction pointer, then
	 * return addresses, innermost first. Behind one that stacks_code.signal()
	 * knows comes the instruction that was interrupted. */
	const struct place *unwound;
	size_t nr_unwound;
	enum stacks_end unwound_end;
};

enum stacks_answer { STACKS_NO, STACKS_YES, STACKS_UNKNOWN };

enum stacks_call {
	STACKS_CALL_NONE,	/* another instruction */
	STACKS_CALL_DIRECT,
	STACKS_CALL_INDIRECT,
	STACKS_CALL_UNKNOWN,	/* the code cannot be read */
};

enum stacks_lead {
	STACKS_LEAD_NONE,	/* no way by jumps */
	STACKS_LEAD_SAME,	/* another part of the same function */
	STACKS_LEAD_STUB,	/* entered is a PLT stub, a way station */
	STACKS_LEAD_JUMP,	/* by direct jumps */
	STACKS_LEAD_GUESS,	/* by an indirect jump, if that one goes there */
	STACKS_LEAD_UNKNOWN,
};

enum stacks_step {
	STACKS_STEP_CALL,
	STACKS_STEP_RETURN,
	STACKS_STEP_JUMP,	/* the frame stays: in the function, or a tail call;
				 * also a call to the next instruction */
	STACKS_STEP_ELSEWHERE,	/* a jump that the function's code does not make */
	STACKS_STEP_UNKNOWN,
};

struct stacks_code {
	void *ctx;
	/* The instruction at place; *target of a direct call. */
	enum stacks_call (*call)(void *ctx, struct place place,
				 struct place *target);
	/* The call that comes back to `back`: *from, and *target of a direct one. */
	enum stacks_call (*call_before)(void *ctx, struct place back,
					struct place *from, struct place *target);
	/* Is the instruction at place where signal handlers return to? */
	bool (*signal)(void *ctx, struct place place);
	/* Does a function, or a PLT stub, begin at place? */
	enum stacks_answer (*entry)(void *ctx, struct place place);
	/* Can code that was entered at `entered` have got to `at` without a call? */
	enum stacks_lead (*lead)(void *ctx, struct place entered,
				 struct place at);
	/* What a branch from the instruction at `from` to `to` does to the stack. */
	enum stacks_step (*step)(void *ctx, struct place from, struct place to);
	/* Does code get from `from` to `to` without a taken branch? */
	enum stacks_answer (*straight)(void *ctx, struct place from,
				       struct place to);
	/* Was the code at place entered without a call? */
	bool (*outermost)(void *ctx, struct place place);
	/* Is it in main(): what the program's begin has called, and nobody else? */
	bool (*in_main)(void *ctx, struct place place);
	/* How many bytes of the stack are in use by the frame that is at the instruction at
	 * place, up to its caller's stack pointer before the call; of the outermost one, up
	 * to where the thread's stack began. False: the code does not tell. */
	bool (*frame)(void *ctx, struct place place, int64_t *bytes);
	/* How many bytes the stack of a process has beneath the frame of main(), which is at
	 * place: those of the C library. It is the same each time; false: not known yet.
	 * The other one tells it. */
	bool (*beneath_main)(void *ctx, struct place place, int64_t *bytes);
	void (*tell_beneath_main)(void *ctx, struct place place, int64_t bytes);
	/* Does the function that begins at place go on by a jump, on another stack? */
	bool (*switches)(void *ctx, struct place place);
};

struct stacks_stack {
	enum stacks_verdict verdict;
	const char *reason;		/* constant, of the verdict */
	struct stacks_frame *frames;	/* innermost first; stacks_free() */
	size_t nr_frames, max_frames;
	bool open;			/* nothing tells of the outermost one's caller */
	size_t proven;			/* frames that the recorded stack tells as well */
	bool proved;			/* the frames take as many bytes as the user stack */
	size_t guessed;			/* ways between frames that are STACKS_LEAD_GUESS */
	size_t inferred;		/* frames of kind STACKS_TAIL_CALL */
	size_t unwound;			/* frames that only the recorded stack tells */
	size_t stitched;		/* frames of kind STACKS_STITCHED */
	size_t unverified;		/* entries that could not be checked */
};

/* Fills *stack, whose frames are reused from call to call (start with zeroes). A
 * broken stack ends at the last frame that nothing contradicts. 0, or -1 when
 * memory is short. */
int stacks_build(const struct stacks_sample *sample,
		 const struct stacks_code *code, struct stacks_stack *stack);

/* A call that is thought to be open still. */
struct stacks_caller {
	struct stacks_branch call;
	bool somewhere;			/* or one like it, in the same function, */
	struct place function;		/* which begins here */
};

/* Goes on from an open stack by these, innermost first, if the code is such that they
 * can follow it (stitch.h). 0, or -1 when memory is short. */
int stacks_stitch(struct stacks_stack *stack, const struct stacks_code *code,
		  const struct stacks_caller *callers, size_t nr);

/* Drops all but the innermost nr frames, of which alone it is known that they are true. */
void stacks_cut(struct stacks_stack *stack, size_t nr);
void stacks_free(struct stacks_stack *stack);

/* Whether only the recorded user stack tells of such a frame. */
static inline bool stacks_is_unwound(enum stacks_kind kind)
{
	return kind == STACKS_UNWOUND || kind == STACKS_SIGNAL ||
	       kind == STACKS_INTERRUPTED;
}

/* Whether it was taken from other samples of the thread. */
static inline bool stacks_is_stitched(enum stacks_kind kind)
{
	return kind == STACKS_STITCHED || kind == STACKS_STITCHED_SOMEWHERE;
}

/* "complete", "truncated" … */
const char *stacks_verdict_name(enum stacks_verdict verdict);

#endif
