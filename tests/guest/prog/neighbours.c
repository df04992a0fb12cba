// SPDX-License-Identifier: GPL-2.0
/*
 * What a user without privilege can do to others through the module, by a client that shares
 * no code with lbrctl.  Started by root.
 *
 *   neighbours stall UID THREADS WHAT   as UID, THREADS threads send commands of one session
 *                                       without a pause.  Meanwhile root sends requests to
 *                                       another family and registers one (module ../wedge).
 *                                       Prints the longest of these in us, how many threads
 *                                       were seen waiting in the kernel, and how many commands
 *                                       were refused because too many waited.  WHAT:
 *                                       "commands" (START, STOP and COUNTS_GET of a session),
 *                                       "info" (INFO_GET), or "other" (requests to another
 *                                       family: what the threads cost without the module)
 *   neighbours poke UID CPU             as UID, on CPU 0: a session, and many requests of each kind.
 *                                       Prints the interrupts of CPU for each kind
 *   neighbours starts UID CPU           as UID, on CPU 0: STARTs and STOPs for three seconds. Prints
 *                                       their number, the answer to the first START that was
 *                                       refused, and the interrupts of CPU since the first STOP
 *   neighbours name UID CPU             as UID: names this CPU for a session, and prints the answer
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "protocol.h"

static void fatal(const char *what)
{
	fprintf(stderr, "neighbours: %s: %s (%s)\n", what, strerror(errno), reply_text);
	exit(2);
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ULL + t.tv_nsec / 1000;
}

/* flag: LBRSCOPE_SESSION_A_OVERWRITE or _TASK_COUNTS, or 0 */
static int configure(uint16_t flag)
{
	int fd = device();

	if (fd < 0)
		fatal("the device");
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(INSTRUCTIONS_U, 1000003);
	put32(LBRSCOPE_SESSION_A_TARGET_PIDS, getpid());
	put32(LBRSCOPE_SESSION_A_RING_SIZE, LBRSCOPE_RING_SIZE_MIN);
	if (flag)
		put(flag, NULL, 0);
	errno = talk();
	if (errno)
		fatal("SESSION_SET");
	return fd;
}

static int counts(int fd, uint32_t cpu)
{
	begin(family, LBRSCOPE_CMD_COUNTS_GET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put32(LBRSCOPE_SESSION_A_CPU, cpu);
	return talk();
}

static int other(void)
{
	begin(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	put(CTRL_ATTR_FAMILY_NAME, "nlctrl", sizeof("nlctrl"));
	return talk();
}

static int info(void)
{
	begin(family, LBRSCOPE_CMD_INFO_GET);
	return talk();
}

static struct { int fd; char what; } attack;
/* ready: threads that can send */
static struct shared {
	int ready;
	uint64_t refused;
} *shared;

/*
 * A pipe whose end lets the threads begin, when all can send: those that are refused at once
 * would keep the CPU from the thread that makes the others.
 */
static int go[2];

static void count_refusal(void)
{
	if (reply_errno == EBUSY && strstr(reply_text, "one after the other"))
		__atomic_fetch_add(&shared->refused, 1, __ATOMIC_RELAXED);
}

static void *send_for_ever(void *arg)
{
	char none;

	(void)arg;
	if (connect_family())
		_exit(2);
	__atomic_fetch_add(&shared->ready, 1, __ATOMIC_RELAXED);
	(void)!read(go[0], &none, 1);
	for (;;) {
		if (attack.what == 'i') {
			info();
		} else if (attack.what == 'o') {
			other();
		} else {
			command(LBRSCOPE_CMD_SESSION_START, attack.fd);
			count_refusal();
			command(LBRSCOPE_CMD_SESSION_STOP, attack.fd);
			counts(attack.fd, 0);
		}
	}
}

static void attack_as(uid_t uid, int nr)
{
	pthread_attr_t small;
	pthread_t thread;

	become(uid);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(go[1]);
	if (attack.what == 'c') {
		if (connect_family())
			_exit(2);
		attack.fd = configure(0);
	}
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 256 << 10);
	while (nr--)
		if (pthread_create(&thread, &small, send_for_ever, NULL))
			_exit(2);
	for (;;)
		pause();
}

static uint64_t family_registered(void)
{
	int fd = open("/sys/module/wedge/parameters/family", O_WRONLY);
	uint64_t begin_us = now_us();

	if (fd < 0 || write(fd, "1", 1) != 1)
		fatal("registering a family");
	close(fd);
	return now_us() - begin_us;
}

struct longest { uint64_t request, registration; };

static void *register_families(void *arg)
{
	struct longest *l = arg;

	for (int i = 0; i < 10; i++) {
		uint64_t us = family_registered();

		if (us > l->registration)
			l->registration = us;
		usleep(20000);
	}
	l->request |= 1ULL << 63;
	return NULL;
}

/* Requests of another family, one each 2 ms, until the families are registered. */
static void ask(volatile struct longest *l)
{
	uint64_t longest = 0;

	while (!(l->request >> 63)) {
		uint64_t begin_us = now_us(), us;

		if (other())
			fatal("GETFAMILY");
		us = now_us() - begin_us;
		if (us > longest)
			longest = us;
		usleep(2000);
	}
	l->request = longest;
}

/* The threads of a process in state D.  The answer is not of one moment. */
static int waiting(pid_t pid)
{
	struct dirent *entry;
	char path[40];
	int nr = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)))
		nr += state_of(atoi(entry->d_name)) == 'D';
	if (tasks)
		closedir(tasks);
	return nr;
}

