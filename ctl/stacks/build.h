/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Builds the call stack that one sample proves, and collects the evidence for its verdict
 * (verdict.h). Pure: it learns about code only through struct stacks_code.
 *
 * In call-stack mode the LBR holds the calls that have not returned, newest first (SDM vol. 3B,
 * "LBR Stack", call-stack mode): `from` of an entry is the call instruction in the caller, `to`
 * the callee's first instruction. In a valid stack the sampled IP is in the function that entry
 * 0 went to, entry 0's `from` is in the function that entry 1 went to, and so on, out to code
 * that was not called.
 *
 * A recorded stack window shows the same callers by its return addresses, and outer ones that
 * the LBR does not hold. Each entry of the LBR must be the call that belongs to the next return
 * address.
 */
#ifndef LBRCTL_STACKS_BUILD_H
#define LBRCTL_STACKS_BUILD_H

#include <stdbool.h>
#include <stddef.h>

#include "stacks/maps.h"
#include "stacks/verdict.h"

enum stacks_kind {
	STACKS_KERNEL,		/* place is the next kernel instruction */
	STACKS_KERNEL_RETURN,	/* place follows a call in the kernel */
	STACKS_LEAF,		/* place is the next user instruction */
	STACKS_LEAF_INFERRED,	/* place is only known to be in the leaf function */
	STACKS_CALL,		/* place is the call instruction */
	STACKS_RETURN,		/* place follows the call instruction */
	STACKS_TAIL_CALL,	/* inferred: the function at place was called, and jumped to the
				 * function of the frame inside it
				 */
	STACKS_UNWOUND,		/* inferred: place is the call instruction of a return address
				 * in the recorded stack
				 */
	STACKS_SIGNAL,		/* inferred: place is where a signal handler returns to */
	STACKS_INTERRUPTED,	/* inferred: place is the next instruction of the interrupted
				 * code
				 */
	STACKS_STITCHED,	/* inferred: place is the call instruction that other samples of
				 * the thread show
				 */
	STACKS_STITCHED_SOMEWHERE,	/* the same, but place is the beginning of the function,
				 * which calls from several places
				 */
};

/* Why unwinding of the recorded user stack ended. */
enum stacks_end {
	STACKS_END_NONE,	/* no stack was recorded */
	STACKS_END_ENTRY,	/* reached code that was not called */
	STACKS_END_WINDOW,	/* the stack continues beyond the recorded window */
	STACKS_END_RULES,	/* no usable call frame information */
	STACKS_END_NOWHERE,	/* the next address is in no mapped file */
	STACKS_END_LIMIT,	/* the module unwinds no more frames, or no longer (kmod/unwind/walk.c) */
	STACKS_END_ABSENT,	/* the page at the stack pointer was not in memory */
};

struct stacks_frame {
	struct place place;
	struct place entered;		/* the first instruction that the call of this function went
					 * to; MAPS_NOTHING: not known */
	enum stacks_kind kind;
	bool pointed;			/* a frame pointer led here, and nothing proves it: the
					 * code of a frame further in has no unwinding information
					 */
	bool followed;			/* a frame pointer led here, whether or not the LBR shows
					 * the call as well: it is in memory
					 */
};

/* `to` is MAPS_NOTHING and 0 if only the callers were recorded and the code does not show the
 * target. */
struct stacks_branch {
	struct place from, to;
};

/* The source of the calls of a branch history, instead of the LBR's call stack (replay.h). */
enum stacks_history {
	STACKS_HISTORY_NONE,	/* none: the LBR was in call-stack mode */
	STACKS_HISTORY_WHOLE,	/* complete from its oldest branch on */
	STACKS_HISTORY_GAP,	/* complete only from some later branch on */
	STACKS_HISTORY_ELSEWHERE,	/* does not end at the sampled address */
};

