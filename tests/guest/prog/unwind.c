// SPDX-License-Identifier: GPL-2.0
/*
 * The commands UNWIND_TABLE and UNWIND_PROCESS and the call chains of times off the CPU, by the
 * contract of <linux/lbrscope.h>: a client that shares no code with lbrctl, and makes its table by
 * hand for two functions whose frames are known.
 *
 *   unwind          prints result lines; it must be root
 *   unwind nap      sleeps often, called by nap_outer() and nap_inner()
 *
 * A second process spins, for samples of a clock.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>
#include <linux/lbrscope_unwind.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol.h"
#include "unwind.h"

#define PAGE	4096
#define RING	LBRSCOPE_RING_SIZE_DEFAULT
#define CPUS	8
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static int failed;

static void holds(const char *what, bool good)
{
	printf("%sok - %s\n", good ? "" : "not ", what);
	failed |= !good;
	fflush(stdout);
}

static void answers(const char *what, int want)
{
	holds(what, reply_errno == want && (!want || reply_text[0]));
	if (reply_errno != want || (want && !reply_text[0]))
		printf("# want: %s\n# got:  %s \"%s\"\n", strerror(want), strerror(reply_errno), reply_text);
}

static int set_up(int fd, uint32_t target, bool callers)
{
	struct nlattr *nest;

	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put(LBRSCOPE_SESSION_A_TARGET_PIDS, &target, sizeof(target));
	nest = nest_open(LBRSCOPE_SESSION_A_OFFCPU);
	if (callers)
		put(LBRSCOPE_OFFCPU_A_CALLERS, NULL, 0);
	nest_close(nest);
	return talk();
}

static int give(int fd, uint32_t number, const void *table, uint32_t size, uint32_t offset, uint32_t len)
{
	begin(family, LBRSCOPE_CMD_UNWIND_TABLE);
	put32(LBRSCOPE_UNWIND_A_FD, fd);
	put32(LBRSCOPE_UNWIND_A_TABLE, number);
	put32(LBRSCOPE_UNWIND_A_SIZE, size);
	put32(LBRSCOPE_UNWIND_A_OFFSET, offset);
	put(LBRSCOPE_UNWIND_A_DATA, (const char *)table + offset, len);
	return talk();
}

static int give_all(int fd, uint32_t number, const struct table *table)
{
	return give(fd, number, table, sizeof(*table), 0, sizeof(*table));
}

static int say(int fd, uint32_t pid, uint32_t generation, const struct lbrscope_unwind_range *ranges, unsigned int nr)
{
	begin(family, LBRSCOPE_CMD_UNWIND_PROCESS);
	put32(LBRSCOPE_UNWIND_A_FD, fd);
	put32(LBRSCOPE_UNWIND_A_PID, pid);
	put32(LBRSCOPE_UNWIND_A_GENERATION, generation);
	if (nr)
		put(LBRSCOPE_UNWIND_A_RANGES, ranges, nr * sizeof(*ranges));
	return talk();
}

/* The naps' code, in this program and in each that it forks. */
static struct lbrscope_unwind_range naps(uint32_t table)
{
	const uint64_t begin = (uintptr_t)nap_begin;

	return (struct lbrscope_unwind_range){ begin, begin + PAGE, begin, table, 0 };
}

