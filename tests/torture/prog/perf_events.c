// SPDX-License-Identifier: GPL-2.0
/*
 * Opens perf events at random, as perf_fuzzer does: any type, any attribute, groups, rings,
 * ioctls, forks, signals; in competition with other users of the PMU.
 *
 *   perf_events SECONDS SEED
 *
 * Prints how many it tried and how many the kernel opened.
 */
#include <linux/perf_event.h>
#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "message.h"
#include "client.h"

enum { EVENTS = 40 };

static int events[EVENTS];
static void *rings[EVENTS];
static uint64_t target;

static void drop(int i)
{
	if (rings[i])
		munmap(rings[i], 3 * 4096);
	if (events[i] >= 0)
		close(events[i]);
	rings[i] = NULL;
	events[i] = -1;
}

static struct perf_event_attr draw_attr(struct maker *m)
{
	struct perf_event_attr attr = {
		.type = below(m, 7), .size = sizeof(attr), .config = below(m, 12),
		.sample_period = 1000 + below(m, 1000000), .sample_type = below(m, 1 << 16) & ~PERF_SAMPLE_AUX,
		.exclude_kernel = chance(m, 50), .exclude_user = chance(m, 10), .disabled = chance(m, 30),
		.inherit = chance(m, 20), .pinned = chance(m, 10), .exclusive = chance(m, 10), .freq = chance(m, 20),
		.mmap = chance(m, 20), .comm = chance(m, 20), .task = chance(m, 20), .precise_ip = below(m, 4),
		.branch_sample_type = chance(m, 30) ? below(m, 1 << 12) : 0, .sample_stack_user = below(m, 3) * 512,
		.wakeup_events = below(m, 4), .read_format = below(m, 16), .enable_on_exec = chance(m, 10),
	};

	/* A process with a hardware event keeps all sessions out. */
	if ((attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_HW_CACHE || attr.type == PERF_TYPE_RAW) &&
	    !chance(m, 15))
		attr.type = PERF_TYPE_SOFTWARE;
	if (attr.type == PERF_TYPE_RAW)
		attr.config = interesting(m) & 0xffffffff;
	if (attr.type == PERF_TYPE_BREAKPOINT) {
		attr.bp_type = 1 + below(m, 4);
		attr.bp_addr = (uintptr_t)&target;
		attr.bp_len = 1 << below(m, 4);
		attr.config = 0;
	}
	if (attr.freq)
		attr.sample_freq = 1 + below(m, 4000);
	return attr;
}

static bool open_event(struct maker *m, int i)
{
	struct perf_event_attr attr = draw_attr(m);
	int leader = chance(m, 30) ? events[below(m, EVENTS)] : -1;
	bool all = chance(m, 30);

	drop(i);
	events[i] = syscall(SYS_perf_event_open, &attr, all ? -1 : 0, all ? (int)below(m, 3) : -1, leader,
			    chance(m, 5) ? below(m, 16) : PERF_FLAG_FD_CLOEXEC);
	if (events[i] < 0)
		return false;
	rings[i] = chance(m, 60) ? mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, events[i], 0) : NULL;
	if (rings[i] == MAP_FAILED)
		rings[i] = NULL;
	return true;
}

static void act(struct maker *m, int i)
{
	static const unsigned long requests[] = {
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_REFRESH, PERF_EVENT_IOC_RESET,
		PERF_EVENT_IOC_SET_OUTPUT,
	};
	uint64_t counts[64], period = 1000 + below(m, 1000000);
	volatile uint64_t n;
	pid_t child;

	switch (below(m, 6)) {
	case 0:
		ioctl(events[i], requests[below(m, ARRAY_SIZE(requests))], below(m, 3));
		break;
	case 1:
		ioctl(events[i], PERF_EVENT_IOC_PERIOD, &period);
		break;
	case 2:
		if (read(events[i], counts, sizeof(counts)) > 0)
			target += counts[0];
		break;
	case 3:
		for (n = below(m, 200000); n; n--)
			target++;
		break;
	case 4:
		child = chance(m, 20) ? fork() : -1;
		if (!child)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
		break;
	default:
		drop(i);
	}
}

int main(int argc, char **argv)
{
	struct maker m = { 0 };
	uint64_t tried = 0, opened = 0;
	time_t deadline;
	int i;

	if (argc < 3)
		return 2;
	deadline = time(NULL) + atoi(argv[1]);
	m.state = strtoull(argv[2], NULL, 10);
	signal(SIGIO, SIG_IGN);
	for (i = 0; i < EVENTS; i++)
		events[i] = -1;
	while (time(NULL) < deadline) {
		i = below(&m, EVENTS);
		/* Now and then the PMU is free. */
		if (chance(&m, 1)) {
			for (i = 0; i < EVENTS; i++)
				drop(i);
			usleep(below(&m, 500000));
			i = 0;
		}
		if (chance(&m, 40)) {
			tried++;
			opened += open_event(&m, i);
		} else if (events[i] >= 0) {
			act(&m, i);
		}
	}
	printf("# perf opened %lu of them\n", opened);
	printf("tried %lu random perf events beside sessions\n", tried);
	return 0;
}
