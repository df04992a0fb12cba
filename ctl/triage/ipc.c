// SPDX-License-Identifier: GPL-2.0
/* Measures instructions per cycle of the whole machine. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "module/session.h"
#include "pmu/list.h"
#include "stat/counts.h"
#include "triage/ipc.h"

#define EVENTS	2

/* Opens the session; 0, or -1 with triage_ipc.why. */
static int ipc_session(struct triage_ipc *ipc)
{
	struct control_event events[EVENTS] = {};
	struct control_session settings = {
		.events = events, .nr_events = EVENTS, .ring_size = LBRSCOPE_RING_SIZE_MIN,
	};
	struct eventlist list = {};
	int err;

	if (eventlist_parse(&list, "{cycles,instructions}", ipc->why, sizeof(ipc->why)))
		return -1;
	eventlist_ask(&list, events);
	settings.fd = ipc->fd;
	err = control_session_set(&ipc->control, &settings);
	if (!err)
		err = session_begin(&ipc->control, ipc->fd);
	if (err)
		snprintf(ipc->why, sizeof(ipc->why), "%s", control_reason(&ipc->control, err));
	return err;
}

void triage_ipc_start(struct triage_ipc *ipc)
{
	struct control_info info;
	int err;

	memset(ipc, 0, sizeof(*ipc));
	ipc->fd = -1;
	err = control_open(&ipc->control);
	if (err) {
		snprintf(ipc->why, sizeof(ipc->why), "%s", err == -ENOENT ?
			 "module lbrscope is not loaded; lbrctl doctor says why" : strerror(-err));
		return;
	}
	if (!control_info(&ipc->control, &info) && info.no_pmu[0]) {
		snprintf(ipc->why, sizeof(ipc->why), "%s", info.no_pmu);
		control_close(&ipc->control);
		return;
	}
	if (access(LBRSCOPE_DEVICE, R_OK | W_OK) || guardian_start(&ipc->guardian)) {
		snprintf(ipc->why, sizeof(ipc->why), "no permission to use the counters");
		control_close(&ipc->control);
		return;
	}
	ipc->fd = open(LBRSCOPE_DEVICE, O_RDWR | O_CLOEXEC);
	if (ipc->fd >= 0 && !ipc_session(ipc))
		return;
	if (ipc->fd < 0)
		snprintf(ipc->why, sizeof(ipc->why), "%s", strerror(errno));
	else
		close(ipc->fd);
	ipc->fd = -1;
	guardian_finish(&ipc->guardian);
	control_close(&ipc->control);
}

static bool ipc_counts(struct triage_ipc *ipc, struct lbrscope_count *sums)
{
	struct lbrscope_count counts[EVENTS];
	struct cpulist cpus;
	unsigned int i, e;
	int err = 0;

	if (cpulist_read(&cpus, "possible"))
		return false;
	for (i = 0; !err && i < cpus.nr; i++) {
		err = control_counts_get(&ipc->control, ipc->fd, cpus.cpus[i], counts,
					 EVENTS);
		for (e = 0; !err && e < EVENTS; e++)
			counts_add(&sums[e], &counts[e]);
	}
	cpulist_free(&cpus);
	if (err)
		snprintf(ipc->why, sizeof(ipc->why), "%s", control_reason(&ipc->control, err));
	return !err;
}

bool triage_ipc_stop(struct triage_ipc *ipc, double *value)
{
	struct lbrscope_count sums[EVENTS] = {};
	bool counted;

	if (ipc->fd < 0)
		return false;
	control_session_stop(&ipc->control, ipc->fd);
	counted = ipc_counts(ipc, sums);
	close(ipc->fd);
	guardian_finish(&ipc->guardian);
	control_close(&ipc->control);
	if (counted && !sums[0].value) {
		snprintf(ipc->why, sizeof(ipc->why), "no cycle was counted");
		return false;
	}
	*value = counted ? (double)sums[1].value / sums[0].value : 0;
	return counted;
}
