// SPDX-License-Identifier: GPL-2.0
/*
 * Maps the rings of running sessions and does to the mappings, and to the descriptors behind
 * them, whatever can be done, in any order: mmap, munmap, mremap, mprotect, madvise, fork, passing
 * descriptors to other processes, close; while the page that user space may write is overwritten
 * at random.
 *
 *   mappings PROCESSES SECONDS STEPS SEED
 *
 * Prints what was tried, and result lines: what must not be possible (a ring that can be written
 * or executed, a mapping of another size that takes effect) is a failure.
 */
#include <pthread.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "message.h"
#include "client.h"

enum { MAPPINGS = 24, FDS = 6, RING = LBRSCOPE_RING_SIZE_MIN, PATIENCE_S = 120 };

struct mapping {
	uint8_t *at;	/* NULL: none */
	size_t size;
	bool tail;
};

/* Shared by all processes. */
static struct counts {
	_Atomic uint64_t steps, mapped, started, records, passed, wrong;
} *counts;

struct hand {
	struct client client;
	struct mapping mappings[MAPPINGS];
	int fds[FDS];
	int pass[2];	/* a pair of sockets, shared by all processes */
};

static void wrong(const char *what)
{
	counts->wrong++;
	printf("# %s\n", what);
	fflush(stdout);
}

static int command(struct client *c, uint8_t cmd, uint32_t fd)
{
	begin_message(&c->maker, family, cmd);
	put(&c->maker, LBRSCOPE_SESSION_A_FD, &fd, sizeof(fd));
	return send_message(c);
}

/* A session with small rings: user mode, as anybody may have it; one of three overwrites. */
static int configure(struct client *c, uint32_t fd)
{
	struct maker *m = &c->maker;
	uint64_t config = 0x100c0, period = 20000 + below(m, 200000);
	uint32_t size = RING, branches = below(m, 2), self = getpid();
	struct nlattr *array, *event;

	begin_message(m, family, LBRSCOPE_CMD_SESSION_SET);
	put(m, LBRSCOPE_SESSION_A_FD, &fd, sizeof(fd));
	put(m, LBRSCOPE_SESSION_A_RING_SIZE, &size, sizeof(size));
	put(m, LBRSCOPE_SESSION_A_BRANCHES, &branches, sizeof(branches));
	if (!privileged || chance(m, 30))
		put(m, LBRSCOPE_SESSION_A_TARGET_PIDS, &self, sizeof(self));
	if (chance(m, 33))
		put(m, LBRSCOPE_SESSION_A_OVERWRITE, NULL, 0);
	array = put(m, LBRSCOPE_SESSION_A_EVENTS | NLA_F_NESTED, NULL, 0);
	event = put(m, 1 | NLA_F_NESTED, NULL, 0);
	put(m, LBRSCOPE_EVENT_A_CONFIG, &config, sizeof(config));
	put(m, LBRSCOPE_EVENT_A_PERIOD, &period, sizeof(period));
	close_nest(m, event);
	close_nest(m, array);
	return send_message(c);
}

static struct mapping *any_mapping(struct hand *h)
{
	return &h->mappings[below(&h->client.maker, MAPPINGS)];
}

static int *any_fd(struct hand *h)
{
	return &h->fds[below(&h->client.maker, FDS)];
}

static void unmap(struct mapping *mapping)
{
	if (mapping->at)
		munmap(mapping->at, mapping->size);
	mapping->at = NULL;
}

static void map_right(struct hand *h, int fd)
{
	struct mapping *mapping = any_mapping(h);
	uint64_t cpu = below(&h->client.maker, 2);
	bool tail = chance(&h->client.maker, 50);
	size_t size = tail ? 4096 : 4096 + RING;
	void *at = mmap(NULL, size, tail ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd,
			tail ? LBRSCOPE_RING_TAIL_OFF(cpu) : LBRSCOPE_RING_OFF(cpu));

	if (at == MAP_FAILED)
		return;
	unmap(mapping);
	*mapping = (struct mapping){ at, size, tail };
	counts->mapped++;
}

/* Every mapping that the kernel allows must be harmless: no writable ring, none executable. */
static void map_wrong(struct hand *h, int fd)
{
	struct maker *m = &h->client.maker;
	int prot = below(m, 8), flags = chance(m, 50) ? MAP_SHARED : chance(m, 50) ? MAP_PRIVATE : MAP_SHARED | MAP_POPULATE;
	bool tail = chance(m, 30);
	uint64_t at = chance(m, 60) ? (tail ? LBRSCOPE_RING_TAIL_OFF(below(m, 3)) : LBRSCOPE_RING_OFF(below(m, 3))) :
		   (interesting(m) & ~4095ULL);
	size_t size = chance(m, 60) ? (tail ? 4096 : 4096 + RING) : 4096 * (1 + below(m, 40));
	uint8_t *p = mmap(NULL, size, prot, flags, fd, at);

	if (p == MAP_FAILED)
		return;
	if (prot & PROT_EXEC)
		wrong("a ring was mapped executable");
	if (prot & PROT_WRITE && size != 4096)
		wrong("a ring was mapped writable");
	munmap(p, size);
}

