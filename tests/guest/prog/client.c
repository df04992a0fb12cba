// SPDX-License-Identifier: GPL-2.0
/*
 * A client of the module that shares no code with lbrctl: it follows the contract of
 * <linux/lbrscope.h> and <linux/lbrscope_ring.h> by hand, and breaks it by hand.
 *
 * A PERIOD of 0: no event, but all times off the CPU.
 *
 *   client refusals          sends every request that must be refused: result lines
 *   client hold PERIOD       samples all CPUs, instructions:u, and does not read; prints
 *                            "started", and the counts at the end of stdin
 *   client liar PERIOD       the same, with tails that are wrong and change all the time
 *   client large PERIOD      the same, with samples that are too large for the ring
 *   client flight PERIOD     the same with a flight recorder; prints at the end of stdin the
 *                            contents of a frozen ring, by process
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "protocol.h"

#define PAGE		4096

static int failed;

/* Every time off the CPU, at the highest rate. */
static void put_offcpu(uint32_t rate)
{
	struct nlattr *nest = nest_open(LBRSCOPE_SESSION_A_OFFCPU);

	put32(LBRSCOPE_OFFCPU_A_RATE, rate);
	nest_close(nest);
}

static void begin_set(int fd, uint64_t period, bool overwrite)
{
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	if (overwrite)
		put(LBRSCOPE_SESSION_A_OVERWRITE, NULL, 0);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	if (period)
		put_event(INSTRUCTIONS_U, period);
	else
		put_offcpu(LBRSCOPE_OFFCPU_RATE_MAX);
	put32(LBRSCOPE_SESSION_A_BRANCHES, LBRSCOPE_BRANCHES_CALL_STACK);
	put32(LBRSCOPE_SESSION_A_RING_SIZE, LBRSCOPE_RING_SIZE_MIN);
}

static int session_set(int fd, uint64_t period, bool overwrite)
{
	begin_set(fd, period, overwrite);
	return talk();
}

static int session_set_large(int fd, uint64_t period)
{
	begin_set(fd, period, false);
	put32(LBRSCOPE_SESSION_A_SAMPLE,
	      LBRSCOPE_FORMAT_USER_REGS | LBRSCOPE_FORMAT_USER_STACK);
	put32(LBRSCOPE_SESSION_A_USER_STACK, LBRSCOPE_RING_SIZE_MIN / 2);
	return talk();
}

/* Prints one result line: the last request was refused with this errno and a reason. */
static void refused(const char *what, int want)
{
	bool good = reply_errno == want && reply_text[0];

	printf("%sok - refused: %s # %s\n", good ? "" : "not ", what, reply_text);
	if (!good) {
		printf("# want: %s, with a reason\n# got:  %s, \"%s\"\n", strerror(want),
		       strerror(reply_errno), reply_text);
		failed = 1;
	}
}

static void holds(const char *what, bool good)
{
	printf("%sok - %s\n", good ? "" : "not ", what);
	failed |= !good;
}

#include "refusals.h"

/* Returns an element of a nest of counts, by its type less 1. */
static void print_nest(uint16_t type, int nr, const char *name)
{
	const uint8_t *nest = find(type);

	for (int i = 0; nest && i < nr; i++) {
		uint64_t v;

		memcpy(&v, nest + i * (NLA_HDRLEN + sizeof(v)) + NLA_HDRLEN, sizeof(v));
		printf("%s%d %llu\n", name, i, (unsigned long long)v);
	}
}

static void print_counts(int fd)
{

	if (command(LBRSCOPE_CMD_SESSION_GET, fd)) {
		printf("no counts: %s\n", strerror(reply_errno));
		return;
	}
	printf("produced %llu\ndelivered %llu\n",
	       (unsigned long long)find64(LBRSCOPE_STATS_A_PRODUCED),
	       (unsigned long long)find64(LBRSCOPE_STATS_A_DELIVERED));
	print_nest(LBRSCOPE_STATS_A_LOST, LBRSCOPE_LOST_NR, "lost");
	print_nest(LBRSCOPE_STATS_A_OFFCPU, LBRSCOPE_OFFCPU_NR, "offcpu");
}

