// SPDX-License-Identifier: GPL-2.0
/*
 * Tests which samples carry registers and stack of user mode, and how much of the stack, by
 * the contract of <linux/lbrscope.h>. The sampled processes have known stacks: each fills an
 * array on its stack with a pattern and spins. /proc shows where a stack began.
 *
 *   stacks CASE [BRANCHES]   one of cases[], result lines; BRANCHES: enum
 *                            lbrscope_branches, default call stacks
 *   stacks deep              no case: runs for a while with a stack of 100,000 bytes
 *   stacks spin FILE         a process to sample; FILE is its struct orders
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <fcntl.h>
#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "protocol.h"
#include "stacks.h"

static uint32_t branches = LBRSCOPE_BRANCHES_CALL_STACK;

#define STACK_FORMAT	(LBRSCOPE_FORMAT_USER_REGS | LBRSCOPE_FORMAT_USER_STACK | \
			 LBRSCOPE_FORMAT_USER_DEPTH)

/* The request for a session; targets: nr processes, 0: all. */
struct ask {
	uint64_t period;
	bool no_stack;
	bool selects, selects_new, overwrite;
	uint32_t audit, nr;
	const uint32_t *targets;
};

static int set_up(int fd, const struct ask *ask)
{
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(INSTRUCTIONS_U, ask->period);
	put32(LBRSCOPE_SESSION_A_BRANCHES, branches);
	put32(LBRSCOPE_SESSION_A_RING_SIZE, RING);
	put32(LBRSCOPE_SESSION_A_SAMPLE, ask->no_stack ? LBRSCOPE_FORMAT_USER_DEPTH : STACK_FORMAT);
	if (!ask->no_stack)
		put32(LBRSCOPE_SESSION_A_USER_STACK, WINDOW);
	if (ask->selects)
		put32(LBRSCOPE_SESSION_A_STACK_MODE, ask->selects_new ? LBRSCOPE_STACKS_NEW :
		      LBRSCOPE_STACKS_SELECTED);
	if (ask->audit)
		put32(LBRSCOPE_SESSION_A_STACK_AUDIT, ask->audit);
	if (ask->overwrite)
		put(LBRSCOPE_SESSION_A_OVERWRITE, NULL, 0);
	if (ask->nr)
		put(LBRSCOPE_SESSION_A_TARGET_PIDS, ask->targets, ask->nr * sizeof(uint32_t));
	return talk();
}

static int start(const struct ask *ask)
{
	int fd = device();

	if (fd < 0 || set_up(fd, ask) || command(LBRSCOPE_CMD_SESSION_START, fd) ||
	    map_rings(fd)) {
		printf("not ok - the session starts\n# %s: %s\n", strerror(reply_errno), reply_text);
		exit(1);
	}
	return fd;
}

/* The session lasts as long as its mappings. */
static void stop(int fd)
{
	unmap_rings();
	close(fd);
}

static int task_stack(int fd, const uint32_t *pids, unsigned int nr, bool on)
{
	begin(family, LBRSCOPE_CMD_TASK_STACK);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put(LBRSCOPE_SESSION_A_TARGET_PIDS, pids, nr * sizeof(*pids));
	if (!on)
		put(LBRSCOPE_SESSION_A_STACK_OFF, NULL, 0);
	return talk();
}

static int select_one(int fd, uint32_t pid) { return task_stack(fd, &pid, 1, true); }
static int deselect_one(int fd, uint32_t pid) { return task_stack(fd, &pid, 1, false); }

/* The samples of a process since the last call, by their fields. */
static struct tally of(uint32_t pid)
{
	struct tally none = { 0 }, *t = tally_of(pid);

	return t ? *t : none;
}

/* All samples of this process have the stack, or none has; and there are samples. */
static void all_have(const char *what, uint32_t pid, bool want)
{
	struct tally t = of(pid);

	holds(what, (want ? t.with : t.without) >= ENOUGH && !(want ? t.without : t.with) &&
	      !t.audited && !t.wrong);
	if (failed_last)
		printf("# %u with, %u without, %u audited, %u wrong\n", t.with, t.without, t.audited,
		       t.wrong);
}