/* The recorded data. Arrays belong to the caller. */
struct stacks_sample {
	const struct place *kernel;	/* kernel frames, innermost first */
	size_t nr_kernel;
	bool has_user;			/* the sample has a user part */
	bool leaf_known;
	struct place leaf;		/* user instruction pointer */
	bool leaf_inferred;		/* only the function is known */
	bool stack_known;
	int64_t stack;			/* depth of the thread's user stack in bytes; an
					 * impossible number if the thread is on another stack;
					 * up to STACKS_NO_DEPTH if the beginning of the stack
					 * is not known
					 */
	bool has_lbr;			/* call-stack mode, or equivalent */
	bool doubted;			/* an audit found wrong LBR stacks of this process */
	enum stacks_history history;
	const struct stacks_branch *lbr;	/* newest first */
	size_t nr_lbr;
	size_t depth;			/* number of LBR entries of the CPU */
	/* For a branch history: all calls, open or returned. */
	const struct stacks_branch *made;
	size_t nr_made;
	const struct place *chain;	/* without LBR: return addresses as the kernel walked
					 * them, innermost first
					 */
	size_t nr_chain;
	/* From the recorded user registers and stack: the instruction pointer, then return
	 * addresses, innermost first. An address that stacks_code.signal() recognizes is
	 * followed by the interrupted instruction. */
	const struct place *unwound;
	size_t nr_unwound;
	enum stacks_end unwound_end;
	bool crowded;			/* without a stack, since the recorder's buffer had no room for it */
	size_t pointed;			/* index in unwound of the first address to which only a
					 * frame pointer led, and on which those behind it rest;
					 * 0: none
					 */
};

/* Where the beginning is not known, the recorded number is the negative stack pointer
 * (LBRSCOPE_FORMAT_USER_DEPTH): those of programs and threads are far above 2^44. */
#define STACKS_NO_DEPTH		(-(1LL << 44))

enum stacks_answer { STACKS_NO, STACKS_YES, STACKS_UNKNOWN };

enum stacks_call {
	STACKS_CALL_NONE,	/* another instruction */
	STACKS_CALL_DIRECT,
	STACKS_CALL_INDIRECT,
	STACKS_CALL_UNKNOWN,	/* the code cannot be read */
};

enum stacks_lead {
	STACKS_LEAD_NONE,	/* jumps do not lead there */
	STACKS_LEAD_SAME,	/* another part of the same function */
	STACKS_LEAD_STUB,	/* the entry is a PLT stub */
	STACKS_LEAD_JUMP,	/* by direct jumps */
	STACKS_LEAD_GUESS,	/* through an indirect jump, if its target is right */
	STACKS_LEAD_UNKNOWN,
};

enum stacks_step {
	STACKS_STEP_CALL,
	STACKS_STEP_RETURN,
	STACKS_STEP_JUMP,	/* the frame stays: a jump in the function, a tail call, or a
				 * call to the next instruction
				 */
	STACKS_STEP_ELSEWHERE,	/* a jump that the function's code does not contain */
	STACKS_STEP_UNKNOWN,
};

#define STACKS_NO_LINK	UINT32_MAX

struct stacks_code {
	void *ctx;
	/* Decodes the instruction at place; sets *target for a direct call. */
	enum stacks_call (*call)(void *ctx, struct place place,
				 struct place *target);
	/* Finds the call that returns to `back`: sets *from, and *target for a direct call. */
	enum stacks_call (*call_before)(void *ctx, struct place back,
					struct place *from, struct place *target);
	/* Whether signal handlers return to the instruction at place. */
	bool (*signal)(void *ctx, struct place place);
	/* Whether a function, or a PLT stub, begins at place. */
	enum stacks_answer (*entry)(void *ctx, struct place place);
	/* Whether code entered at `entered` can be at `at` without a further call. */
	enum stacks_lead (*lead)(void *ctx, struct place entered,
				 struct place at);
	/* The effect of a branch from the instruction at `from` to `to` on the stack. */
	enum stacks_step (*step)(void *ctx, struct place from, struct place to);
	/* Whether code reaches `to` from `from` without a taken branch. */
	enum stacks_answer (*straight)(void *ctx, struct place from,
				       struct place to);
	/* Whether the code at place was entered without a call. */
	bool (*outermost)(void *ctx, struct place place);
	/* Whether the code at place is in a file that is not here. */
	bool (*absent)(void *ctx, struct place place);
	/* Whether place is in main(), as called by the program's startup code only. */
	bool (*in_main)(void *ctx, struct place place);
	/* Sets *start to the first instruction of the function at place, if tables tell it. */
	void (*start)(void *ctx, struct place place, struct place *start);
	/* The bytes of the stack that the frame takes at the instruction at place, up to its
	 * caller's stack pointer before the call; for the outermost frame, up to the beginning
	 * of the thread's stack. entered: the first instruction of the function, or MAPS_NOTHING.
	 * Returns false if the code does not show it. */
	bool (*frame)(void *ctx, struct place place, struct place entered, int64_t *bytes);
	/* The bytes of a process's stack below the frame of main(), which is at place; the C
	 * library uses them, always the same number. Returns false if not known yet. The
	 * second function sets it. */
	bool (*beneath_main)(void *ctx, struct place place, int64_t *bytes);
	void (*tell_beneath_main)(void *ctx, struct place place, int64_t bytes);
	/* Returns a number, from 0, of the call and the frame inside of it if the two are plain:
	 * `call` is a call instruction, it goes to its target, at which a function begins, and
	 * `inner` is in that function. STACKS_NO_LINK if not, or if the code does not show it.
	 * The numbers are stable: most calls of a sample are plain and were seen before, and the
	 * number stands for all that was found out about them. */
	uint32_t (*link)(void *ctx, const struct stacks_branch *call, struct place inner);
	/* Whether the function that begins at place continues by a jump on another stack. */
	bool (*switches)(void *ctx, struct place place);
	/* Whether the function that begins at place sets up a frame pointer. */
	bool (*points)(void *ctx, struct place place);
};

