// SPDX-License-Identifier: GPL-2.0
/*
 * A program that leaves the CPU in known places, and prints the times by its own clock.
 *
 *   offcpu places ROUNDS DISK [MS]
 *                               blocks ROUNDS times in each place: a futex, a pipe, sleep,
 *                               a disk (DISK is a file, or "" for no disk) and vfork. The
 *                               program sleeps for MS ms first
 *   offcpu busy MS [BEFORE]     two threads on one CPU, until each has used MS of it and was
 *                               preempted TURNS times; begins after BEFORE ms
 *   offcpu hop ROUNDS           sleeps ROUNDS times on CPU 0, and is busy on CPU 1
 *   offcpu steps SHORT LONG     at each line of input sleeps SHORT times for 1 ms and LONG
 *                               times for 20 ms, and prints "done"; until the input ends
 *
 * Each place is reached through five functions of its own; the innermost is called PLACE_1. A
 * second thread wakes the first when its count of switches shows that it has blocked. If an
 * interrupt wakes it, the second thread is busy meanwhile, so that the interrupt has a task to
 * interrupt.
 *
 * All except the last print, in ns of CLOCK_MONOTONIC:
 *   place NAME TID START END WAKE WAKER BLOCKED
 *                                         one time in a place; WAKE: when it was woken, by
 *                                         thread WAKER; both 0 if by an interrupt; BLOCKED:
 *                                         how often it blocked, 0 if the interrupt came first
 *   thread TID A B C D VOL INVOL CPU      a thread made VOL voluntary and INVOL involuntary
 *                                         switches, and used CPU ns, from a time between A
 *                                         and B to a time between C and D
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

#define NODE static long __attribute__((noipa))
#define SLEEP_NS 5000000
#define TURNS 20
#define MAX_TIMES 4096

static atomic_int word;		/* of the futex */
static int wake_pipe[2];	/* what the first thread reads */
static int ask_pipe[2];		/* and writes to, to be woken */
static int disk = -1;
static void *sector;

/* What the second thread, or the child, knows of the first, and reports of itself. */
static pid_t first;
static atomic_long first_switches;
static atomic_int visited;	/* number of wakeups */
static volatile pid_t second;
static volatile uint64_t woken_at;

/* The request: a place by its first letter, and the number of the round. */
struct asked {
	char place;
	int number;
};

static struct times {
	const char *place;
	uint64_t start, end, wake;
	pid_t waker;
	long blocked;
} times[MAX_TIMES];
static int nr_times;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* The places: the innermost function blocks. */

NODE futex_1(long x)
{
	long ret = syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);

	return ret + x;
}

NODE pipe_1(long x)
{
	char c;
	long ret = read(wake_pipe[0], &c, 1);

	return ret - 1 + x;
}

NODE sleep_1(long x)
{
	const struct timespec t = { .tv_nsec = SLEEP_NS };
	long ret = clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);

	return ret + x;
}

NODE disk_1(long x)
{
	long ret = pread(disk, sector, 4096, 0);

	return (ret == 4096 ? 0 : -1) + x;
}

/* Waits until thread tid of process pid has made another voluntary switch. */
static void wait_for_switch(pid_t pid, pid_t tid)
{
	char path[64], text[4096], *at;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	do {
		fd = open(path, O_RDONLY);
		len = read(fd, text, sizeof(text) - 1);
		close(fd);
		if (len < 0)
			die("the first thread's status");
		text[len] = 0;
		at = strstr(text, "\nvoluntary_ctxt_switches:");
	} while (!at || strtol(at + 25, NULL, 10) <= atomic_load(&first_switches));
}

NODE vfork_1(long x)
{
	const struct timespec t = { .tv_nsec = SLEEP_NS };
	pid_t parent = getpid(), child = vfork();

	if (!child) {
		wait_for_switch(parent, first);
		nanosleep(&t, NULL);
		second = getpid();
		woken_at = now(CLOCK_MONOTONIC);
		_exit(0);
	}
	return (child > 0 ? 0 : -1) + x;
}

