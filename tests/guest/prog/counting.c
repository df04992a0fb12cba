// SPDX-License-Identifier: GPL-2.0
/*
 * counting PERIOD: reads running counts as often as possible until the end of stdin, while an
 * NMI interrupts every PERIOD instructions of each CPU; then stops the session. Prints "often"
 * after OFTEN reads. At the end prints the number of reads, how often a count or a time was
 * less than before, the number of samples that fell due, and "cpuN INSTRUCTIONS BRANCHES" for
 * each CPU.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "protocol.h"

enum { CPUS = 64, OFTEN = 300 };

static struct lbrscope_count last[CPUS][2];
static unsigned long reads, back;

static void put_events(uint64_t period)
{
	struct nlattr *array = nest_open(LBRSCOPE_SESSION_A_EVENTS), *event;

	event = nest_open(1);
	put64(LBRSCOPE_EVENT_A_CONFIG, INSTRUCTIONS_U);
	put64(LBRSCOPE_EVENT_A_PERIOD, period);
	put32(LBRSCOPE_EVENT_A_GROUP, 7);
	put(LBRSCOPE_EVENT_A_READ_GROUP, NULL, 0);
	nest_close(event);
	event = nest_open(2);
	put64(LBRSCOPE_EVENT_A_CONFIG, BRANCHES_U);
	put32(LBRSCOPE_EVENT_A_GROUP, 7);
	nest_close(event);
	nest_close(array);
}

static bool less(const struct lbrscope_count *a, const struct lbrscope_count *b)
{
	return a->value < b->value || a->enabled < b->enabled || a->running < b->running;
}

static bool read_counts(int fd, uint32_t cpu)
{
	struct lbrscope_count now[2];
	const void *counts;
	int i;

	begin(family, LBRSCOPE_CMD_COUNTS_GET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put32(LBRSCOPE_SESSION_A_CPU, cpu);
	if (talk())
		return false;
	counts = find(LBRSCOPE_COUNTS_A_COUNTS);
	if (!counts)
		return false;
	memcpy(now, counts, sizeof(now));
	for (i = 0; i < 2; i++)
		back += less(&now[i], &last[cpu][i]);
	memcpy(last[cpu], now, sizeof(now));
	reads++;
	return true;
}

static bool read_all(int fd, uint32_t cpus)
{
	uint32_t cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		if (!read_counts(fd, cpu))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	uint32_t cpu, cpus = sysconf(_SC_NPROCESSORS_CONF);
	int fd = device();
	bool good = true, often = false;
	char c;

	if (argc != 2 || fd < 0 || cpus > CPUS || connect_family())
		return 1;
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_events(strtoull(argv[1], NULL, 0));
	if (talk() || command(LBRSCOPE_CMD_SESSION_START, fd)) {
		printf("not started: %s\n", reply_text);
		return 1;
	}
	puts("started");
	fflush(stdout);
	while (good && !(poll(&in, 1, 0) > 0 && read(0, &c, 1) == 0)) {
		good = read_all(fd, cpus);
		if (reads > OFTEN && !often) {
			often = true;
			puts("often");
			fflush(stdout);
		}
	}
	if (!good || command(LBRSCOPE_CMD_SESSION_STOP, fd) || !read_all(fd, cpus)) {
		printf("failed: %s\n", reply_text);
		return 1;
	}
	command(LBRSCOPE_CMD_SESSION_GET, fd);
	printf("reads %lu\nback %lu\nproduced %llu\n", reads, back,
	       (unsigned long long)find64(LBRSCOPE_STATS_A_PRODUCED));
	for (cpu = 0; cpu < cpus; cpu++)
		printf("cpu%u %llu %llu\n", cpu, (unsigned long long)last[cpu][0].value,
		       (unsigned long long)last[cpu][1].value);
	return 0;
}
