/* SPDX-License-Identifier: GPL-2.0 */
/* The extra registers, which filter what an event counts. */
#ifndef LBRSCOPE_EXTRA_H
#define LBRSCOPE_EXTRA_H

struct ls_cpu_ctx;
struct ls_event;
struct ls_events;

/*
 * Saves the extra registers that these events use.  Undone by ls_extra_release().
 * Returns: 0; -EINVAL: the CPU refuses a value, and the registers are as before.
 */
int ls_extra_claim(struct ls_cpu_ctx *cpu, const struct ls_events *events);
void ls_extra_release(struct ls_cpu_ctx *cpu);

/* Writes the event's register, if it has one.  ls_extra_claim() has tried the value. */
void ls_extra_write(const struct ls_event *event);

#endif
