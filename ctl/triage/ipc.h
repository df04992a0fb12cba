/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions and cycles of all CPUs over a while, if the module can count them. */
#ifndef LBRCTL_TRIAGE_IPC_H
#define LBRCTL_TRIAGE_IPC_H

#include <stdbool.h>

#include "module/netlink.h"
#include "module/watchdog.h"

struct triage_ipc {
	struct control control;
	struct guardian guardian;
	int fd;			/* -1: not counting; the reason is: */
	char why[256];
};

/* Begins to count; if that is not possible, triage_ipc.why has the reason. */
void triage_ipc_start(struct triage_ipc *ipc);

/* Ends counting. Returns whether *value is valid; else triage_ipc.why has the reason. */
bool triage_ipc_stop(struct triage_ipc *ipc, double *value);

#endif
