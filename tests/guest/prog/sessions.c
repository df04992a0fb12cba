// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions of users without privilege, by hand: their number, and the causes of their end.
 *
 *   sessions many UID NR SIZE    one session with rings of SIZE bytes for each of NR uids from
 *                                UID on, each in its process: prints how many were configured,
 *                                and the first other answer.  Prints "ready" when all
 *                                processes exist, continues at a line of stdin, and ends with
 *                                stdin
 *   sessions within UID NR SIZE  the same in a user namespace of UID, with its subordinate uids
 *   sessions container UID NR SIZE  the same in a user namespace of root, with the uids from UID on
 *   sessions hold UID HOW        a running session of UID; prints "started", and at each line
 *                                of stdin its counts after more samples fell due; ends with
 *                                stdin.  HOW: "silent", "poll" or "read" (moves a tail), each
 *                                tenth of a second
 *   sessions calls UID NR        a running session of UID with call stacks: prints "started", and
 *                                runs on CPU 1 until it has lost the PMU there NR times; then
 *                                the number of its samples with calls, and of those whose
 *                                youngest call is of another function
 *   sessions cycle NR CPUS       starts and stops a privileged session with these CPUS
 *   sessions fail HOW            tries to start a privileged session that cannot start, and
 *                                prints the reason.  HOW: "exited" (its target) or "trigger"
 *                                (a kprobe on a function that does not exist)
 */
#define _GNU_SOURCE
#include <grp.h>
#include <linux/lbrscope_ring.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "protocol.h"

#define PAGE		4096
#define SUBORDINATES	100000

static void begin_set(int fd, uint32_t size)
{
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(INSTRUCTIONS_U, 100003);
	put32(LBRSCOPE_SESSION_A_TARGET_PIDS, getpid());
	put32(LBRSCOPE_SESSION_A_RING_SIZE, size);
}

static int set(int fd, uint32_t size)
{
	begin_set(fd, size);
	return talk();
}

/* The report of a process about the session that it has tried to configure. */
struct outcome {
	int err;
	char text[sizeof(reply_text)];
};

/*
 * Waits for its turn, reports its session, and keeps it until it is killed.  All other memory
 * is allocated before, since a full cgroup would kill the process.
 */
static void one(uid_t uid, uint32_t size, int turn, int out)
{
	struct outcome outcome = { 0 };
	char c;
	int fd;

	become(uid);
	fd = device();
	if (fd < 0 || connect_family() || write(out, &outcome, sizeof(outcome)) < 0 ||
	    read(turn, &c, 1) != 1)
		_exit(1);
	outcome.err = set(fd, size);
	memcpy(outcome.text, reply_text, sizeof(outcome.text));
	if (write(out, &outcome, sizeof(outcome)) != sizeof(outcome))
		_exit(1);
	pause();
	_exit(0);
}

/* All processes exist before the first session, which may leave no memory for them. */
static int many(uid_t first, int nr, uint32_t size)
{
	struct outcome outcome, refused = { 0 };
	int turn[2], out[2], i, configured = 0;
	pid_t pids[nr];
	char c;

	if (pipe(turn) || pipe(out))
		return 1;
	for (i = 0; i < nr; i++) {
		pids[i] = fork();
		if (!pids[i])
			one(first + i, size, turn[0], out[1]);
		if (read(out[0], &outcome, sizeof(outcome)) != sizeof(outcome))
			return 1;
	}
	puts("ready");
	fflush(stdout);
	if (read(0, &c, 1) != 1)
		return 1;
	for (i = 0; i < nr; i++) {
		if (write(turn[1], "", 1) != 1 ||
		    read(out[0], &outcome, sizeof(outcome)) != sizeof(outcome))
			return 1;
		if (!outcome.err)
			configured++;
		else if (!refused.err)
			refused = outcome;
	}
	printf("configured %d\n", configured);
	if (refused.err)
		printf("refused %s: %s\n", strerror(refused.err), refused.text);
	puts("all");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	for (i = 0; i < nr; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	return 0;
}

static void write_file(pid_t pid, const char *name, const char *text)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f)) {
		perror(path);
		exit(1);
	}
}

/*
 * Enters a namespace whose uid 0 is uid, and whose uids 1 to nr are subordinate ones: those of
 * the user, or, if root makes it for a container, those behind uid.
 */
