/* SPDX-License-Identifier: GPL-2.0 */
/* The interrupt of a clock event. */
#ifndef LBRSCOPE_TICK_H
#define LBRSCOPE_TICK_H

struct ls_cpu_ctx;

/*
 * Sets up the timers of the session's clocks on this CPU.  They do not run yet.
 * Context: the session begins on this CPU, interrupts off.
 */
void ls_tick_begin(struct ls_cpu_ctx *cpu);

#endif