static void case_window(void)
{
	struct child small = spawn(20000), big = spawn(100000);
	uint32_t pids[] = { small.pid, big.pid };
	struct ask ask = { .period = 300007, .nr = 2, .targets = pids };
	int fd = start(&ask);

	collect_from(small.pid, ENOUGH);
	collect_from(big.pid, ENOUGH);
	all_have("every sample has the stack, in mode 0", small.pid, true);
	holds("a stack is copied up to its begin and no further", of(small.pid).whole == of(small.pid).with);
	all_have("so it is where the stack is deeper than the window", big.pid, true);
	holds("the depth tells that a stack goes on", of(big.pid).cut == of(big.pid).with);
	stop(fd);
	reap(small);
	reap(big);
}

static void selection(const char *how, bool targets)
{
	struct child a = spawn(3000), b = spawn(3000);
	uint32_t pids[] = { a.pid, b.pid }, absent[] = { 1 << 22, a.pid };
	struct ask ask = { .period = 300007, .selects = true, .nr = targets ? 2 : 0, .targets = pids };
	int fd = start(&ask);

	printf("# %s\n", how);
	collect_from(a.pid, ENOUGH);
	collect_from(b.pid, ENOUGH);
	all_have("nothing is selected at first", a.pid, false);
	holds("a process is selected", !select_one(fd, a.pid));
	forget();
	collect_from(a.pid, ENOUGH);
	collect_from(b.pid, ENOUGH);
	all_have("each of its samples has the stack", a.pid, true);
	all_have("those of others have none", b.pid, false);
	holds("the copied bytes are those of the stack", of(a.pid).whole == of(a.pid).with);
	holds("the selection ends", !deselect_one(fd, a.pid));
	forget();
	collect_from(a.pid, ENOUGH);
	all_have("no sample has the stack from then on", a.pid, false);
	holds("of a list with a process that is not there",
	      task_stack(fd, absent, 2, true) == ESRCH && strstr(reply_text, "4194304"));
	forget();
	collect_from(a.pid, ENOUGH);
	all_have("the others are selected", a.pid, true);
	command(LBRSCOPE_CMD_SESSION_STOP, fd);
	holds("a session that has stopped selects nothing", select_one(fd, a.pid) == EINVAL);
	command(LBRSCOPE_CMD_SESSION_START, fd);
	forget();
	collect_from(a.pid, ENOUGH);
	all_have("it starts with nothing selected", a.pid, false);
	stop(fd);
	reap(a);
	reap(b);
}

static void case_select(void)
{
	selection("of all tasks", false);
	selection("of targets", true);
}

/* Of a stack that is not the thread's the beginning is not known. */
static void case_foreign(void)
{
	struct child a = spawn(3000);
	struct ask ask = { .period = 1000003, .selects = true, .nr = 1, .targets = &a.pid };
	int fd = start(&ask);
	struct tally t;

	select_one(fd, a.pid);
	order(a, ORDER_LEAVE);
	while (a.orders->now == ORDER_LEAVE)
		usleep(1000);
	usleep(100000);
	forget();
	collect_from(a.pid, ENOUGH);
	t = of(a.pid);
	printf("# %u with a stack, %u of them foreign\n", t.with, t.foreign);
	holds("a foreign stack is copied up to its own limit", t.with >= ENOUGH && t.foreign == t.with);
	stop(fd);
	reap(a);
}

/* A thread and a child of a selected process, from their first instruction; and exec. */
static void case_inherit(void)
{
	struct child a = spawn(3000);
	struct ask ask = { .period = 1000003, .selects = true, .nr = 1, .targets = &a.pid };
	int fd = start(&ask);

	select_one(fd, a.pid);
	order(a, ORDER_FORK);
	await_nonzero(&a.orders->child);
	collect_from(a.orders->child, ENOUGH);
	all_have("a child of a selected process is selected", a.orders->child, true);
	order(a, ORDER_CLONE);
	await_nonzero(&a.orders->thread);
	collect_thread(a.orders->thread, ENOUGH);
	holds("a thread of a selected process is selected",
	      thread_with >= ENOUGH && !thread_without);
	order(a, ORDER_EXEC);
	await_nonzero(&a.orders->executed);
	forget();
	collect_from(a.orders->child, ENOUGH);
	collect_from(a.pid, ENOUGH);
	all_have("exec ends the selection", a.orders->child, false);
	all_have("of the process that called it alone", a.pid, true);
	kill(a.orders->child, SIGKILL);
	stop(fd);
	reap(a);
}