/* Frames of several sizes, so that an unwinder that is wrong fails. */
#define STEP(name, inner, size) \
NODE name(long x) { volatile char room[size]; room[0] = x; return inner(x) + room[0]; }
#define PLACE(name) \
	STEP(name##_2, name##_1, 8) STEP(name##_3, name##_2, 40) \
	STEP(name##_4, name##_3, 24) STEP(name##_5, name##_4, 72)

PLACE(futex)
PLACE(pipe)
PLACE(sleep)
PLACE(disk)
PLACE(vfork)

static const struct place {
	const char *name;
	long (*enter)(long x);
	char wake;	/* the waker: the second thread, a child, an interrupt */
} places[] = {
	{ "futex", futex_5, 't' }, { "pipe", pipe_5, 't' }, { "sleep", sleep_5, 'i' },
	{ "disk", disk_5, 'i' }, { "vfork", vfork_5, 'c' },
};

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* The second thread: waits for a request, and wakes the first in one of both ways, or not. */
static void *waker(void *arg)
{
	const struct timespec t = { .tv_nsec = SLEEP_NS };
	struct asked asked;

	run_on(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	while (read(ask_pipe[0], &asked, sizeof(asked)) == sizeof(asked)) {
		if (asked.place != 'f' && asked.place != 'p') {
			while (atomic_load(&visited) < asked.number)
				;
			continue;
		}
		wait_for_switch(getpid(), first);
		nanosleep(&t, NULL);
		second = gettid();
		woken_at = now(CLOCK_MONOTONIC);
		if (asked.place == 'p' && write(wake_pipe[1], "", 1) != 1)
			die("waking by the pipe");
		if (asked.place == 'f') {
			atomic_store(&word, 1);
			syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
		}
	}
	return arg;
}

static void visit(const struct place *place)
{
	struct times *t = &times[nr_times++];
	struct asked asked = { place->name[0], nr_times };

	t->place = place->name;
	second = 0;
	woken_at = 0;
	atomic_store(&word, 0);
	/* The request itself may switch, which does not count. */
	atomic_store(&first_switches, LONG_MAX);
	if (place->wake != 'c' &&
	    write(ask_pipe[1], &asked, sizeof(asked)) != sizeof(asked))
		die("asking to be woken");
	atomic_store(&first_switches, switches());
	t->start = now(CLOCK_MONOTONIC);
	if (place->enter(0))
		die(place->name);
	t->end = now(CLOCK_MONOTONIC);
	atomic_store(&visited, nr_times);
	t->blocked = switches() - atomic_load(&first_switches);
	t->wake = woken_at;
	t->waker = second;
	while (place->wake == 'c' && wait(NULL) > 0)
		;
}

/* The kernel's statistics of a thread, and the times before and after it was asked. */
struct account {
	uint64_t before, after, cpu;
	struct rusage usage;
};

static struct account account(void)
{
	struct account a;

	a.before = now(CLOCK_MONOTONIC);
	a.cpu = now(CLOCK_THREAD_CPUTIME_ID);
	getrusage(RUSAGE_THREAD, &a.usage);
	a.after = now(CLOCK_MONOTONIC);
	return a;
}

static void print_thread(const struct account *a, const struct account *b)
{
	printf("thread %d %lu %lu %lu %lu %ld %ld %lu\n", gettid(), a->before, a->after,
	       b->before, b->after, b->usage.ru_nvcsw - a->usage.ru_nvcsw,
	       b->usage.ru_nivcsw - a->usage.ru_nivcsw, b->cpu - a->cpu);
}

static int visit_places(int rounds, const char *file)
{
	struct account a, b;
	pthread_t thread;

	first = gettid();
	run_on(0);
	if (pipe(wake_pipe) || pipe(ask_pipe))
		die("pipes");
	if (*file) {
		disk = open(file, O_RDONLY | O_DIRECT);
		if (disk < 0 || posix_memalign(&sector, 4096, 4096))
			die(file);
	}
	pthread_create(&thread, NULL, waker, NULL);
	a = account();
	for (int i = 0; i < rounds; i++)
		for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++)
			if (*file || strcmp(places[k].name, "disk"))
				visit(&places[k]);
	b = account();
	for (int i = 0; i < nr_times; i++)
		printf("place %s %d %lu %lu %lu %d %ld\n", times[i].place, first,
		       times[i].start, times[i].end, times[i].wake, times[i].waker,
		       times[i].blocked);
	print_thread(&a, &b);
	return 0;
}

/*
 * Returns how many of two threads have to be preempted further, up to TURNS times. Their CPU
 * times alone do not show that they shared the CPU: a host may delay the second one, or pause
 * the machine during one's turn, which the kernel counts as its share.
 */
static atomic_int still_to_turn;

static long preemptions(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

/* The innermost of its five functions. It does not leave the CPU by itself. */
NODE busy_1(long ns)
{
	long enough = preemptions() + TURNS;
	volatile uint64_t sum = 1;

	while (now(CLOCK_THREAD_CPUTIME_ID) < (uint64_t)ns ||
	       atomic_load(&still_to_turn) > 0) {
		for (int i = 0; i < 1000000; i++)
			sum = sum * 3 + i;
		if (preemptions() >= enough) {
			atomic_fetch_sub(&still_to_turn, 1);
			enough = LONG_MAX;
		}
	}
	return 0;
}

PLACE(busy)

static void *busy(void *ns)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct account a, b;

	run_on(0);
	a = account();
	busy_5((long)ns);
	b = account();
	pthread_mutex_lock(&lock);
	print_thread(&a, &b);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int be_busy(long ms)
{
	pthread_t threads[2];

	atomic_store(&still_to_turn, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, busy, (void *)(ms * 1000000));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int hop(int rounds)
{
	struct account a, b;

	run_on(0);
	a = account();
	for (int i = 0; i < rounds; i++) {
		sleep_5(0);
		run_on(1);
		busy_5(now(CLOCK_THREAD_CPUTIME_ID) + SLEEP_NS);
		run_on(0);
	}
	b = account();
	print_thread(&a, &b);
	return 0;
}

static int steps(int nr_short, int nr_long)
{
	const struct timespec t_short = { .tv_nsec = 1000000 }, t_long = { .tv_nsec = 20000000 };
	char line[64];

	while (read(0, line, sizeof(line)) > 0) {
		for (int i = 0; i < nr_short; i++)
			nanosleep(&t_short, NULL);
		for (int i = 0; i < nr_long; i++)
			nanosleep(&t_long, NULL);
		puts("done");
		fflush(stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if ((argc == 4 || argc == 5) && !strcmp(argv[1], "places")) {
		usleep(argc == 5 ? atoi(argv[4]) * 1000 : 0);
		return visit_places(atoi(argv[2]), argv[3]);
	}
	if ((argc == 3 || argc == 4) && !strcmp(argv[1], "busy")) {
		usleep(argc == 4 ? atoi(argv[3]) * 1000 : 0);
		return be_busy(atol(argv[2]));
	}
	if (argc == 3 && !strcmp(argv[1], "hop"))
		return hop(atoi(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "steps"))
		return steps(atoi(argv[2]), atoi(argv[3]));
	fprintf(stderr, "usage: offcpu places ROUNDS DISK [MS] | busy MS [BEFORE] | hop ROUNDS | steps SHORT LONG\n");
	return 2;
}
