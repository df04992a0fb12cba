// SPDX-License-Identifier: GPL-2.0
/*
 * Throws random messages at the module's netlink family, from many threads that open, close and
 * map its sessions meanwhile.
 *
 *   messages THREADS SECONDS MESSAGES SEED [faults]
 *
 * ends after MESSAGES messages or SECONDS seconds.  faults: allocations fail in every third
 * message, one after the other.  Prints what was tried, and result lines; what else it may find
 * is in the kernel's log.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>

#include "message.h"
#include "client.h"

/* More allocations than one request makes on a few CPUs. */
#define ALLOCATIONS_MAX	100

static _Atomic uint64_t sent, sends, injected, accepted[ARRAY_SIZE(operations)], refused[ARRAY_SIZE(operations)];
static _Atomic uint64_t leaked, exceeded;
/* Slots whose file is configured, which is possible once. */
static _Atomic bool configured[SLOTS];
static uint64_t sent_max;
static time_t deadline;
static bool faults;
static char *program;

/* Requests of a user without privilege that should have been refused. */
static bool exceeds_rights(const struct message *msg)
{
	const uint8_t *at = msg->body, *end = (const uint8_t *)&msg->nl + msg->nl.nlmsg_len;
	const struct nlattr *attr;
	uint64_t has = 0;

	if (msg->genl.cmd == LBRSCOPE_CMD_REGS_GET)
		return true;
	if (msg->genl.cmd != LBRSCOPE_CMD_SESSION_SET)
		return false;
	for (; at + NLA_HDRLEN <= end; at += NLA_ALIGN(attr->nla_len)) {
		attr = (const void *)at;
		if (attr->nla_len < NLA_HDRLEN)
			break;
		has |= 1ULL << (attr->nla_type & 63);
	}
	return has & (1ULL << LBRSCOPE_SESSION_A_TRIGGERS | 1ULL << LBRSCOPE_SESSION_A_TARGET_CGROUP) ||
	       !(has & (1ULL << LBRSCOPE_SESSION_A_TARGET_PIDS | 1ULL << LBRSCOPE_SESSION_A_TARGET_TIDS));
}

/* Evaluates the answer to each message of the batch. */
static void note(struct client *c, unsigned int at)
{
	const struct operation *operation = c->batch.of[at].operation;
	int slot = c->batch.of[at].slot, err = c->batch.of[at].err;

	if (!operation || err < 0)
		return;
	/* A request without an answer may have configured it, and so may a copy of it. */
	if (operation->cmd == LBRSCOPE_CMD_SESSION_SET && (!err || err == EALREADY))
		configured[slot - SLOT_BASE] = true;
	if (err) {
		refused[operation - operations]++;
		return;
	}
	accepted[operation - operations]++;
	if (operation->cmd == LBRSCOPE_CMD_SESSION_SET)
		slot_set = slot;
	if (operation->cmd == LBRSCOPE_CMD_SESSION_START)
		slot_started = slot;
	if (!privileged && exceeds_rights(batched(c, at))) {
		exceeded++;
		printf("# allowed without privilege: command %u\n", batched(c, at)->genl.cmd);
	}
}

static void flush(struct client *c)
{
	unsigned int i;

	if (!c->batch.nr)
		return;
	send_batch(c);
	for (i = 0; i < c->batch.nr; i++)
		note(c, i);
	sent += c->batch.nr;
	sends++;
	leaked += c->leaks;
	c->leaks = 0;
	empty_batch(c);
}

static void open_slot(int slot)
{
	int fd = open(LBRSCOPE_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd >= 0) {
		dup3(fd, slot, O_CLOEXEC);
		close(fd);
		configured[slot - SLOT_BASE] = false;
	}
}

static void map_slot(struct maker *m, int slot)
{
	uint64_t cpu = below(m, 2);
	size_t size = 4096 + (LBRSCOPE_RING_SIZE_MIN << below(m, 2));
	volatile uint64_t *tail;
	void *ring;

	tail = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, slot, LBRSCOPE_RING_TAIL_OFF(cpu));
	ring = mmap(NULL, size, PROT_READ, MAP_SHARED, slot, LBRSCOPE_RING_OFF(cpu));
	if (tail != MAP_FAILED) {
		tail[below(m, 512)] = interesting(m);
		tail[0] = ring != MAP_FAILED && chance(m, 50) ? *(volatile uint64_t *)ring : draw(m);
		munmap((void *)tail, 4096);
	}
	if (ring != MAP_FAILED)
		munmap(ring, size);
}