static int most_waiting(pid_t pid)
{
	int most = 0, nr;

	for (int i = 0; i < 5; i++, usleep(20000)) {
		nr = waiting(pid);
		if (nr > most)
			most = nr;
	}
	return most;
}

static int stall(uid_t uid, int threads, const char *what)
{
	/* What is measured is the wait for others' requests, not that for a CPU. */
	struct sched_param first = { .sched_priority = 10 };
	struct longest longest = { 0 };
	pthread_t thread;
	pid_t child;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	attack.what = what[0];
	if (pipe(go))
		fatal("pipe");
	child = fork();
	if (!child)
		attack_as(uid, threads);
	while (__atomic_load_n(&shared->ready, __ATOMIC_RELAXED) < threads) {
		if (waitpid(child, NULL, WNOHANG))
			fatal("the threads");
		usleep(10000);
	}
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		fatal("sched_setscheduler");
	close(go[1]);
	usleep(500000);
	if (pthread_create(&thread, NULL, register_families, &longest))
		fatal("pthread_create");
	ask(&longest);
	pthread_join(thread, NULL);
	printf("request %llu registration %llu waiting %d refused %llu\n",
	       (unsigned long long)longest.request, (unsigned long long)longest.registration,
	       most_waiting(child),
	       (unsigned long long)__atomic_load_n(&shared->refused, __ATOMIC_RELAXED));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}

/* All interrupts of a CPU: the sum of its column. */
static uint64_t interrupts(int cpu)
{
	FILE *f = fopen("/proc/interrupts", "r");
	uint64_t sum = 0;
	char line[4096];

	while (f && fgets(line, sizeof(line), f)) {
		char *at = strchr(line, ':');

		for (int i = 0; at && i <= cpu; i++) {
			uint64_t nr = strtoull(at + !i, &at, 10);

			sum += i == cpu ? nr : 0;
		}
	}
	if (f)
		fclose(f);
	return sum;
}

#define POKES	300

static void freeze(int fd, int cpu)
{
	(void)cpu;
	command(LBRSCOPE_CMD_SESSION_FREEZE, fd);
	command(LBRSCOPE_CMD_SESSION_THAW, fd);
}

static void ask_counts(int fd, int cpu) { counts(fd, cpu); }
static void ask_tasks(int fd, int cpu)
{
	(void)cpu;
	command(LBRSCOPE_CMD_TASK_COUNTS_GET, fd);
}

static void poke_with(const char *name, uint16_t flag, bool runs, void (*poke)(int fd, int cpu),
		      int cpu)
{
	int fd = configure(flag);
	uint64_t before;

	if (runs && command(LBRSCOPE_CMD_SESSION_START, fd))
		fatal("START");
	usleep(100000);
	before = interrupts(cpu);
	for (int i = 0; i < POKES; i++)
		poke(fd, cpu);
	printf("%s %llu\n", name, (unsigned long long)(interrupts(cpu) - before));
	fflush(stdout);
	close(fd);
	usleep(100000);
}

static void nothing(int fd, int cpu)
{
	(void)fd;
	(void)cpu;
	other();
}

static int poke(uid_t uid, int cpu)
{
	run_on(0);
	become(uid);
	poke_with("nothing", 0, false, nothing, cpu);
	poke_with("counts-of-a-session-that-was-set", 0, false, ask_counts, cpu);
	poke_with("counts", 0, true, ask_counts, cpu);
	poke_with("task-counts", LBRSCOPE_SESSION_A_TASK_COUNTS, true, ask_tasks, cpu);
	poke_with("freeze", LBRSCOPE_SESSION_A_OVERWRITE, true, freeze, cpu);
	return 0;
}

static int name(uid_t uid, const char *cpu)
{
	int fd;

	become(uid);
	fd = device();
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(INSTRUCTIONS_U, 1000003);
	put32(LBRSCOPE_SESSION_A_TARGET_PIDS, getpid());
	put(LBRSCOPE_SESSION_A_CPUS, cpu, strlen(cpu) + 1);
	talk();
	printf("%s: %s\n", strerror(reply_errno), reply_text);
	return 0;
}

static int starts(uid_t uid, int cpu)
{
	uint64_t began, before = 0;
	int fd, started = 0;

	run_on(0);
	become(uid);
	fd = configure(0);
	for (began = now_us(); now_us() - began < 3000000;) {
		if (!command(LBRSCOPE_CMD_SESSION_START, fd))
			started++;
		else if (reply_errno != EBUSY)
			break;
		command(LBRSCOPE_CMD_SESSION_STOP, fd);
		if (started == 1)
			before = interrupts(cpu);
	}
	printf("started %d then %s: %s\n", started, strerror(reply_errno), reply_text);
	printf("interrupts %llu\n", (unsigned long long)(interrupts(cpu) - before));
	return 0;
}

int main(int argc, char **argv)
{
	if (connect_family())
		fatal("the family");
	if (argc == 5 && !strcmp(argv[1], "stall"))
		return stall(atoi(argv[2]), atoi(argv[3]), argv[4]);
	if (argc == 4 && !strcmp(argv[1], "poke"))
		return poke(atoi(argv[2]), atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "starts"))
		return starts(atoi(argv[2]), atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "name"))
		return name(atoi(argv[2]), argv[3]);
	return 2;
}