/* Programs are selected from the start of the session, or their own, until that is ended. */
static void case_new(void)
{
	struct child a = spawn(3000), b;
	struct ask ask = { .period = 1000003, .selects = true, .selects_new = true };
	int fd = start(&ask);

	collect_from(a.pid, ENOUGH);
	all_have("with NEW a process is selected from the start", a.pid, true);
	deselect_one(fd, a.pid);
	forget();
	collect_from(a.pid, ENOUGH);
	all_have("until its selection is ended", a.pid, false);
	order(a, ORDER_FORK);
	await_nonzero(&a.orders->child);
	collect_from(a.orders->child, ENOUGH);
	all_have("as that of its child is", a.orders->child, false);
	order(a, ORDER_EXEC);
	await_nonzero(&a.orders->executed);
	forget();
	collect_from(a.orders->child, ENOUGH);
	collect_from(a.pid, ENOUGH);
	all_have("a program that is executed is selected again", a.orders->child, true);
	all_have("but not its parent", a.pid, false);
	b = spawn(1000);
	collect_from(b.pid, ENOUGH);
	all_have("so is a child of the test, which nothing has ended", b.pid, true);
	kill(a.orders->child, SIGKILL);
	stop(fd);
	reap(a);
	reap(b);
}

static uint64_t unread(void)
{
	uint64_t most = 0;

	for (int i = 0; i < CPUS && maps[i].ring; i++) {
		uint64_t n = __atomic_load_n(&maps[i].ring->head, __ATOMIC_ACQUIRE) - maps[i].tail->tail;

		most = n > most ? n : most;
	}
	return most;
}

static uint64_t lost(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < CPUS && maps[i].ring; i++)
		for (int k = 0; k < LBRSCOPE_LOST_NR; k++)
			sum += maps[i].ring->lost[k];
	return sum;
}

/* The rest of a ring that is half full is left to samples without a stack. */
static void case_crowded(void)
{
	struct child a = spawn(20000);
	struct ask ask = { .period = 300007, .selects = true, .nr = 1, .targets = &a.pid };
	int fd = start(&ask), i;
	struct tally t;

	select_one(fd, a.pid);
	forget();
	for (i = 0; i < 6000 && unread() < RING / 2 + 50000; i++)
		usleep(10000);
	read_rings();
	t = of(a.pid);
	printf("# %u with a stack, %u without, lost %llu\n", t.with, t.without,
	       (unsigned long long)lost());
	holds("half of a ring is filled with stacks", t.with > RING / 2 / 20000 / 4 && t.whole == t.with);
	holds("and no more", t.with <= RING / 2 / 20000 + 1);
	holds("samples go on without stacks", t.without >= 100 && !t.wrong);
	holds("and say why", t.crowded == t.without);
	holds("none is lost", !lost());
	/* what another CPU wrote while the ring was being read above */
	read_rings();
	forget();
	collect_from(a.pid, ENOUGH);
	all_have("they have the stack again when the reader has caught up", a.pid, true);
	stop(fd);
	reap(a);
}

/* Reads what rings that overwrite hold after nr samples, or a minute. */
static void collect_frozen(int fd, unsigned int nr)
{
	uint64_t samples = 0;

	for (int i = 0; i < 60000 && samples < nr; i++) {
		samples = 0;
		for (int k = 0; k < CPUS && maps[k].ring; k++)
			samples += maps[k].ring->produced;
		usleep(1000);
	}
	command(LBRSCOPE_CMD_SESSION_FREEZE, fd);
	for (int i = 0; i < CPUS && maps[i].ring; i++)
		maps[i].tail->tail = maps[i].ring->oldest;
	read_rings();
}

/* Where rings overwrite, no sample has its room beforehand. */
static void case_audit_overwrite(void)
{
	struct child a = spawn(1000);
	struct ask ask = { .period = 30011, .selects = true, .audit = 8, .overwrite = true,
			   .nr = 1, .targets = &a.pid };
	int fd = start(&ask);
	struct tally t;
	double n, want;

	collect_frozen(fd, 2000);
	t = of(a.pid);
	n = t.with + t.without;
	want = n / ask.audit;
	printf("# 1 in %u: %u of %.0f samples\n", ask.audit, t.with, n);
	holds("the requested share is audited where the rings overwrite", n >= 500 &&
	      (t.with - want) * (t.with - want) <= 25 * (1 + want / 3));
	stop(fd);
	reap(a);
}

