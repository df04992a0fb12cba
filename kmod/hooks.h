/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_HOOKS_H
#define LBRSCOPE_HOOKS_H

struct cpu_ctx;
struct session;

int ls_hooks_start(struct session *session);
void ls_hooks_stop(struct session *session);

/* On the CPU, interrupts off: sampling of the running task begins, ends. */
void ls_hooks_cpu_begin(struct cpu_ctx *cpu);
void ls_hooks_cpu_end(struct cpu_ctx *cpu);

int ls_hooks_init(void);

#endif
