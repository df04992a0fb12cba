// SPDX-License-Identifier: GPL-2.0
/*
 * Gives the module unwinding tables made at random, and lets it unwind the stacks of a process by them: in the
 * overflow's interrupt, and when threads leave the CPU. A table may be damaged; most are well-formed, with rules
 * that no compiler made. What follows the stacks in memory are secrets, which the copy of a stack would not
 * show: no call chain may have one.
 *
 *   tables SECONDS SEED [clock]
 *
 * clock: the CPU has no counters. Prints what it tried.
 */
#include <linux/lbrscope_ring.h>
#include <linux/lbrscope_unwind.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../guest/prog/protocol.h"

#define PAGE		4096
#define RING		LBRSCOPE_RING_SIZE_DEFAULT
#define CPUS		8
#define THREADS		3
#define STACK		(128 << 10)
#define SECRETS		(128 << 10)		/* bytes behind each stack */
#define SECRET		0x5ec200000000ULL	/* the first of them; an address of code could be this */
#define MADE		0x600000000000ULL	/* where code might be */
#define MADE_SIZE	65536
#define ROWS		64
#define RULES		24

static uint64_t state;

static uint64_t number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* --- the process whose stacks are unwound --- */

static void fill(void *from, size_t bytes)
{
	uint64_t *at = (uint64_t *)(((uintptr_t)from + 7) & ~(uintptr_t)7);

	for (size_t i = 0; i < bytes / sizeof(*at) - 1; i++)
		at[i] = SECRET + i;
}

/* Calls itself, with words in its frame that lead on: code, and places on the stack. */
static __attribute__((noinline)) uint64_t descend(unsigned int depth)
{
	volatile uint64_t words[32];
	uint64_t sum = 0;

	for (unsigned int i = 0; i < 32; i++)
		words[i] = number() % 4 ? MADE + number() % MADE_SIZE :
					  (uintptr_t)words + number() % 4096 / 8 * 8;
	if (depth)
		sum = descend(depth - 1);
	else if (number() % 2)
		usleep(500);
	else
		for (unsigned int i = 0; i < 100000; i++)
			sum += words[i % 32];
	return sum + words[sum % 32];
}

static void on_signal(int signal)
{
	(void)signal;
	descend(3);
}

static char *stack_and_secrets(void)
{
	char *memory = mmap(NULL, STACK + SECRETS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	fill(memory + STACK, SECRETS);
	return memory;
}

/* ctx: memory for its handlers' stack, of which 64 KiB that are not in use may be read (kmod/unwind/walk.c). The
 * thread's own variables, such as the messages that it does not send, lie between its stack and what was behind it. */
static void *thread(void *ctx)
{
	fill(&msg, sizeof(msg));
	fill(&reply, sizeof(reply));
	sigaltstack(&(stack_t){ .ss_sp = ctx, .ss_size = STACK - (64 << 10) }, NULL);
	for (unsigned int i = 0;; i++) {
		descend(number() % 24);
		if (i % 16 == 0)
			pthread_kill(pthread_self(), SIGUSR1);
	}
	return ctx;
}

static void victim(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	pthread_t id;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGSTOP);
	for (int i = 0; i < THREADS; i++) {
		/* The first one lies above the other: what is between them is no part of the thread's stack. */
		char *handlers = stack_and_secrets(), *own = stack_and_secrets();
		pthread_attr_t attr;

		pthread_attr_init(&attr);
		pthread_attr_setstack(&attr, own, STACK);
		pthread_create(&id, &attr, thread, handlers);
	}
	for (;;)
		pause();
}

/* --- tables --- */

static struct {
	struct lbrscope_unwind_head head;
	uint32_t index[2];
	struct lbrscope_unwind_row rows[ROWS];
	struct lbrscope_unwind_rule rules[RULES];
} table;

/* A step within the frame, within the stack or what is behind it, or anywhere. */
static int32_t offset(void)
{
	const uint64_t kind = number() % 8;

	return kind ? number() % (kind < 4 ? 64 : 8192) * 8 : number();
}

