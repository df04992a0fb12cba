/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the processes of a user. */
#ifndef LBRCTL_WORKLOAD_USERS_H
#define LBRCTL_WORKLOAD_USERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "module/netlink.h"

/* Finds a user by name or number. Returns false if no user has this name. */
bool users_find(const char *text, uid_t *uid);

/* Lists the processes that run with this effective user id now, apart from kernel threads and from
 * lbrctl itself. Returns 0, or -1 with a message that calls the user by `name`; no process, or more
 * than a session takes, is a failure. */
int users_processes(uid_t uid, const char *name, struct tasks_list *list);

#endif
