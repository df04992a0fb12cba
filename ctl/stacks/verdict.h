/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verdict on a stack: one table, from what was found out while the stack was built.
 *
 * Those who build a stack collect evidence and never decide. The first row of the table whose
 * evidence is all there decides; so the order of the rows is the order of precedence. The verdicts
 * in README, lbrctl-accuracy(7), lbrctl-report(8) and in JSON are those of enum stacks_verdict, by
 * a test.
 */
#ifndef LBRCTL_STACKS_VERDICT_H
#define LBRCTL_STACKS_VERDICT_H

#include <stddef.h>
#include <stdint.h>

enum stacks_verdict {
	STACKS_COMPLETE,	/* reaches the thread's entry without a contradiction */
	STACKS_TRUNCATED,	/* the LBR is full: outer frames fell out of it */
	STACKS_PARTIAL,		/* outer frames are missing although it is not full: they were
				 * entered before it was armed, or lost */
	STACKS_BROKEN,		/* entries contradict each other or the code */
	STACKS_DISPUTED,	/* the recorded user stack contradicts the LBR, and ends */
	STACKS_UNPROVED,	/* reaches the thread's entry by an unproved conclusion */
	STACKS_NO_USER,		/* a kernel thread: there is no user stack */
	STACKS_NR_VERDICTS
};

/* Evidence about a stack. A bit that is not set says nothing. */
enum evidence {
	/* The sample. */
	EVIDENCE_NO_USER,		/* has no user part */
	EVIDENCE_ADDRESS,		/* has an address and no callers, */
	EVIDENCE_WALK,			/* or only the kernel's walk along frame pointers */
	EVIDENCE_AUDITED,		/* is of a process of which an audit found a wrong stack */

	/* Contradictions. The frames end before the first one. */
	EVIDENCE_NO_CALL,		/* an LBR entry comes from no call instruction, */
	EVIDENCE_OTHER_TARGET,		/* does not go to the target of its call, */
	EVIDENCE_NO_FUNCTION,		/* goes to where no function begins, */
	EVIDENCE_NEIGHBOURS,		/* cannot lead to the frame inside of it, */
	EVIDENCE_NO_HANDLER,		/* or is a signal's, whose handler does not run */
	EVIDENCE_BACK_BEHIND_NONE,	/* a return address in memory follows no call, */
	EVIDENCE_BACK_BEHIND_OTHER,	/* or the call of another function */
	EVIDENCE_DISAGREE,		/* memory and LBR have different calls; with
					 * EVIDENCE_ENTRY the frames are memory's */
	EVIDENCE_OTHER_DEPTH,		/* the frames' bytes are not those of the stack */

	/* The outermost frame. */
	EVIDENCE_ENTRY,			/* is where the thread began */
	EVIDENCE_MAIN,			/* is main(), or one of the two callers that it always has */
	EVIDENCE_SWITCHED,		/* was called by a function that switched stacks */
	EVIDENCE_WINDOW,		/* is the last one in the recorded part of the stack */
	EVIDENCE_LIMIT,			/* is the last one that the module unwinds */
	EVIDENCE_CROWDED,		/* is the last one without the stack, for which there was no room */
	EVIDENCE_ABSENT,		/* is the sampled one: nothing of the stack was in memory */
	EVIDENCE_SHORT,			/* is shown by memory, and the LBR has no entry for it */
	EVIDENCE_FULL,			/* is the last one for which the LBR had room */
	EVIDENCE_NO_RULES,		/* has a caller that no call frame information leads to */
	EVIDENCE_NO_FILE,		/* returns to an address in no mapped file */
	EVIDENCE_HISTORY_BEGIN,		/* was entered before the branch history begins, */
	EVIDENCE_HISTORY_GAP,		/* or before a gap in it, */
	EVIDENCE_HISTORY_ELSEWHERE,	/* or the history does not end at the sample */
	EVIDENCE_NO_OBJECT,		/* is in a file that is not here */
	EVIDENCE_LEFT,			/* may have been called by what was left without a return */

	/* What frames rest on. */
	EVIDENCE_POINTER,		/* frame pointers */
	EVIDENCE_MISLED,		/* a frame pointer led to what is no caller */
	EVIDENCE_HANDLER,		/* the delivery of a signal */
	EVIDENCE_GUESS,			/* a jump whose target the code does not show */
	EVIDENCE_NO_WAY,		/* memory alone, which reaches the entry: the code shows no way
					 * from a call to the frame inside of it */
	EVIDENCE_STITCHED,		/* other samples, without which this was not complete */
	EVIDENCE_BENEATH,		/* main() is the outermost frame; the bytes beneath it are
					 * not known */
	EVIDENCE_NO_SIZE,		/* the code of a frame does not tell its bytes */
	EVIDENCE_DEPTH,			/* the frames' bytes are those of the stack */
	EVIDENCE_MEMORY,		/* memory shows all frames */
	EVIDENCE_NR
};

_Static_assert(EVIDENCE_NR <= 64, "one bit of a word for each");

#define EVIDENCE(name)	(UINT64_C(1) << EVIDENCE_##name)

/* A row of the table. */
struct verdict {
	uint64_t all, any, none;	/* all of these, at least one of these (0: or none), none
					 * of these: bits, EVIDENCE() */
	enum stacks_verdict verdict;
	const char *reason;		/* what the row has seen, for a person */
	const char *remedy;		/* what helps; "" if nothing does */
};

#define VERDICT_ROWS	43

extern const struct verdict verdict_table[VERDICT_ROWS];

/* Returns the row that decides. */
const struct verdict *verdict_of(uint64_t evidence);

/* Returns the name of a verdict: "complete", "truncated" … */
const char *stacks_verdict_name(enum stacks_verdict verdict);

#endif