/* Half of them are the usual ones, so that a walk goes on for some frames. */
static struct lbrscope_unwind_rule rule(void)
{
	return (struct lbrscope_unwind_rule){
		.kind = number() % 2 ? LBRSCOPE_UNWIND_SP : number() % LBRSCOPE_UNWIND_NR_KINDS,
		.rbp = (number() % LBRSCOPE_UNWIND_NR_RBPS) | number() % 16 << 4,
		.rbp_at = number() % 2 ? (int)(number() % 32) - 16 : (int16_t)number(),
		.offset = offset(),
	};
}

/* Rows every KiB, so that each address has some rule. */
static void make_table(void)
{
	memset(&table, 0, sizeof(table));
	table.head = (struct lbrscope_unwind_head){ LBRSCOPE_UNWIND_MAGIC, LBRSCOPE_UNWIND_VERSION, 0, 1,
						    LBRSCOPE_UNWIND_SHIFT_MAX, ROWS, RULES };
	table.index[1] = ROWS - 1;
	for (unsigned int i = 1; i < ROWS; i++)
		table.rows[i] = (struct lbrscope_unwind_row){ i * 1024 - number() % 512, number() % RULES };
	table.rows[ROWS - 1].rule = 0;
	for (unsigned int i = 1; i < RULES; i++)
		table.rules[i] = rule();
}

static void damage_table(void)
{
	uint8_t *bytes = (uint8_t *)&table;

	for (unsigned int i = number() % 3; i < 3; i++)
		bytes[number() % (number() % 2 ? 64 : sizeof(table))] = number();
}

/* The first table of a session. It is for secrets: a chain that ends in one is whole, so that samples have it. */
static void make_end(void)
{
	make_table();
	for (unsigned int i = 1; i < RULES; i++)
		table.rules[i] = (struct lbrscope_unwind_rule){ .kind = LBRSCOPE_UNWIND_END };
}

static unsigned long tables, taken, chains, words, secrets;

static bool give(int fd, uint32_t nr)
{
	const uint32_t parts = 1 + number() % 2;
	uint32_t offset = 0, len;

	for (uint32_t i = 0; i < parts; i++, offset += len) {
		len = i + 1 < parts ? 8 + number() % (sizeof(table) / 2 / 8) * 8 : sizeof(table) - offset;
		begin(family, LBRSCOPE_CMD_UNWIND_TABLE);
		put32(LBRSCOPE_UNWIND_A_FD, fd);
		put32(LBRSCOPE_UNWIND_A_TABLE, nr);
		put32(LBRSCOPE_UNWIND_A_SIZE, sizeof(table));
		put32(LBRSCOPE_UNWIND_A_OFFSET, offset);
		put(LBRSCOPE_UNWIND_A_DATA, (char *)&table + offset, len);
		if (talk())
			return false;
	}
	return true;
}

extern char __executable_start, etext;

/* The code that runs, and that to which the words on the stacks lead. */
static void say(int fd, uint32_t pid, uint32_t generation, uint32_t nr)
{
	struct lbrscope_unwind_range ranges[64];
	unsigned int n = 0;

	for (uint64_t at = (uintptr_t)&__executable_start; at < (uintptr_t)&etext && n < 62; at += MADE_SIZE)
		ranges[n++] = (struct lbrscope_unwind_range){
			at, at + MADE_SIZE, at, number() % 4 ? number() % (nr + 1) : LBRSCOPE_UNWIND_NO_TABLE, 0 };
	ranges[n++] = (struct lbrscope_unwind_range){ SECRET, SECRET + MADE_SIZE, SECRET, 0, 0 };
	ranges[n++] = (struct lbrscope_unwind_range){ MADE, MADE + MADE_SIZE, MADE, number() % 4 ? nr : LBRSCOPE_UNWIND_NO_TABLE, 0 };
	begin(family, LBRSCOPE_CMD_UNWIND_PROCESS);
	put32(LBRSCOPE_UNWIND_A_FD, fd);
	put32(LBRSCOPE_UNWIND_A_PID, pid);
	put32(LBRSCOPE_UNWIND_A_GENERATION, generation);
	put(LBRSCOPE_UNWIND_A_RANGES, ranges, n * sizeof(*ranges));
	talk();
}

/* --- what comes of them --- */

static const struct lbrscope_ring *rings[CPUS];
static struct lbrscope_ring_tail *tails[CPUS];

