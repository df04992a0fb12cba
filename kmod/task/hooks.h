/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's hooks: fork, exec, exit, waking, signal delivery. */
#ifndef LBRSCOPE_HOOKS_H
#define LBRSCOPE_HOOKS_H

struct ls_session;

int ls_hooks_start(struct ls_session *session);
void ls_hooks_stop(struct ls_session *session);

int ls_hooks_init(void);

#endif