static int within(uid_t uid, int nr, uint32_t size, bool container)
{
	unsigned int first = container ? uid + 1 : SUBORDINATES;
	char map[128], c;
	int made[2], mapped[2], status;
	pid_t pid;

	if (pipe(made) || pipe(mapped))
		return 1;
	pid = fork();
	if (!pid) {
		if (setgroups(0, NULL))
			_exit(1);
		if (!container)
			become(uid);
		if (unshare(CLONE_NEWUSER) || write(made[1], "", 1) != 1 ||
		    read(mapped[0], &c, 1) != 1)
			_exit(1);
		_exit(many(1, nr, size));
	}
	if (read(made[0], &c, 1) != 1)
		return 1;
	snprintf(map, sizeof(map), "0 %u 1\n1 %u %d\n", uid, first, nr);
	write_file(pid, "uid_map", map);
	write_file(pid, "gid_map", map);
	if (write(mapped[1], "", 1) != 1 || waitpid(pid, &status, 0) != pid)
		return 1;
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

/* Some 40 periods of set()'s event. */
static void spin(void)
{
	volatile int i;

	for (i = 0; i < 1000000; i++)
		;
}

static void print_state(int fd)
{
	const uint8_t *lost;
	uint64_t taken = 0, produced;
	uint32_t ended = 0;

	if (command(LBRSCOPE_CMD_SESSION_GET, fd)) {
		printf("no counts: %s\n", strerror(reply_errno));
		return;
	}
	if (find(LBRSCOPE_STATS_A_ENDED))
		memcpy(&ended, find(LBRSCOPE_STATS_A_ENDED), sizeof(ended));
	lost = find(LBRSCOPE_STATS_A_LOST);
	if (lost)
		memcpy(&taken, lost + LBRSCOPE_LOST_PMU_TAKEN * (NLA_HDRLEN + sizeof(taken)) +
		       NLA_HDRLEN, sizeof(taken));
	memcpy(&produced, find(LBRSCOPE_STATS_A_PRODUCED), sizeof(produced));
	printf("%s ended %u taken %llu produced %llu\n",
	       find(LBRSCOPE_STATS_A_RUNNING) ? "running" : "stopped", ended,
	       (unsigned long long)taken, (unsigned long long)produced);
	fflush(stdout);
}

static int hold(uid_t uid, const char *how)
{
	struct pollfd fds[2] = { { .fd = 0, .events = POLLIN } };
	bool polls = !strcmp(how, "poll"), reads = !strcmp(how, "read");
	struct lbrscope_ring_tail *tail;
	char c;
	int fd;

	if (uid)
		become(uid);
	if (connect_family())
		return 1;
	fd = device();
	if (fd < 0 || set(fd, LBRSCOPE_RING_SIZE_MIN) || command(LBRSCOPE_CMD_SESSION_START, fd)) {
		printf("not started: %s (%s)\n", strerror(reply_errno), reply_text);
		return 1;
	}
	tail = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, LBRSCOPE_RING_TAIL_OFF(0));
	if (tail == MAP_FAILED)
		return 1;
	puts("started");
	fflush(stdout);
	fds[1] = (struct pollfd){ .fd = polls ? fd : -1, .events = 0 };
	while (true) {
		poll(fds, 2, polls || reads ? 100 : -1);
		if (polls && fds[1].revents & POLLHUP)
			usleep(100000);
		if (reads)
			/* differs at every check of the module */
			tail->tail = (tail->tail + 8) % PAGE;
		if (!fds[0].revents)
			continue;
		if (read(0, &c, 1) <= 0)
			break;
		spin();
		print_state(fd);
	}
	return 0;
}

#define PLACE_BYTES	256
#define PLACE(n)							\
__attribute__((noipa, aligned(PLACE_BYTES))) static void place##n(void)	\
{									\
	for (volatile int i = 0; i < 300000; i++)			\
		;							\
}
PLACE(0) PLACE(1) PLACE(2) PLACE(3) PLACE(4) PLACE(5) PLACE(6) PLACE(7)

static void (*const places[])(void) = {
	place0, place1, place2, place3, place4, place5, place6, place7,
};

/* The samples in places[] that have calls, and those of them that are in another place. */
struct called {
	const struct lbrscope_ring *ring;
	struct lbrscope_ring_tail *tail;
	unsigned int samples, wrong;
};