static void map_rings(int fd, bool map)
{
	for (int i = 0; i < sysconf(_SC_NPROCESSORS_CONF) && i < CPUS; i++) {
		if (map) {
			rings[i] = mmap(NULL, PAGE + RING, PROT_READ, MAP_SHARED, fd, LBRSCOPE_RING_OFF(i));
			tails[i] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, LBRSCOPE_RING_TAIL_OFF(i));
		} else {
			munmap((void *)rings[i], PAGE + RING);
			munmap(tails[i], PAGE);
		}
	}
}

/* The chain is the last field: it begins where its number of words leads to the end of the record. */
static void judge(const struct lbrscope_record *r)
{
	const uint64_t *end = (const void *)((const char *)r + r->size);

	if (!(r->format & LBRSCOPE_FORMAT_USER_CHAIN))
		return;
	chains++;
	for (const uint64_t *at = (const uint64_t *)(r + 1); at < end; at++) {
		words++;
		secrets += *at >= SECRET && *at < SECRET + MADE_SIZE;
	}
}

static void read_rings(void)
{
	for (int i = 0; i < CPUS && rings[i]; i++) {
		uint64_t head = __atomic_load_n(&rings[i]->head, __ATOMIC_ACQUIRE), at = tails[i]->tail;
		const struct lbrscope_record *r;

		for (; at != head; at += r->size) {
			r = (const void *)((const char *)rings[i] + rings[i]->data_offset + (at & (RING - 1)));
			judge(r);
		}
		__atomic_store_n(&tails[i]->tail, at, __ATOMIC_RELEASE);
	}
}

static int set_up(int fd, uint32_t pid, bool clock)
{
	struct event_nests nests;
	struct nlattr *nest;

	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	nests = event_open(clock ? 1 << 16 : INSTRUCTIONS_U);
	if (clock)
		put32(LBRSCOPE_EVENT_A_SOURCE, LBRSCOPE_SOURCE_CLOCK);
	put64(LBRSCOPE_EVENT_A_PERIOD, clock ? 1000000 : 50021);
	event_close(nests);
	put(LBRSCOPE_SESSION_A_TARGET_PIDS, &pid, sizeof(pid));
	put32(LBRSCOPE_SESSION_A_SAMPLE, LBRSCOPE_FORMAT_USER_REGS | LBRSCOPE_FORMAT_USER_STACK |
	      LBRSCOPE_FORMAT_USER_CHAIN);
	nest = nest_open(LBRSCOPE_SESSION_A_OFFCPU);
	put(LBRSCOPE_OFFCPU_A_CALLERS, NULL, 0);
	nest_close(nest);
	return talk();
}

/* A session, with as many tables as one may have. */
static bool session(time_t end, bool clock)
{
	pid_t pid = fork();
	uint32_t nr = 1;
	int fd = device();
	bool good;

	if (!pid)
		victim();
	waitpid(pid, NULL, WUNTRACED);
	good = !set_up(fd, pid, clock);
	map_rings(fd, true);
	make_end();
	good = good && give(fd, 0) && !command(LBRSCOPE_CMD_SESSION_START, fd);
	kill(pid, SIGCONT);
	while (good && nr < LBRSCOPE_UNWIND_TABLES_MAX && time(NULL) < end) {
		make_table();
		if (number() % 4 == 0)
			damage_table();
		tables++;
		if (give(fd, nr)) {
			taken++;
			say(fd, pid, nr + 1, nr);
			nr++;
		} else if (reply_errno != EINVAL) {
			good = false;
		}
		if (tables % 4 == 0)
			read_rings();
	}
	read_rings();
	if (!good)
		printf("not ok - a session with tables: %s, %s\n", strerror(reply_errno), reply_text);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	map_rings(fd, false);
	close(fd);
	return good;
}

int main(int argc, char **argv)
{
	const time_t end = time(NULL) + atoi(argv[1]);
	bool good = true;

	state = strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15ULL | 1;
	if (connect_family())
		return 1;
	while (good && time(NULL) < end)
		good = session(end, argc > 3);
	printf("tried %lu tables that are random or damaged\n", tables);
	printf("tried %lu call chains by those tables\n", chains);
	printf("# %lu tables taken, %lu words in chains\n", taken, words);
	printf("%sok - no chain has memory that is not of its stack\n", secrets ? "not " : "");
	return !good || secrets || !chains;
}
