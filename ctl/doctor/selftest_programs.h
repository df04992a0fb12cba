/* SPDX-License-Identifier: GPL-2.0 */
/* Programs whose execution is known to the instruction. Addresses in them mean the same in a
 * forked child. */
#ifndef LBRCTL_DOCTOR_SELFTEST_PROGRAMS_H
#define LBRCTL_DOCTOR_SELFTEST_PROGRAMS_H

#include <stdint.h>

/* A round: one jump back, taken except in the last round; 2 instructions, 1 branch. */
void selftest_loop(uint64_t rounds);
extern const char selftest_loop_jump[];		/* address of the jump */

/* A round: 2 calls, one of them indirect, 2 returns and the jump; 6 instructions, 5
 * branches. */
void selftest_calls(uint64_t rounds);

/* A chain of this many calls; the last one calls the leaf, which is like selftest_loop().
 * Entering link N is DEPTH - N calls from the leaf. */
#define SELFTEST_LINKS	40
#define SELFTEST_LINK	16			/* bytes */
extern const char selftest_links[];

/* A chain like selftest_links; in each round its leaf executes this many instructions, the last
 * of which gives the CPU away (sched_yield). */
#define SELFTEST_TURN	2005
extern const char selftest_turns[], selftest_turns_end[];

#endif
