// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the counts of each task (LBRSCOPE_SESSION_A_TASK_COUNTS), by a client of the module
 * that shares no code with lbrctl and measures its own threads and children, which execute a
 * known number of instructions. Result lines.
 */
#include <linux/lbrscope_ring.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol.h"

#define PAGE		4096
#define CPUS		64
#define THREADS		300	/* the first half exist before the start */
#define CHILDREN	100
#define MANY		2000	/* children: more than two of the smallest rings hold */
#define STEP		500	/* instructions of the first task; the second executes twice as
				 * many, ... */
#define SLACK		9000	/* the most that the C library adds */
#define TASKS		(2 * THREADS + MANY)

static int failed;

static void holds(const char *what, bool good)
{
	printf("%sok - %s\n", good ? "" : "not ", what);
	failed |= !good;
}

/* Two instructions a round. */
static void work(uint64_t instructions)
{
	uint64_t rounds = instructions / 2;

	asm volatile("1: dec %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
}

/* The truth of a task, and its reported counts. */
static struct known {
	uint32_t tid;
	uint64_t worked;
	unsigned int told;
} known[TASKS];
static unsigned int nr_known;

static struct tally {
	uint64_t tasks, sum, strangers, wrong, pages, bytes;
} tally;

static struct known *known_of(uint32_t tid)
{
	for (unsigned int i = 0; i < nr_known; i++)
		if (known[i].tid == tid)
			return &known[i];
	return NULL;
}

static void take(const struct lbrscope_task_counts *counts)
{
	struct known *k = known_of(counts->tid);
	uint64_t value = counts->counts[0].value;

	tally.tasks++;
	tally.sum += value;
	if (!k)
		tally.strangers++;
	else if (k->told++ || (k->worked && (value < k->worked || value > k->worked + SLACK)))
		tally.wrong++;
	if (counts->rec.nr != 1 || !counts->id || strcmp(counts->comm, "tasks") ||
	    counts->counts[0].running != counts->enabled)
		tally.wrong++;
}

static int take_page(int fd, uint64_t *cursor)
{
	const uint8_t *at;

	begin(family, LBRSCOPE_CMD_TASK_COUNTS_GET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	if (*cursor)
		put64(LBRSCOPE_SESSION_A_CURSOR, *cursor);
	if (talk())
		return -1;
	tally.pages++;
	at = find(LBRSCOPE_COUNTS_A_TASKS);
	for (uint64_t left = at ? length(at) : 0; left;) {
		const struct lbrscope_task_counts *counts = (const void *)at;

		if (left < sizeof(*counts) || counts->rec.size > left)
			return -1;
		take(counts);
		left -= counts->rec.size;
		at += counts->rec.size;
	}
	*cursor = find64(LBRSCOPE_COUNTS_A_CURSOR);
	return 0;
}

/* Reads the counts of all tasks that have not ended. */
static bool take_living(int fd)
{
	uint64_t cursor = 0;

	tally = (struct tally){ 0 };
	do {
		if (take_page(fd, &cursor))
			return false;
	} while (cursor);
	return true;
}

static struct ring {
	const struct lbrscope_ring *ring;
	struct lbrscope_ring_tail *tail;
} rings[CPUS];

static bool map_rings(int fd, unsigned int cpus)
{
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		rings[cpu].ring = mmap(NULL, PAGE + LBRSCOPE_RING_SIZE_MIN, PROT_READ,
				       MAP_SHARED, fd, LBRSCOPE_RING_OFF(cpu));
		rings[cpu].tail = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				       LBRSCOPE_RING_TAIL_OFF(cpu));
		if (rings[cpu].ring == MAP_FAILED || rings[cpu].tail == MAP_FAILED)
			return false;
	}
	return true;
}