static pid_t spawn_to(void (*what)(void))
{
	pid_t child = fork();

	if (!child) {
		close_range(3, ~0U, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		what();
		_exit(1);
	}
	return child;
}

static pid_t spawn(void) { return spawn_to(nap); }

static void reap(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static const struct lbrscope_ring *rings[CPUS];
static struct lbrscope_ring_tail *tails[CPUS];

static void map_rings(int fd)
{
	for (int i = 0; i < sysconf(_SC_NPROCESSORS_CONF) && i < CPUS; i++) {
		rings[i] = mmap(NULL, PAGE + RING, PROT_READ, MAP_SHARED, fd, LBRSCOPE_RING_OFF(i));
		tails[i] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, LBRSCOPE_RING_TAIL_OFF(i));
	}
}

static void unmap_rings(void)
{
	for (int i = 0; i < CPUS && rings[i]; i++) {
		munmap((void *)rings[i], PAGE + RING);
		munmap(tails[i], PAGE);
		rings[i] = NULL;
	}
}

/* What the newest record of a process has. */
static struct seen {
	bool any, chain, stack;
	uint64_t ip;
	struct lbrscope_user_chain head;
	uint64_t callers[LBRSCOPE_USER_CHAIN_MAX];
} seen;

static void take(const struct lbrscope_offcpu *o)
{
	const uint64_t *word = (const void *)(o + 1), *end = (const void *)((const char *)o + o->rec.size);

	seen = (struct seen){ .any = true, .chain = o->rec.format & LBRSCOPE_FORMAT_USER_CHAIN };
	if (o->rec.format & LBRSCOPE_FORMAT_USER_IP)
		seen.ip = *word++;
	if (o->rec.format & LBRSCOPE_FORMAT_KERNEL_CHAIN)
		word += 1 + *word;
	if (!seen.chain)
		return;
	memcpy(&seen.head, word++, sizeof(seen.head));
	if (word + seen.head.nr != end)
		holds("the chain fills the record", false);
	memcpy(seen.callers, word, seen.head.nr * sizeof(*word));
}

/* Of a session of one process, without branches: the chain is the last field. */
static void take_sample(const struct lbrscope_sample *s)
{
	const uint64_t *end = (const void *)((const char *)s + s->rec.size);

	if (!(s->rec.flags & LBRSCOPE_SAMPLE_USER))
		return;
	seen = (struct seen){ .any = true, .ip = s->ip, .chain = s->rec.format & LBRSCOPE_FORMAT_USER_CHAIN,
			      .stack = s->rec.format & LBRSCOPE_FORMAT_USER_STACK };
	if (!seen.chain)
		return;
	memcpy(&seen.head, end - 2, sizeof(seen.head));
	seen.callers[0] = end[-1];
}

static void read_rings(uint32_t pid)
{
	for (int i = 0; i < CPUS && rings[i]; i++) {
		uint64_t head = __atomic_load_n(&rings[i]->head, __ATOMIC_ACQUIRE), at = tails[i]->tail;
		const struct lbrscope_offcpu *o;

		for (; at != head; at += o->rec.size) {
			o = (const void *)((const char *)rings[i] + rings[i]->data_offset + (at & (RING - 1)));
			if (o->rec.type == LBRSCOPE_RECORD_OFFCPU && o->pid == pid && !seen.any)
				take(o);
			if (o->rec.type == LBRSCOPE_RECORD_SAMPLE && !seen.any)
				take_sample((const void *)o);
		}
		__atomic_store_n(&tails[i]->tail, at, __ATOMIC_RELEASE);
	}
}

static bool in_nap(void) { return seen.ip >= (uintptr_t)nap_inner && seen.ip < (uintptr_t)nap_end; }
static bool without_chain(void) { return !seen.chain; }
static bool in_spin(void) { return seen.ip == (uintptr_t)spin_in; }

/* Waits for a record of this kind of a time that began from here on: the first two may have begun
 * before. */
static void look_for(uint32_t pid, bool (*kind)(void))
{
	for (int skipped = 0, tries = 0; skipped < 3 && tries < 1000; tries++) {
		seen.any = false;
		for (int i = 0; i < 10000 && !seen.any; i++) {
			read_rings(pid);
			usleep(1000);
		}
		skipped += seen.any && kind();
	}
}

static void look(uint32_t pid) { look_for(pid, in_nap); }

static bool has_chain(uint32_t generation, uint8_t end, unsigned int nr)
{
	const uint64_t want[] = { (uintptr_t)nap_outer_back, (uintptr_t)nap_root_back };
	bool same = seen.any && seen.chain && seen.head.generation == generation && seen.head.end == end &&
		    seen.head.nr == nr && !memcmp(seen.callers, want, nr * sizeof(*want));

	if (!same)
		printf("# record %d, chain %d, generation %u, end %u, %u callers: %#lx %#lx\n", seen.any, seen.chain,
		       seen.head.generation, seen.head.end, seen.head.nr, seen.callers[0], seen.callers[1]);
	return same;
}

#include "unwind_refusals.h"

static void chains(int fd, pid_t pid)
{
	const struct lbrscope_unwind_range range = naps(0);
	struct lbrscope_unwind_range cut = range;

	look(pid);
	holds("a process without tables has no chain", seen.any && !seen.chain);
	say(fd, pid, 77, &range, 1);
	answers("a process gets its tables", 0);
	look(pid);
	holds("its chain is whole", has_chain(77, LBRSCOPE_CHAIN_ENTRY, 2));
	cut.start = (uintptr_t)nap_outer_back + 1;
	cut.bias = range.bias;
	say(fd, pid, 78, &cut, 1);
	look(pid);
	holds("a chain ends where no table holds", has_chain(78, LBRSCOPE_CHAIN_NO_TABLE, 1));
	say(fd, pid, 79, NULL, 0);
	answers("a process has no tables any more", 0);
	look(pid);
	holds("and its chain no callers", has_chain(79, LBRSCOPE_CHAIN_NO_TABLE, 0));
	say(fd, pid, 80, &range, 1);
}

/* Rules that lead anywhere: what they read is of the thread's stack, or the chain ends. */
static void liars(int fd, pid_t pid)
{
	static const struct lbrscope_unwind_rule lies[] = {
		{ .kind = LBRSCOPE_UNWIND_SP, .offset = 1 << 30 }, { .kind = LBRSCOPE_UNWIND_SP, .offset = -(1 << 30) },
		{ .kind = LBRSCOPE_UNWIND_SP, .offset = 0 }, { .kind = LBRSCOPE_UNWIND_BP, .offset = 16 },
		{ .kind = LBRSCOPE_UNWIND_SP_AT, .offset = 0 }, { .kind = LBRSCOPE_UNWIND_SP_AT, .offset = 32767 },
		{ .kind = LBRSCOPE_UNWIND_BP_AT, .offset = 8 }, { .kind = LBRSCOPE_UNWIND_SIGNAL },
		{ .kind = LBRSCOPE_UNWIND_REGISTER, .rbp = 5 << 4 }, { .kind = LBRSCOPE_UNWIND_BACK_IN, .rbp = 5 << 4 },
		{ .kind = LBRSCOPE_UNWIND_OTHER }, { .kind = LBRSCOPE_UNWIND_NONE },
	};
	struct lbrscope_unwind_range range = naps(0);
	struct table table = right;
	unsigned int quiet = 0;

	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		table.rules[3] = lies[i];
		range.table = 10 + i;
		give_all(fd, range.table, &table);
		answers("a table that lies is a table", 0);
		say(fd, pid, 100 + i, &range, 1);
		look(pid);
		quiet += seen.chain && seen.head.generation == 100 + i && seen.head.end != LBRSCOPE_CHAIN_ENTRY &&
			 seen.head.nr < 2;
	}
	holds("chains of liars end", quiet == ARRAY_SIZE(lies));
}