/* Stores values in the tail of CPU 0 that would mislead a kernel that trusted them. */
static void lie(volatile struct lbrscope_ring_tail *tail, unsigned int i)
{
	static const uint64_t lies[] = {
		0, 1, 7, ~0ULL, 1ULL << 63, 1ULL << 32, LBRSCOPE_RING_SIZE_MIN + 8, (uint64_t)-8,
	};

	tail->tail = lies[i % (sizeof(lies) / sizeof(lies[0]))] + i / 8 % 16;
}

/* The frozen ring of a CPU: complete records from the oldest to the youngest. */
static struct flight {
	const struct lbrscope_ring *ring;
	struct lbrscope_ring_tail *tail;
	uint64_t samples;	/* records read so far */
	struct {
		uint32_t pid;
		uint64_t samples;
	} row, longest;		/* consecutive records of the same process */
	uint32_t pids[LBRSCOPE_RING_SIZE_MIN / sizeof(struct lbrscope_record)];
				/* of the records read so far, as many as a ring holds */
} flights[64];

/* The samples of the process with the longest row. Kernel threads may have interrupted it. */
static uint64_t flight_of_longest(const struct flight *f)
{
	const uint64_t most = sizeof(f->pids) / sizeof(*f->pids);
	uint64_t nr = 0;

	for (uint64_t i = 0; i < f->samples && i < most; i++)
		nr += f->pids[i] == f->longest.pid;
	return nr;
}

static bool flight_map(int fd, unsigned int cpu)
{
	struct flight *f = &flights[cpu];

	f->ring = mmap(NULL, PAGE + LBRSCOPE_RING_SIZE_MIN, PROT_READ, MAP_SHARED, fd,
		       LBRSCOPE_RING_OFF(cpu));
	f->tail = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       LBRSCOPE_RING_TAIL_OFF(cpu));
	return f->ring != MAP_FAILED && f->tail != MAP_FAILED;
}

/* A sample of a ring that overwrites states its task behind its fixed part. */
static uint32_t flight_pid(const struct lbrscope_record *rec)
{
	if (rec->type == LBRSCOPE_RECORD_OFFCPU)
		return ((const struct lbrscope_offcpu *)rec)->pid;
	return rec->format & LBRSCOPE_FORMAT_TASK ?
	       ((const struct lbrscope_task *)((const struct lbrscope_sample *)rec + 1))->pid : 0;
}

static bool flight_walk(struct flight *f)
{
	const char *data = (const char *)f->ring + f->ring->data_offset;
	uint64_t at = f->tail->tail, head = f->ring->head, time = 0;

	if (at < f->ring->oldest)
		at = f->ring->oldest;
	while (at < head) {
		uint32_t offset = at & (LBRSCOPE_RING_SIZE_MIN - 1);
		const struct lbrscope_sample *s = (const void *)(data + offset);

		if (s->rec.size < 8 || s->rec.size % 8 ||
		    offset + s->rec.size > LBRSCOPE_RING_SIZE_MIN)
			return false;
		at += s->rec.size;
		if (s->rec.type == LBRSCOPE_RECORD_PAD)
			continue;
		/* Both have the same fields up to the time. */
		if ((s->rec.type != LBRSCOPE_RECORD_SAMPLE &&
		     s->rec.type != LBRSCOPE_RECORD_OFFCPU) || s->time < time)
			return false;
		time = s->time;
		f->row.samples = flight_pid(&s->rec) == f->row.pid ? f->row.samples + 1 : 1;
		f->row.pid = flight_pid(&s->rec);
		if (f->row.samples > f->longest.samples)
			f->longest = f->row;
		f->pids[f->samples++ % (sizeof(f->pids) / sizeof(*f->pids))] = f->row.pid;
	}
	f->tail->tail = at;
	return at == head;
}