static void case_audit(void)
{
	static const uint32_t rates[] = { 1, 8, 40 };
	struct child a = spawn(1000), b = spawn(1000);

	for (unsigned int i = 0; i < 3; i++) {
		struct ask ask = { .period = 30011, .selects = true, .audit = rates[i] };
		int fd = start(&ask);
		struct tally t;
		double n, want;

		not_audited = b.pid;
		select_one(fd, b.pid);
		forget();
		collect_from(a.pid, 2000);
		t = of(a.pid);
		n = t.with + t.without;
		want = n / rates[i];
		printf("# 1 in %u: %u of %.0f samples, gaps from %u to %u\n", rates[i], t.with, n,
		       shortest, longest);
		/* Within five standard deviations: gaps are even, from 1 to 2 rates[i] - 1. */
		holds("the requested share of the samples is audited", n >= 2000 &&
		      (t.with - want) * (t.with - want) <= 25 * (1 + want / 3));
		holds("audited samples are marked, and no others", t.audited == t.with && !t.wrong);
		holds("the distances of audited samples vary", rates[i] == 1 ||
		      (shortest <= rates[i] / 2 && longest >= rates[i] * 3 / 2));
		holds("none is longer than twice the mean", longest < 2 * rates[i]);
		holds("an audited stack is the stack", t.whole == t.with);
		holds("nothing of a selected process is audited", of(b.pid).with && !of(b.pid).audited);
		stop(fd);
	}
	not_audited = 0;
	reap(a);
	reap(b);
}

#include "stacks_refusals.h"

/* Threads begin and end while their process is selected again and again, and processes end. */
static void case_races(void)
{
	struct child a = spawn(1000);
	struct ask ask = { .period = 100003, .selects = true };
	int fd = start(&ask), i, j;

	order(a, ORDER_SWARM);
	for (i = 0; i < 20; i++) {
		deselect_one(fd, a.pid);
		for (j = 0; j < 50; j++)
			task_stack(fd, &a.pid, 1, j % 2);
		select_one(fd, a.pid);
		forget();
		collect_from(a.pid, ENOUGH);
		if (of(a.pid).without)
			break;
	}
	holds("a thread that is cloned meanwhile is selected, too", i == 20 && of(a.pid).with);
	for (i = 0; i < 100; i++) {
		struct child one = spawn(1000);

		if (select_one(fd, one.pid))
			break;
		kill(one.pid, SIGKILL);
		task_stack(fd, &one.pid, 1, i % 2);
		reap(one);
	}
	holds("processes end while they are selected", i == 100);
	stop(fd);
	reap(a);
}

/* Compares the cost of a sample for the kernel, by the lab's meter, in a session that selects
 * nothing and in one that requests no stack. */
static void metered(bool selects)
{
	struct child a = spawn(1000);
	struct ask ask = { .period = 100003, .nr = 1, .targets = &a.pid, .no_stack = !selects,
			   .selects = selects, .audit = selects ? 1000000 : 0 };
	int fd = start(&ask);

	collect_from(a.pid, 500);
	all_have("samples without a stack", a.pid, false);
	stop(fd);
	reap(a);
}

static void case_metered_none(void) { metered(false); }
static void case_metered_unselected(void) { metered(true); }

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "window", case_window }, { "select", case_select }, { "inherit", case_inherit },
	{ "foreign", case_foreign },
	{ "new", case_new }, { "crowded", case_crowded }, { "audit", case_audit },
	{ "audit-overwrite", case_audit_overwrite },
	{ "refusals", case_refusals }, { "races", case_races },
	{ "metered-none", case_metered_none }, { "metered-unselected", case_metered_unselected },
	{ "deep", deep },
};

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "spin"))
		executed(argv[2]);
	if (argc > 2)
		branches = atoi(argv[2]);
	if (connect_family())
		return 1;
	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return failed;
		}
	return 2;
}
