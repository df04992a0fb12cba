/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's hooks: fork, exec, exit, waking, signal delivery. */
#ifndef LBRSCOPE_HOOKS_H
#define LBRSCOPE_HOOKS_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct ls_session;

/* What the probes are registered with. */
struct ls_hooks_place {
	struct ls_session *session;	/* NULL: none */
	unsigned long registered;	/* probes, by their index in hooks.c */
	struct delayed_work clean;	/* unregisters those that no session needs */
};

/*
 * The session that a probe works for; NULL: none.  Context: interrupts off, or an RCU
 * read-side critical section, for as long as it is used.
 */
static inline struct ls_session *ls_hooks_session(const struct ls_hooks_place *place)
{
	return READ_ONCE(place->session);
}

int ls_hooks_start(struct ls_session *session);
void ls_hooks_stop(struct ls_session *session);

int ls_hooks_init(void);
void ls_hooks_exit_module(void);

#endif