/* Reads the records of the tasks that have ended. */
static void take_ended(unsigned int cpus)
{
	tally = (struct tally){ 0 };
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		const char *data = (const char *)rings[cpu].ring + rings[cpu].ring->data_offset;
		uint64_t at = rings[cpu].tail->tail, head = rings[cpu].ring->head;

		while (at != head) {
			const struct lbrscope_record *rec =
				(const void *)(data + (at & (LBRSCOPE_RING_SIZE_MIN - 1)));

			if (rec->type == LBRSCOPE_RECORD_TASK_COUNTS)
				take((const void *)rec);
			else if (rec->type != LBRSCOPE_RECORD_PAD)
				tally.wrong++;
			at += rec->size;
		}
		rings[cpu].tail->tail = at;
	}
}

static uint64_t counted(int fd, unsigned int cpus)
{
	uint64_t sum = 0;

	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		const struct lbrscope_count *count;

		begin(family, LBRSCOPE_CMD_COUNTS_GET);
		put32(LBRSCOPE_SESSION_A_FD, fd);
		put32(LBRSCOPE_SESSION_A_CPU, cpu);
		talk();
		count = find(LBRSCOPE_COUNTS_A_COUNTS);
		sum += count ? count->value : 0;
	}
	return sum;
}

static int gate[2], done[2];

static void *thread(void *arg)
{
	struct known *k = arg;
	char c = 0;

	k->tid = syscall(SYS_gettid);
	if (write(done[1], &c, 1) == 1 && read(gate[0], &c, 1) == 1) {
		work(k->worked);
		if (write(done[1], &c, 1) != 1)
			abort();
	}
	pause();
	return NULL;
}

static void wait_done(unsigned int nr)
{
	char c;

	while (nr && read(done[0], &c, 1) == 1)
		nr--;
}

static void make_threads(unsigned int from, unsigned int to)
{
	pthread_attr_t small;
	pthread_t id;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (; from < to; from++) {
		struct known *k = &known[nr_known++];

		k->worked = (from + 1) * STEP;
		if (pthread_create(&id, &small, thread, k))
			abort();
		wait_done(1);
	}
}

/* Makes a child: a copy of this process, or, which is faster, one in the same memory. */
static pid_t spawn(bool copy, uint64_t instructions)
{
	pid_t pid = copy ? fork() : vfork();

	if (!pid) {
		work(instructions);
		_exit(0);
	}
	return pid;
}

static void make_children(unsigned int nr, bool copies)
{
	for (unsigned int i = 0; i < nr; i++) {
		struct known *k = &known[nr_known++];

		k->worked = (i % CHILDREN + 1) * STEP;
		k->told = 0;
		k->tid = spawn(copies, k->worked);
		waitpid(k->tid, NULL, 0);
	}
}

static int session_set(int fd, const uint32_t *pid, bool by_task)
{
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	event_close(event_open(INSTRUCTIONS_U));
	if (pid)
		put32(LBRSCOPE_SESSION_A_TARGET_PIDS, *pid);
	if (by_task)
		put(LBRSCOPE_SESSION_A_TASK_COUNTS, NULL, 0);
	put32(LBRSCOPE_SESSION_A_RING_SIZE, LBRSCOPE_RING_SIZE_MIN);
	return talk();
}

static void refusals(int fd, uint32_t pid)
{
	uint64_t cursor = 0;
	int other = device();

	holds("without a target there are no counts by task",
	      session_set(other, NULL, true) == EINVAL && reply_text[0]);
	holds("not asked for", !session_set(other, &pid, false) &&
	      !command(LBRSCOPE_CMD_SESSION_START, other) && take_page(other, &cursor) &&
	      reply_errno == EINVAL && reply_text[0]);
	close(other);
	holds("not started", !session_set(fd, &pid, true) && take_page(fd, &cursor) &&
	      reply_errno == ENODATA && reply_text[0]);
}