/* A mapping that was moved over others has replaced them. */
static void forget_replaced(struct hand *h, const struct mapping *moved)
{
	struct mapping *other;

	for (other = h->mappings; other < h->mappings + MAPPINGS; other++)
		if (other != moved && other->at && other->at < moved->at + moved->size &&
		    moved->at < other->at + other->size)
			other->at = NULL;
}

/* Splits, moves, grows and re-protects a mapping; forgets it where it may be in pieces then. */
static void bend(struct hand *h)
{
	struct maker *m = &h->client.maker;
	struct mapping *mapping = any_mapping(h);
	int advice;
	void *at;

	if (!mapping->at)
		return;
	switch (below(m, 6)) {
	case 0:
		at = mremap(mapping->at, mapping->size, mapping->size + 4096 * (1 + below(m, 9)), MREMAP_MAYMOVE);
		if (at != MAP_FAILED) {
			wrong("a mapping was grown");
			mapping->at = at;
		}
		break;
	case 1:
		at = mremap(mapping->at, mapping->size, mapping->size, MREMAP_MAYMOVE | MREMAP_FIXED,
			    (void *)(0x700000000000UL + below(m, 4096) * (1 << 20)));
		if (at == MAP_FAILED)
			break;
		mapping->at = at;
		forget_replaced(h, mapping);
		break;
	case 2:
		/* in two pieces first: another mapping must not come into the hole */
		at = mapping->at + mapping->size / 8192 * 4096;
		munmap(at, 4096);
		unmap(mapping);
		break;
	case 3:
		if (!mprotect(mapping->at, mapping->size, PROT_READ | PROT_EXEC))
			wrong("a mapping was made executable");
		if (!mprotect(mapping->at, mapping->size, PROT_READ | PROT_WRITE) && !mapping->tail)
			wrong("a ring was made writable");
		break;
	case 4:
		/* MADV_DOFORK asks for what branch_off() checks for */
		advice = below(m, 26);
		if (advice != MADV_DOFORK)
			madvise(mapping->at, mapping->size, advice);
		break;
	default:
		mremap(mapping->at, 0, mapping->size, MREMAP_MAYMOVE);
	}
}

/* A pipe takes the bytes, or refuses what is not mapped, where a load would be a SIGBUS. */
static bool readable(const void *at, size_t size)
{
	struct iovec from = { (void *)at, size };
	static uint8_t to[4096 + RING];
	struct iovec into = { to, size };

	return process_vm_readv(getpid(), &into, 1, &from, 1, 0) == (ssize_t)size;
}

/* Overwrites the tail with any value, at any time. */
static void scribble(struct hand *h)
{
	struct maker *m = &h->client.maker;
	struct mapping *mapping = any_mapping(h);
	uint64_t word = interesting(m);
	struct iovec from = { &word, sizeof(word) }, into;

	if (!mapping->at || !mapping->tail)
		return;
	into = (struct iovec){ mapping->at + (chance(m, 70) ? 0 : below(m, 512) * 8), sizeof(word) };
	process_vm_writev(getpid(), &from, 1, &into, 1, 0);
}

/* Checks that the kernel's own counts and records stay valid, whatever the tail is. */
static void check_ring(struct hand *h)
{
	struct mapping *mapping = any_mapping(h);
	struct lbrscope_ring ring;
	struct iovec from, into = { &ring, sizeof(ring) };

	if (!mapping->at || mapping->tail || !readable(mapping->at, 4096))
		return;
	from = (struct iovec){ mapping->at, sizeof(ring) };
	if (process_vm_readv(getpid(), &into, 1, &from, 1, 0) != sizeof(ring))
		return;
	if (ring.magic != LBRSCOPE_RING_MAGIC || ring.data_size != RING || ring.data_offset != 4096)
		wrong("a ring's first page was written");
	counts->records += ring.delivered > 0;
}

static void pass_fd(struct hand *h)
{
	union { char space[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } control = { 0 };
	struct iovec byte = { "", 1 };
	struct msghdr msg = { .msg_iov = &byte, .msg_iovlen = 1, .msg_control = control.space,
			      .msg_controllen = sizeof(control.space) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), any_fd(h), sizeof(int));
	counts->passed += sendmsg(h->pass[0], &msg, MSG_DONTWAIT) == 1;
}

static void take_fd(struct hand *h)
{
	union { char space[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } control;
	char byte;
	struct iovec into = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &into, .msg_iovlen = 1, .msg_control = control.space,
			      .msg_controllen = sizeof(control.space) };
	struct cmsghdr *c;
	int *fd = any_fd(h);

	if (recvmsg(h->pass[1], &msg, MSG_DONTWAIT) != 1)
		return;
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return;
	close(*fd);
	memcpy(fd, CMSG_DATA(c), sizeof(int));
}

/* Mappings are not copied; descriptors are, and live a little longer than here. */
static void branch_off(struct hand *h)
{
	struct mapping *mapping = any_mapping(h);
	pid_t child = fork();
	uint64_t i;

	if (!child) {
		if (mapping->at && readable(mapping->at, 4096))
			wrong("a child inherited a mapping");
		for (i = below(&h->client.maker, 200000); i; i--)
			probed();
		map_right(h, *any_fd(h));
		fflush(stdout);
		_exit(0);
	}
	if (child > 0 && chance(&h->client.maker, 50))
		waitpid(child, NULL, 0);
}