/* What events, triggers and times off the CPU come from. */
static void work(struct maker *m)
{
	volatile uint64_t i;
	pid_t child;

	for (i = below(m, 100000); i; i--)
		probed();
	watched++;
	raise(SIGUSR1);
	if (chance(m, 20))
		usleep(below(m, 1000));
	if (chance(m, 95))
		return;
	child = fork();
	if (!child) {
		if (chance(m, 50))
			execl(program, program, NULL);
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void disturb(struct client *c)
{
	struct maker *m = &c->maker;
	int slot = idle_slot(m), other = idle_slot(m);
	int at = below(m, SOCKETS);
	struct pollfd wait = { .fd = slot, .events = POLLIN };

	switch (below(m, 12)) {
	case 0:
		close(slot);
		break;
	case 1:
		dup3(slot, other, O_CLOEXEC);
		break;
	case 2:
		poll(&wait, 1, below(m, 3));
		break;
	case 3:
		map_slot(m, slot);
		break;
	case 4:
		close(c->sockets[at]);
		c->sockets[at] = open_socket(c);
		break;
	case 5:
	case 6:
		work(m);
		break;
	default:
		open_slot(slot);
	}
}

/* Returns whether the nth allocation that the message causes was made to fail. */
static bool send_failing(struct client *c, const struct message *msg, unsigned int nth)
{
	bool failed;

	if (msg->genl.cmd == LBRSCOPE_CMD_SESSION_SET)
		open_slot(SLOT_BASE);
	fail_allocation(c, nth);
	(void)!send(c->sockets[0], msg, msg->nl.nlmsg_len, MSG_DONTWAIT);
	failed = has_failed(c);
	receive(c, c->sockets[0]);
	injected += failed;
	sent++;
	return failed;
}

/*
 * One message of eight again and again, each time with the next allocation failing; the others
 * once, with any of them.
 */
static void send_with_faults(struct client *c)
{
	struct message msg = c->maker.msg;
	unsigned int nth = 1;

	if (!chance(&c->maker, 12))
		send_failing(c, &msg, 1 + below(&c->maker, ALLOCATIONS_MAX / 4));
	else
		while (nth < ALLOCATIONS_MAX && send_failing(c, &msg, nth))
			nth++;
	/* It may have been accepted: its answer is not evaluated. */
	configured[0] = true;
}

/* SET is of a new file, the first of the slots. */
static void aim_at_first_slot(struct message *msg)
{
	struct nlattr *attr = (void *)msg->body;
	uint32_t fd = SLOT_BASE;

	if (attr->nla_type == LBRSCOPE_SESSION_A_FD && attr->nla_len == NLA_HDRLEN + sizeof(fd))
		memcpy(attr + 1, &fd, sizeof(fd));
}

static void *attack(void *arg)
{
	const struct operation *operation;
	struct client *c = arg;
	struct maker *m = &c->maker;

	open_kcov(c);
	empty_batch(c);
	if (faults)
		c->fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	while (sent < sent_max && time(NULL) < deadline) {
		if (chance(m, 15))
			disturb(c);
		operation = NULL;
		if (!c->kcov || !chance(m, 30) || !recall(c))
			operation = make_message(m, family);
		if (c->fail_nth >= 0 && chance(m, 33)) {
			flush(c);
			aim_at_first_slot(&m->msg);
			send_with_faults(c);
			continue;
		}
		if (operation && operation->cmd == LBRSCOPE_CMD_SESSION_SET && configured[m->slot - SLOT_BASE] &&
		    chance(m, 95))
			open_slot(m->slot);
		if (add_to_batch(c, operation))
			flush(c);
	}
	flush(c);
	return NULL;
}

/* A foreign descriptor of each sort; the message's numbers for them are known. */
static void open_descriptors(void)
{
	int ends[2], i;

	for (i = 0; i < SLOTS; i++)
		open_slot(SLOT_BASE + i);
	if (pipe(ends))
		exit(2);
	dup2(ends[0], FOREIGN_BASE);
	dup2(ends[1], FOREIGN_BASE + 1);
	dup2(open("/dev/null", O_RDWR), FOREIGN_BASE + 2);
	dup2(open("/", O_RDONLY), FOREIGN_BASE + 3);
	dup2(eventfd(0, 0), FOREIGN_BASE + 4);
	dup2(socket(AF_UNIX, SOCK_STREAM, 0), FOREIGN_BASE + 5);
	dup2(open("/proc/self/status", O_RDONLY), FOREIGN_BASE + 6);
	dup2(open("/proc/self/exe", O_RDONLY | O_PATH), FOREIGN_BASE + 7);
	dup2(open("/proc/self/exe", O_RDONLY), EXE_FD);
	i = open("/cgroup", O_RDONLY | O_DIRECTORY);
	dup2(i < 0 ? FOREIGN_BASE + 3 : i, CGROUP_FD);
}

static void report(void)
{
	bool all = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		printf("# %s: accepted %lu, refused %lu\n", operations[i].name, accepted[i], refused[i]);
		all &= accepted[i] > 0;
	}
	printf("# %u messages reached new code; %lu calls of send() without injected failures\n", corpus.nr, sends);
	printf("tried %lu netlink messages\n", sent);
	if (faults)
		printf("tried %lu injected allocation failures\n", injected);
	/* The rarest case needs some ten thousand messages; requests made to fail do not count. */
	if (privileged && !faults && sent >= 60000)
		printf("%sok - messages: every command was accepted at least once\n", all ? "" : "not ");
	if (!privileged)
		printf("%sok - messages: a user without privilege is refused what needs it\n", exceeded ? "not " : "");
	printf("%sok - messages: no answer has an address of the kernel\n", leaked ? "not " : "");
}

/* One that is ignored is not delivered, and fires no trigger. */
static void take_signal(int number)
{
	(void)number;
}

int main(int argc, char **argv)
{
	static struct client clients[64];
	static pthread_t threads[64];
	int i, nr;

	if (argc < 5)
		return 0;
	program = argv[0];
	nr = atoi(argv[1]) > 64 ? 64 : atoi(argv[1]);
	deadline = time(NULL) + atoi(argv[2]);
	sent_max = strtoull(argv[3], NULL, 10);
	faults = argc > 5;
	privileged = !geteuid();
	signal(SIGUSR1, take_signal);
	signal(SIGPIPE, SIG_IGN);
	open_descriptors();
	for (i = 0; i < nr; i++)
		open_client(&clients[i], strtoull(argv[4], NULL, 10) * 1000 + i);
	if (!find_family(&clients[0])) {
		printf("not ok - messages: the module is not there\n");
		return 1;
	}
	for (i = 0; i < nr; i++)
		pthread_create(&threads[i], NULL, attack, &clients[i]);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	report();
	return exceeded || leaked;
}