/* Returns the number of samples in the unread part; -1: the contents are invalid. */
static int64_t flight_walk_all(unsigned int cpus)
{
	int64_t before = 0, after = 0;

	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		before += flights[cpu].samples;
		if (!flight_walk(&flights[cpu]))
			return -1;
		after += flights[cpu].samples;
	}
	return after - before;
}

static int flight(uint64_t period)
{
	unsigned int cpu, cpus = sysconf(_SC_NPROCESSORS_CONF);
	int64_t frozen, later;
	int fd = device();
	char c;

	if (fd < 0 || cpus > 64)
		return 1;
	if (session_set(fd, period, true) || command(LBRSCOPE_CMD_SESSION_START, fd)) {
		printf("not started: %s (%s)\n", strerror(reply_errno), reply_text);
		return 1;
	}
	for (cpu = 0; cpu < cpus; cpu++)
		if (!flight_map(fd, cpu))
			return 1;
	puts("started");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	command(LBRSCOPE_CMD_SESSION_FREEZE, fd);
	frozen = flight_walk_all(cpus);
	command(LBRSCOPE_CMD_SESSION_GET, fd);
	printf("frozen_walked %lld\nfrozen_delivered %llu\n", (long long)frozen,
	       (unsigned long long)find64(LBRSCOPE_STATS_A_DELIVERED));
	printf("pid %u\nof_pid %llu\n", flights[0].longest.pid,
	       (unsigned long long)flight_of_longest(&flights[0]));

	/* Samples of a frozen ring are lost; later ones are behind it. */
	usleep(50000);
	command(LBRSCOPE_CMD_SESSION_THAW, fd);
	usleep(50000);
	if (command(LBRSCOPE_CMD_SESSION_STOP, fd))
		return 1;
	later = flight_walk_all(cpus);
	printf("walked %lld\n", frozen < 0 || later < 0 ? -1LL : (long long)(frozen + later));
	print_counts(fd);
	return 0;
}

static int hold(const char *how, uint64_t period)
{
	bool liar = !strcmp(how, "liar"), large = !strcmp(how, "large");
	struct pollfd in = { .fd = 0, .events = POLLIN };
	struct lbrscope_ring_tail *tail = NULL;
	unsigned int i = 0;
	int fd = device();
	char c;

	if (fd < 0)
		return 1;
	if ((large ? session_set_large(fd, period) : session_set(fd, period, false)) ||
	    command(LBRSCOPE_CMD_SESSION_START, fd)) {
		printf("not started: %s (%s)\n", strerror(reply_errno), reply_text);
		return 1;
	}
	if (liar) {
		tail = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    LBRSCOPE_RING_TAIL_OFF(0));
		if (tail == MAP_FAILED)
			return 1;
	}
	puts("started");
	fflush(stdout);
	for (;;) {
		if (liar)
			lie(tail, i++);
		if (poll(&in, 1, liar ? 0 : -1) > 0 && read(0, &c, 1) == 0)
			break;
	}
	if (command(LBRSCOPE_CMD_SESSION_STOP, fd))
		return 1;
	print_counts(fd);
	return 0;
}

int main(int argc, char **argv)
{
	if (connect_family()) {
		fprintf(stderr, "client: no netlink family %s\n", LBRSCOPE_GENL_NAME);
		return 1;
	}
	if (argc == 2 && !strcmp(argv[1], "refusals"))
		return refusals();
	if (argc == 3 && (!strcmp(argv[1], "hold") || !strcmp(argv[1], "liar") ||
			  !strcmp(argv[1], "large")))
		return hold(argv[1], strtoull(argv[2], NULL, 0));
	if (argc == 3 && !strcmp(argv[1], "flight"))
		return flight(strtoull(argv[2], NULL, 0));
	fprintf(stderr, "usage: client refusals | hold PERIOD | liar PERIOD | large PERIOD |\n"
		"       client flight PERIOD\n");
	return 2;
}