/* Computes until a ring of the session has a sample, at most for some time. */
static void await_sample(int fd)
{
	const struct lbrscope_ring *rings[2];
	volatile uint64_t i;
	int cpu, round;

	for (cpu = 0; cpu < 2; cpu++)
		rings[cpu] = mmap(NULL, 4096 + RING, PROT_READ, MAP_SHARED, fd, LBRSCOPE_RING_OFF(cpu));
	for (round = 0; round < 100 && !counts->records; round++) {
		for (i = 0; i < 20000; i++)
			probed();
		for (cpu = 0; cpu < 2; cpu++)
			if (rings[cpu] != MAP_FAILED && rings[cpu]->delivered)
				counts->records++;
	}
	for (cpu = 0; cpu < 2; cpu++)
		if (rings[cpu] != MAP_FAILED)
			munmap((void *)rings[cpu], 4096 + RING);
}

/* A new session in place of an old one; it runs if no other session does. */
static void renew(struct hand *h)
{
	int *fd = any_fd(h);

	close(*fd);
	*fd = open(LBRSCOPE_DEVICE, O_RDWR | O_CLOEXEC);
	if (*fd < 0 || configure(&h->client, *fd))
		return;
	map_right(h, *fd);
	map_right(h, *fd);
	if (command(&h->client, LBRSCOPE_CMD_SESSION_START, *fd))
		return;
	counts->started++;
	if (!counts->records)
		await_sample(*fd);
}

static void step(struct hand *h)
{
	struct maker *m = &h->client.maker;
	volatile uint64_t i;

	switch (below(m, 18)) {
	case 0: case 1: renew(h); break;
	case 2: case 3: map_right(h, *any_fd(h)); break;
	case 4: map_wrong(h, *any_fd(h)); break;
	case 5: unmap(any_mapping(h)); break;
	case 6: case 7: bend(h); break;
	case 8: case 9: scribble(h); break;
	case 10: check_ring(h); break;
	case 11: pass_fd(h); break;
	case 12: take_fd(h); break;
	case 13: close(*any_fd(h)); break;
	case 14: command(&h->client, LBRSCOPE_CMD_SESSION_START + below(m, 7), *any_fd(h)); break;
	case 15:
		if (chance(m, 10))
			branch_off(h);
		break;
	case 16: poll(&(struct pollfd){ .fd = *any_fd(h), .events = POLLIN }, 1, 0); break;
	default:
		for (i = below(m, 50000); i; i--)
			probed();
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* Checks that each operation has happened at least once. */
static bool all_happened(void)
{
	return counts->started && counts->mapped && counts->records && counts->passed;
}

/* On a busy host few steps are made: they get more time. */
static bool goes_on(time_t deadline)
{
	time_t now = time(NULL);

	return now < deadline || (privileged && !all_happened() && now < deadline + PATIENCE_S);
}

static void attack(uint64_t seed, const int pass[2], time_t deadline, uint64_t steps_max)
{
	static struct hand h;
	int i;

	h.pass[0] = pass[0];
	h.pass[1] = pass[1];
	for (i = 0; i < FDS; i++)
		h.fds[i] = -1;
	open_client(&h.client, seed);
	if (!find_family(&h.client)) {
		wrong("the module is not there");
		return;
	}
	open_kcov(&h.client);
	while (counts->steps < steps_max && goes_on(deadline)) {
		step(&h);
		counts->steps++;
	}
}

int main(int argc, char **argv)
{
	int pass[2], i, nr;
	time_t deadline;

	if (argc < 5)
		return 2;
	nr = atoi(argv[1]);
	deadline = time(NULL) + atoi(argv[2]);
	privileged = !geteuid();
	signal(SIGPIPE, SIG_IGN);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	setvbuf(stdout, NULL, _IOLBF, 0);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED || socketpair(AF_UNIX, SOCK_DGRAM, 0, pass))
		return 2;
	for (i = 0; i < nr; i++)
		if (!fork()) {
			attack(strtoull(argv[4], NULL, 10) * 1000 + i, pass, deadline,
			       strtoull(argv[3], NULL, 10));
			fflush(stdout);
			_exit(0);
		}
	for (i = 0; i < nr; i++) {
		int status;

		if (wait(&status) > 0 && !WIFEXITED(status)) {
			printf("# a process died of signal %d\n", WTERMSIG(status));
			counts->wrong++;
		}
	}
	printf("# %lu sessions started, %lu rings mapped, %lu descriptors passed on\n", counts->started, counts->mapped,
	       counts->passed);
	printf("tried %lu steps with mappings\n", counts->steps);
	if (privileged)
		printf("%sok - mappings: sessions ran, were mapped, and had samples\n",
		       all_happened() ? "" : "not ");
	printf("%sok - mappings: none can be more than the contract says\n", counts->wrong ? "not " : "");
	return counts->wrong ? 1 : 0;
}