struct stacks_stack {
	uint64_t evidence;		/* bits, EVIDENCE() */
	const struct verdict *why;	/* the row of the table that it makes decide */
	enum stacks_verdict verdict;	/* that of the row */
	struct stacks_frame *frames;	/* innermost first; freed by stacks_free() */
	size_t nr_frames, max_frames;
	bool open;			/* the caller of the outermost frame is not known */
	size_t proven;			/* frames that the recorded stack also shows */
	size_t doubtful;		/* frames inside of the innermost doubtful connection: its
					 * code can be read, but neither code nor memory confirms
					 * it; 0: no connection is doubtful
					 */
	size_t guessed;			/* connections between frames that are STACKS_LEAD_GUESS */
	size_t inferred;		/* frames of kind STACKS_TAIL_CALL */
	size_t unwound;			/* frames that only the recorded stack shows */
	size_t pointed;			/* frames that are marked so */
	size_t stitched;		/* frames of kind STACKS_STITCHED */
	size_t unverified;		/* entries that could not be checked */
};

/* Fills *stack; the next call reuses its frames (initialize with 0). A broken stack ends at
 * the last frame without a contradiction. Returns 0, or -1 when memory is short. */
int stacks_build(const struct stacks_sample *sample,
		 const struct stacks_code *code, struct stacks_stack *stack);

/* A call that is presumed to be open. */
struct stacks_caller {
	struct stacks_branch call;
	bool somewhere;			/* or another call in the same function, */
	struct place function;		/* which begins here */
};

/* Extends an open stack by these callers, innermost first, if the code permits them (stitch.h).
 * Returns 0, or -1 when memory is short. */
int stacks_stitch(struct stacks_stack *stack, const struct stacks_code *code,
		  const struct stacks_caller *callers, size_t nr);

/* To be called when nothing is added any more, before the frames are shown: of a stack that lacks its
 * outer callers, drops the levels of a recursion that may have been left. */
void stacks_settle(const struct stacks_sample *sample, const struct stacks_code *code,
		   struct stacks_stack *stack);

/* Drops all but the innermost nr frames, which alone are certain. */
void stacks_cut(struct stacks_stack *stack, size_t nr);
void stacks_free(struct stacks_stack *stack);

/* Whether the frames take as many bytes as the user stack, and nothing casts doubt on that. */
static inline bool stacks_is_proved(const struct stacks_stack *stack)
{
	return (stack->evidence & (EVIDENCE(DEPTH) | EVIDENCE(AUDITED))) == EVIDENCE(DEPTH);
}

/* Whether the outermost frame is where the thread began, or main(): no caller is missing. Frames
 * that may have been left, and those whose sizes contradict the depth, were dropped. */
static inline bool stacks_is_whole(const struct stacks_stack *stack)
{
	return stack->evidence & (EVIDENCE(ENTRY) | EVIDENCE(MAIN) | EVIDENCE(NO_USER)) &&
	       !(stack->evidence & (EVIDENCE(LEFT) | EVIDENCE(OTHER_DEPTH)));
}

/* Whether only the recorded user stack shows a frame of this kind. */
static inline bool stacks_is_unwound(enum stacks_kind kind)
{
	return kind == STACKS_UNWOUND || kind == STACKS_SIGNAL ||
	       kind == STACKS_INTERRUPTED;
}

/* Whether a frame of this kind comes from other samples of the thread. */
static inline bool stacks_is_stitched(enum stacks_kind kind)
{
	return kind == STACKS_STITCHED || kind == STACKS_STITCHED_SOMEWHERE;
}

#endif