static void judge_call(struct called *c, const struct lbrscope_sample *s)
{
	const uint64_t *word = (const uint64_t *)(s + 1);

	word += !!(s->rec.format & LBRSCOPE_FORMAT_TASK);
	for (unsigned int i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (s->rec.nr && s->ip - (uintptr_t)places[i] < PLACE_BYTES) {
			c->samples++;
			c->wrong += word[1] != (uintptr_t)places[i];
		}
}

static void read_calls(struct called *c)
{
	uint64_t head = __atomic_load_n(&c->ring->head, __ATOMIC_ACQUIRE), at = c->tail->tail;

	while (at != head) {
		const struct lbrscope_sample *s = (const void *)((const char *)c->ring +
			c->ring->data_offset + (at & (c->ring->data_size - 1)));

		at += s->rec.size;
		if (s->rec.type == LBRSCOPE_RECORD_SAMPLE && s->rec.flags & LBRSCOPE_SAMPLE_USER)
			judge_call(c, s);
	}
	__atomic_store_n(&c->tail->tail, at, __ATOMIC_RELEASE);
}

static int calls(uid_t uid, unsigned int nr)
{
	struct called called = { 0 };
	unsigned int i;
	int fd;

	run_on(1);
	become(uid);
	fd = device();
	if (fd < 0 || connect_family())
		return 1;
	begin_set(fd, LBRSCOPE_RING_SIZE_DEFAULT);
	put32(LBRSCOPE_SESSION_A_BRANCHES, LBRSCOPE_BRANCHES_CALL_STACK);
	if (talk() || command(LBRSCOPE_CMD_SESSION_START, fd)) {
		printf("not started: %s (%s)\n", strerror(reply_errno), reply_text);
		return 1;
	}
	called.ring = mmap(NULL, PAGE + LBRSCOPE_RING_SIZE_DEFAULT, PROT_READ, MAP_SHARED, fd,
			   LBRSCOPE_RING_OFF(1));
	called.tail = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   LBRSCOPE_RING_TAIL_OFF(1));
	if (called.ring == MAP_FAILED || called.tail == MAP_FAILED)
		return 1;
	puts("started");
	fflush(stdout);
	usleep(100000);
	for (i = 0; ((volatile const uint64_t *)called.ring->lost)[LBRSCOPE_LOST_PMU_TAKEN] < nr; i++) {
		places[i % 8]();
		read_calls(&called);
	}
	places[i % 8]();
	read_calls(&called);
	printf("samples %u wrong %u\n", called.samples, called.wrong);
	return 0;
}

static int cycle(int nr, const char *cpus)
{
	int fd = device();

	if (fd < 0)
		return 1;
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(INSTRUCTIONS_U, 100003);
	put(LBRSCOPE_SESSION_A_CPUS, cpus, strlen(cpus) + 1);
	if (talk()) {
		printf("not configured: %s (%s)\n", strerror(reply_errno), reply_text);
		return 1;
	}
	while (nr--)
		if (command(LBRSCOPE_CMD_SESSION_START, fd) ||
		    command(LBRSCOPE_CMD_SESSION_STOP, fd)) {
			printf("not started: %s (%s)\n", strerror(reply_errno), reply_text);
			return 1;
		}
	return 0;
}

/* The target has exited between SET and START. */
static int set_exited(int fd)
{
	pid_t pid = fork();
	int err;

	if (!pid)
		pause();
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(INSTRUCTIONS_U, 100003);
	put32(LBRSCOPE_SESSION_A_TARGET_PIDS, pid);
	err = talk();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return err;
}

static int set_trigger(int fd)
{
	struct nlattr *array, *trigger;

	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(INSTRUCTIONS_U, 100003);
	array = nest_open(LBRSCOPE_SESSION_A_TRIGGERS);
	trigger = nest_open(1);
	put32(LBRSCOPE_TRIGGER_A_KIND, LBRSCOPE_TRIGGER_KPROBE);
	put(LBRSCOPE_TRIGGER_A_SYMBOL, "no_such_function", sizeof("no_such_function"));
	nest_close(trigger);
	nest_close(array);
	return talk();
}

static int fail(const char *how)
{
	int fd = device();

	if (fd < 0 || (!strcmp(how, "exited") ? set_exited(fd) : set_trigger(fd))) {
		printf("not configured: %s (%s)\n", strerror(reply_errno), reply_text);
		return 1;
	}
	if (!command(LBRSCOPE_CMD_SESSION_START, fd)) {
		puts("started");
		return 1;
	}
	printf("not started: %s (%s)\n", strerror(reply_errno), reply_text);
	return 0;
}

int main(int argc, char **argv)
{
	if (connect_family()) {
		fprintf(stderr, "sessions: no netlink family %s\n", LBRSCOPE_GENL_NAME);
		return 1;
	}
	if (argc == 5 && !strcmp(argv[1], "many"))
		return many(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
	if (argc == 5 && !strcmp(argv[1], "within"))
		return within(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), false);
	if (argc == 5 && !strcmp(argv[1], "container"))
		return within(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), true);
	if (argc == 4 && !strcmp(argv[1], "hold"))
		return hold(atoi(argv[2]), argv[3]);
	if (argc == 4 && !strcmp(argv[1], "calls"))
		return calls(atoi(argv[2]), atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "cycle"))
		return cycle(atoi(argv[2]), argv[3]);
	if (argc == 3 && !strcmp(argv[1], "fail"))
		return fail(argv[2]);
	fprintf(stderr, "usage: sessions many|within|container UID NR SIZE | hold UID HOW | calls UID NR | cycle NR CPUS | fail HOW\n");
	return 2;
}