/* A second START fails, since the target is gone; it discards the previous counts. */
static void gone(void)
{
	int fd = device();
	uint64_t cursor = 0;
	pid_t pid = fork();
	uint32_t target = pid;

	if (!pid)
		for (;;)
			pause();
	holds("of a child", !session_set(fd, &target, true) &&
	      !command(LBRSCOPE_CMD_SESSION_START, fd) &&
	      !command(LBRSCOPE_CMD_SESSION_STOP, fd) && take_living(fd) && tally.tasks == 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	holds("a session whose task is gone: START fails, and no task has counts",
	      command(LBRSCOPE_CMD_SESSION_START, fd) == ESRCH && take_page(fd, &cursor) &&
	      reply_errno == ENODATA && reply_text[0]);
	close(fd);
}

/* A wrong cursor may give fewer tasks, and does no harm. */
static void liars(int fd)
{
	static const uint64_t lies[] = {
		1, ~0ULL, 1ULL << 63, 4096ULL << 48, 4095ULL << 48 | 1, (1ULL << 48) - 1,
	};
	bool good = true;

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		uint64_t cursor = lies[i];

		good &= !take_page(fd, &cursor);
	}
	holds("cursors that no reply contained", good);
}

/* Every thread once, with its instructions; then all of them once more, and all others. */
static void living_and_ended(int fd, unsigned int cpus)
{
	uint64_t ended, none;

	for (unsigned int i = 0; i < nr_known; i++)
		known[i].told = 0;
	holds("TASK_COUNTS has the running tasks", take_living(fd));
	printf("# %llu tasks in %llu pages, %llu strangers, %llu wrong\n",
	       (unsigned long long)tally.tasks, (unsigned long long)tally.pages,
	       (unsigned long long)tally.strangers, (unsigned long long)tally.wrong);
	holds("each once, as much as it has run", tally.tasks == THREADS + 1 &&
	      tally.strangers == 1 && !tally.wrong && tally.pages > 1);
	liars(fd);
	for (unsigned int i = 0; i < nr_known; i++)
		known[i].told = 0;
	holds("stopped", !command(LBRSCOPE_CMD_SESSION_STOP, fd));
	take_ended(cpus);
	printf("# %llu ended, %llu strangers, %llu wrong\n", (unsigned long long)tally.tasks,
	       (unsigned long long)tally.strangers, (unsigned long long)tally.wrong);
	holds("each child has left a record, of as much as it has run",
	      tally.tasks == CHILDREN && !tally.strangers && !tally.wrong);
	ended = tally.sum;
	holds("TASK_COUNTS has the running tasks after STOP", take_living(fd));
	none = counted(fd, cpus) - ended - tally.sum;
	printf("# %llu by nobody\n", (unsigned long long)none);
	holds("their sum, and that of the ended, is what the CPUs have counted", !none);
}

/* Without a reader: the records and the lost ones are all tasks that have ended. */
static void no_room(int fd, unsigned int cpus)
{
	uint64_t lost;

	nr_known = THREADS;
	holds("started again", !command(LBRSCOPE_CMD_SESSION_START, fd));
	make_children(MANY, false);
	command(LBRSCOPE_CMD_SESSION_STOP, fd);
	take_ended(cpus);
	command(LBRSCOPE_CMD_SESSION_GET, fd);
	lost = find64(LBRSCOPE_STATS_A_TASKS_LOST);
	printf("# %llu ended, %llu wrong, %llu lost\n", (unsigned long long)tally.tasks,
	       (unsigned long long)tally.wrong, (unsigned long long)lost);
	holds("what finds no room is counted",
	      lost && tally.tasks + lost == MANY && !tally.wrong && !tally.strangers);
}

int main(void)
{
	unsigned int cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t pid = getpid();
	int fd;

	setlinebuf(stdout);
	if (connect_family() || cpus > CPUS || pipe(gate) || pipe(done))
		return 1;
	fd = device();
	if (fd < 0)
		return 1;
	make_threads(0, THREADS / 2);
	refusals(fd, pid);
	gone();
	holds("started", map_rings(fd, cpus) && !command(LBRSCOPE_CMD_SESSION_START, fd));
	make_threads(THREADS / 2, THREADS);
	make_children(CHILDREN, true);
	for (unsigned int i = 0; i < THREADS; i++)
		if (write(gate[1], "", 1) != 1)
			return 1;
	wait_done(THREADS);
	living_and_ended(fd, cpus);
	no_room(fd, cpus);
	return failed;
}