static int set_up_samples(int fd, uint32_t target, uint32_t fields)
{
	struct event_nests nests;

	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	nests = event_open(1 << 16);
	put32(LBRSCOPE_EVENT_A_SOURCE, LBRSCOPE_SOURCE_CLOCK);
	put64(LBRSCOPE_EVENT_A_PERIOD, 1000000);
	event_close(nests);
	put(LBRSCOPE_SESSION_A_TARGET_PIDS, &target, sizeof(target));
	put32(LBRSCOPE_SESSION_A_SAMPLE, fields);
	return talk();
}

/* A chain replaces the stack of a sample where it is whole. */
static void samples(void)
{
	const uint32_t stack = LBRSCOPE_FORMAT_USER_REGS | LBRSCOPE_FORMAT_USER_STACK;
	struct lbrscope_unwind_range range = naps(0);
	struct table cut = right;
	pid_t pid = spawn_to(spin);
	int fd = device();

	set_up_samples(fd, pid, LBRSCOPE_FORMAT_USER_CHAIN);
	answers("a chain without a stack that it could replace", EINVAL);
	set_up_samples(fd, pid, stack | LBRSCOPE_FORMAT_USER_CHAIN);
	answers("samples with a stack or a chain", 0);
	cut.rules[1].kind = LBRSCOPE_UNWIND_OTHER;
	give_all(fd, 0, &right);
	give_all(fd, 1, &cut);
	map_rings(fd);
	command(LBRSCOPE_CMD_SESSION_START, fd);
	answers("they start", 0);
	look_for(pid, in_spin);
	holds("without tables a sample has the stack", seen.any && seen.stack && !seen.chain);
	say(fd, pid, 4, &range, 1);
	look_for(pid, in_spin);
	holds("with tables it has the chain alone", seen.chain && !seen.stack && seen.head.generation == 4 &&
	      seen.head.nr == 1 && !seen.head.end && seen.callers[0] == (uintptr_t)spin_back);
	range.table = 1;
	say(fd, pid, 5, &range, 1);
	look_for(pid, in_spin);
	holds("where the chain is not whole, it has the stack", seen.any && seen.stack && !seen.chain);
	command(LBRSCOPE_CMD_SESSION_STOP, fd);
	unmap_rings();
	close(fd);
	reap(pid);
}

