// SPDX-License-Identifier: GPL-2.0
/* The table of verdicts. */
#include "stacks/verdict.h"

#define E(name)		EVIDENCE(name)
#define WHOLE		(E(ENTRY) | E(MAIN))
#define PROVED		(E(DEPTH) | E(MEMORY))
/* A branch history has the returns as well. */
#define HISTORY		(E(HISTORY_BEGIN) | E(HISTORY_GAP) | E(HISTORY_ELSEWHERE))
#define FROM_MEMORY	"record with --call-graph stack"
#define NO_HISTORY	"record without -b or -j for whole stacks"
#define MORE		"record from the program's start, or with --call-graph stack"

/* A row that needs neither "any" nor "none" leaves them out. */
const struct verdict verdict_table[] = {
	{ E(NO_USER), 0, 0, STACKS_NO_USER, "no user stack", "" },

	/* Other samples show what lies beyond a contradiction, too. */
	{ E(STITCHED), WHOLE, 0, STACKS_UNPROVED,
	  "outer frames come from other samples of the thread", MORE },

	/* Contradictions. main() is the outermost frame all the same: what the LBR has behind it was
	 * left there. */
	{ E(OTHER_DEPTH), 0, 0, STACKS_BROKEN,
	  "the size of these frames differs from the depth of the user stack", MORE },
	{ E(DISAGREE), 0, E(ENTRY), STACKS_DISPUTED,
	  "memory and LBR disagree, and memory ends before the thread's entry",
	  "record with a larger --stack-window" },
	{ E(NO_CALL), 0, E(MAIN), STACKS_BROKEN,
	  "an LBR entry does not come from a call instruction", "" },
	{ E(OTHER_TARGET), 0, E(MAIN), STACKS_BROKEN,
	  "an LBR entry does not go to the target of its call", "" },
	{ E(NO_FUNCTION), 0, E(MAIN), STACKS_BROKEN,
	  "an LBR entry goes into the middle of a function", "" },
	{ E(NEIGHBOURS), 0, E(MAIN), STACKS_BROKEN,
	  "neighbouring LBR entries disagree about the function between them", "" },
	{ E(NO_HANDLER), 0, E(MAIN), STACKS_BROKEN,
	  "an LBR entry enters a signal handler, but another function is running", "" },
	{ E(BACK_BEHIND_NONE), 0, E(MAIN), STACKS_BROKEN,
	  "a return address in the recorded stack does not follow a call", "" },
	{ E(BACK_BEHIND_OTHER), 0, E(MAIN), STACKS_BROKEN,
	  "a return address in the recorded stack follows a call of another function", "" },
	{ E(LEFT), 0, 0, STACKS_PARTIAL,
	  "outer frames may be calls that were left without a return", MORE },

	/* Whole, by a conclusion. */
	{ E(AUDITED), WHOLE, 0, STACKS_UNPROVED,
	  "an audit found wrong stacks of this process", FROM_MEMORY },
	{ E(MISLED), WHOLE, 0, STACKS_UNPROVED, "the LBR disagrees with a frame pointer", "" },
	{ E(POINTER) | E(DISAGREE), WHOLE, 0, STACKS_UNPROVED,
	  "the LBR disagrees with a frame pointer", "" },
	{ E(POINTER), WHOLE, 0, STACKS_UNPROVED,
	  "a frame pointer led to callers: nothing proves them", "" },
	{ E(NO_WAY), WHOLE, 0, STACKS_UNPROVED,
	  "memory reaches the thread's entry, but a call in it goes to another function", "" },
	{ E(HANDLER), WHOLE, PROVED, STACKS_UNPROVED,
	  "runs in a signal handler: nothing proves what it interrupted", "" },
	{ E(GUESS), WHOLE, PROVED, STACKS_UNPROVED,
	  "a function may have been left by an indirect jump", "" },
	{ E(NO_SIZE), WHOLE, PROVED, STACKS_UNPROVED,
	  "the bytes of a frame are not known: nothing proves that all calls are open", FROM_MEMORY },
	{ E(BENEATH), WHOLE, PROVED, STACKS_UNPROVED,
	  "reaches main(), but the depth of the stack below it is not known", MORE },
	{ 0, WHOLE, PROVED | HISTORY, STACKS_UNPROVED,
	  "the depth of the stack was not recorded: nothing proves that all calls are open", FROM_MEMORY },

	/* Whole. After longjmp(), an exception or a signal the LBR is wrong, and memory right. */
	{ E(DISAGREE) | E(ENTRY), 0, 0, STACKS_COMPLETE,
	  "memory reaches the thread's entry; the LBR disagrees", "" },
	{ E(SHORT) | E(FULL) | E(ENTRY), 0, 0, STACKS_COMPLETE,
	  "memory reaches the thread's entry; deeper than the LBR", "" },
	{ E(SHORT) | E(ENTRY), 0, 0, STACKS_COMPLETE,
	  "memory reaches the thread's entry; the LBR lacks outer calls: older than the recording, or lost while the program was deeper", "" },
	{ E(ENTRY), 0, 0, STACKS_COMPLETE, "reaches the thread's entry", "" },
	{ E(MAIN), 0, 0, STACKS_COMPLETE, "reaches main()", "" },

	/* Outer frames are missing. */
	{ E(CROWDED), 0, 0, STACKS_PARTIAL, "the buffer was half full, and had no room for the stack",
	  "a larger one (-m) or a lower rate (-F, -c) helps" },
	{ E(ADDRESS), 0, 0, STACKS_PARTIAL, "only an address was recorded",
	  "record with call stacks (the first waits of a program come before lbrctl has read its code)" },
	{ E(WALK), 0, 0, STACKS_PARTIAL,
	  "callers are those of frame pointers, with no branch records that could prove them", "" },
	{ E(SWITCHED), 0, 0, STACKS_PARTIAL,
	  "outer frames are on another stack: the thread switched stacks", "" },
	{ E(WINDOW), 0, 0, STACKS_TRUNCATED,
	  "the stack continues beyond the recorded window", "record with a larger --stack-window" },
	{ E(LIMIT), 0, 0, STACKS_TRUNCATED,
	  "the stack is deeper than the module unwinds: 500 frames, or what takes 50 us", "" },
	{ E(ABSENT), 0, 0, STACKS_PARTIAL,
	  "the thread used a page of its stack for the first time, which was not in memory yet", "" },
	{ E(FULL), 0, 0, STACKS_TRUNCATED, "deeper than the LBR", FROM_MEMORY },
	{ E(MISLED), 0, 0, STACKS_PARTIAL,
	  "a frame pointer of code without call frame information led to no caller", "" },
	{ E(HISTORY_BEGIN), 0, 0, STACKS_TRUNCATED,
	  "outer frames were entered before the branch history begins", NO_HISTORY },
	{ E(HISTORY_GAP), 0, 0, STACKS_PARTIAL,
	  "outer frames were entered before a gap in the branch history", NO_HISTORY },
	{ E(HISTORY_ELSEWHERE), 0, 0, STACKS_PARTIAL,
	  "the branch history does not end where the sample is", NO_HISTORY },
	{ E(NO_RULES), 0, 0, STACKS_PARTIAL,
	  "code without call frame information, and without a frame pointer", "" },
	{ E(NO_FILE), 0, 0, STACKS_PARTIAL,
	  "a return address in the recorded stack is in no mapped file", "" },
	{ E(NO_OBJECT), 0, 0, STACKS_PARTIAL, "the file of the outermost frame is not here, or is another build",
	  "report where it was recorded, from an archive, or with --symfs" },
	{ 0, 0, 0, STACKS_PARTIAL, "outer frames were not in the LBR", MORE },
};

_Static_assert(sizeof(verdict_table) / sizeof(*verdict_table) == VERDICT_ROWS, "its size");

const struct verdict *verdict_of(uint64_t evidence)
{
	const struct verdict *row = verdict_table;

	/* The last row takes every stack. */
	while ((row->all & ~evidence) || (row->any && !(row->any & evidence)) ||
	       row->none & evidence)
		row++;
	return row;
}

static const char *const names[STACKS_NR_VERDICTS] = {
	[STACKS_COMPLETE] = "complete",
	[STACKS_TRUNCATED] = "truncated",
	[STACKS_PARTIAL] = "partial",
	[STACKS_BROKEN] = "broken",
	[STACKS_DISPUTED] = "disputed",
	[STACKS_UNPROVED] = "unproved",
	[STACKS_NO_USER] = "kernel only",
};

const char *stacks_verdict_name(enum stacks_verdict verdict)
{
	return names[verdict];
}
