/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions and cycles of all CPUs over a while, where they can be had. */
#ifndef LBRCTL_TRIAGE_IPC_H
#define LBRCTL_TRIAGE_IPC_H

#include <stdbool.h>

#include "module/netlink.h"
#include "module/watchdog.h"

struct triage_ipc {
	struct control control;
	struct guardian guardian;
	int fd;			/* -1: nothing is counted, for this reason: */
	char why[256];
};

/* Begins to count; where that cannot be, triage_ipc.why says so. */
void triage_ipc_start(struct triage_ipc *ipc);

/* Ends it. Whether *value is what was counted; why not is in triage_ipc.why. */
bool triage_ipc_stop(struct triage_ipc *ipc, double *value);

#endif