/* A child has its parent's tables until it executes a program. */
static void children(int fd)
{
	const struct lbrscope_unwind_range range = naps(0);
	int orders[2], report[2];
	uint32_t parent, child;
	char byte = 0;

	(void)!pipe(orders);
	(void)!pipe(report);
	parent = fork();
	if (!parent) {
		(void)!read(orders[0], &byte, 1);
		child = spawn();
		(void)!write(report[1], &child, sizeof(child));
		(void)!read(orders[0], &byte, 1);
		close_range(3, ~0U, 0);
		execl("/proc/self/exe", "unwind", "nap", NULL);
		_exit(1);
	}
	unmap_rings();
	close(fd);
	fd = device();
	set_up(fd, parent, true);
	give_all(fd, 3, &right);
	map_rings(fd);
	command(LBRSCOPE_CMD_SESSION_START, fd);
	answers("a session of a process that will have a child", 0);
	say(fd, parent, 5, &(struct lbrscope_unwind_range){ range.start, range.end, range.bias, 3, 0 }, 1);
	answers("the parent gets its tables", 0);
	(void)!write(orders[1], &byte, 1);
	(void)!read(report[0], &child, sizeof(child));
	look(child);
	holds("its child has them", has_chain(5, LBRSCOPE_CHAIN_ENTRY, 2));
	(void)!write(orders[1], &byte, 1);
	look_for(parent, without_chain);
	holds("a program that it executes has none", seen.any && !seen.chain);
	command(LBRSCOPE_CMD_SESSION_STOP, fd);
	say(fd, child, 6, &range, 1);
	answers("a session that does not run", EINVAL);
	kill(child, SIGKILL);
	reap(parent);
	unmap_rings();
	close(fd);
}

/* Runs as another user, with root's descriptor and a process of its own. */
static void as_user(int roots)
{
	const struct lbrscope_unwind_range range = naps(0);
	pid_t mine = spawn();
	int fd = device();

	if (connect_family())
		exit(1);
	give_all(roots, 50, &right);
	answers("root's session, for a user with its descriptor", EPERM);
	close(roots);
	set_up(fd, mine, true);
	answers("a user's session unwinds", 0);
	give_all(fd, 0, &right);
	answers("a user gives a table", 0);
	give(fd, 1, &right, LBRSCOPE_UNWIND_SIZE_MAX, 0, 64);
	answers("more tables than a user may have", ENOSPC);
	map_rings(fd);
	for (int i = 0; i < 1000 && command(LBRSCOPE_CMD_SESSION_START, fd) == EBUSY; i++)
		usleep(10000);
	say(fd, mine, 9, &range, 1);
	answers("a user says what a process of his own has mapped", 0);
	look(mine);
	holds("and has its chain", has_chain(9, LBRSCOPE_CHAIN_ENTRY, 2));
	say(fd, 1, 9, &range, 1);
	answers("init is not his", ESRCH);
	reap(mine);
}

static void test(void)
{
	pid_t pid = spawn(), user;
	int fd = device(), other = device(), status;

	give_all(fd, 0, &right);
	answers("a session that is not configured", ENODATA);
	set_up(other, pid, false);
	give_all(other, 0, &right);
	answers("a session without callers", ENODATA);
	close(other);
	set_up(fd, pid, true);
	answers("a session with callers", 0);
	refused_tables(fd);
	say(fd, pid, 1, NULL, 0);
	answers("a session that does not run yet", EINVAL);
	map_rings(fd);
	command(LBRSCOPE_CMD_SESSION_START, fd);
	answers("it starts", 0);
	refused_ranges(fd, pid);
	chains(fd, pid);
	liars(fd, pid);
	user = fork();
	if (!user) {
		failed = 0;
		/* The session lasts as long as its mappings. */
		unmap_rings();
		if (setgid(1000) || setuid(1000) || prctl(PR_SET_DUMPABLE, 1))
			_exit(1);
		as_user(fd);
		fflush(stdout);
		_exit(failed);
	}
	usleep(200000);
	command(LBRSCOPE_CMD_SESSION_STOP, fd);
	waitpid(user, &status, 0);
	failed |= status != 0;
	children(fd);
	reap(pid);
	samples();
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "nap"))
		nap();
	if (connect_family())
		return 1;
	make_table();
	test();
	return failed;
}
