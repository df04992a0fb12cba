// SPDX-License-Identifier: GPL-2.0
/*
 * Threads and processes that command the same sessions at the same time, close them during
 * each other's commands, pass them on, and are killed.
 *
 *   crossfire PROCESSES SECONDS SEED    result lines
 *
 * A process has eight threads and four descriptors. Each thread opens, replaces and closes
 * them, and names them in commands. The processes exchange descriptors by SCM_RIGHTS. The
 * parent kills a process every tenth of a second and starts another one; meanwhile one process
 * tries to unload the module.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "protocol.h"

#define THREADS	8
#define GRANTED	100	/* minimum number of commands */
#define SLOTS	4
#define FD_BASE	100	/* of the slots: dup3() replaces a descriptor atomically */

static int mail[2];	/* descriptors in transit */
static __thread unsigned int seed;

struct counts {
	unsigned long asked, granted;
};

static struct counts *counts;	/* shared by all processes */

static unsigned int any(unsigned int n)
{
	return rand_r(&seed) % n;
}

__attribute__((noinline, noipa)) void probed(void)
{
	asm volatile("nop");
}

static int take_base(struct dl_phdr_info *info, size_t size, void *offset)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = (uintptr_t)probed - info->dlpi_addr;

		if (p->p_type == PT_LOAD && at >= p->p_vaddr && at < p->p_vaddr + p->p_filesz)
			*(uint64_t *)offset = at - p->p_vaddr + p->p_offset;
	}
	return 1;
}

static void put_uprobe(int file)
{
	struct nlattr *nest = nest_open(LBRSCOPE_SESSION_A_TRIGGERS);
	struct nlattr *inner = nest_open(1);
	uint64_t offset = 0;

	dl_iterate_phdr(take_base, &offset);
	put32(LBRSCOPE_TRIGGER_A_KIND, LBRSCOPE_TRIGGER_UPROBE);
	put32(LBRSCOPE_TRIGGER_A_FILE, file);
	put64(LBRSCOPE_TRIGGER_A_OFFSET, offset);
	nest_close(inner);
	nest_close(nest);
}

static void set(int fd)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put32(LBRSCOPE_SESSION_A_RING_SIZE, LBRSCOPE_RING_SIZE_MIN);
	if (any(2))
		put(LBRSCOPE_SESSION_A_OVERWRITE, NULL, 0);
	if (any(3))
		put_event(INSTRUCTIONS_U, 20011);
	if (any(2)) {
		put32(LBRSCOPE_SESSION_A_TARGET_PIDS, getpid());
		put(LBRSCOPE_SESSION_A_TASK_COUNTS, NULL, 0);
	}
	if (any(2))
		put_uprobe(file);
	talk();
	close(file);
}

/* A new session takes a slot's place; the old descriptor is closed during commands on it. */
static void replace(int fd)
{
	int new = device();

	if (new < 0)
		return;
	dup3(new, fd, O_CLOEXEC);
	close(new);
	set(fd);
}

static void map(int fd)
{
	off_t at = any(2) ? LBRSCOPE_RING_OFF(any(4)) : LBRSCOPE_RING_TAIL_OFF(any(4));
	void *ring = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, at);

	if (ring == MAP_FAILED)
		return;
	close(fd);
	munmap(ring, 4096);
}

union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static void pass_on(int fd)
{
	char byte = 0;
	struct iovec iov = { &byte, 1 };
	union control control = { 0 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	sendmsg(mail[0], &m, MSG_DONTWAIT);
}

static void receive(int fd)
{
	char byte;
	struct iovec iov = { &byte, 1 };
	union control control = { 0 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	int got;

	if (recvmsg(mail[1], &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1)
		return;
	c = CMSG_FIRSTHDR(&m);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return;
	memcpy(&got, CMSG_DATA(c), sizeof(got));
	dup3(got, fd, O_CLOEXEC);
	close(got);
}

static void ask(int fd)
{
	static const uint8_t commands[] = {
		LBRSCOPE_CMD_SESSION_START, LBRSCOPE_CMD_SESSION_START,
		LBRSCOPE_CMD_SESSION_STOP, LBRSCOPE_CMD_SESSION_STOP,
		LBRSCOPE_CMD_SESSION_GET, LBRSCOPE_CMD_COUNTS_GET,
		LBRSCOPE_CMD_SESSION_FREEZE, LBRSCOPE_CMD_SESSION_THAW,
		LBRSCOPE_CMD_TASK_COUNTS_GET, LBRSCOPE_CMD_INFO_GET,
	};
	uint8_t cmd = commands[any(sizeof(commands))];

	begin(family, cmd);
	if (cmd != LBRSCOPE_CMD_INFO_GET)
		put32(LBRSCOPE_SESSION_A_FD, fd);
	if (cmd == LBRSCOPE_CMD_COUNTS_GET)
		put32(LBRSCOPE_SESSION_A_CPU, any(5));
	__atomic_fetch_add(&counts->asked, 1, __ATOMIC_RELAXED);
	if (!talk())
		__atomic_fetch_add(&counts->granted, 1, __ATOMIC_RELAXED);
}

static void *fire(void *arg)
{
	seed = (unsigned long)arg;
	if (connect_family())
		_exit(3);
	for (;;) {
		int fd = FD_BASE + any(SLOTS);

		switch (any(16)) {
		case 0:
			replace(fd);
			break;
		case 1:
			set(fd);
			break;
		case 2:
			close(fd);
			break;
		case 3:
			map(fd);
			break;
		case 4:
			pass_on(fd);
			break;
		case 5:
			receive(fd);
			break;
		default:
			ask(fd);
		}
		probed();
	}
	return NULL;
}

static pid_t begin_process(unsigned int start)
{
	pid_t child = fork();
	pthread_t thread;
	unsigned long i;

	if (child)
		return child;
	for (i = 1; i < THREADS; i++)
		pthread_create(&thread, NULL, fire, (void *)(start * THREADS + i));
	fire((void *)(unsigned long)(start * THREADS));
	_exit(0);
}

/* Unloading is refused as long as a descriptor or a mapping exists. */
static pid_t begin_unloader(void)
{
	pid_t child = fork();

	if (child)
		return child;
	for (;;) {
		if (!syscall(SYS_delete_module, "lbrscope", O_NONBLOCK))
			_exit(1);
		usleep(1000);
	}
}

static int verdict(const char *what, int good)
{
	printf("%sok - %s # %lu commands, %lu granted\n", good ? "" : "not ", what,
	       counts->asked, counts->granted);
	return !good;
}

int main(int argc, char **argv)
{
	int nr = argc == 4 ? atoi(argv[1]) : 0, status, kept, i, failed;
	time_t end = time(NULL) + (nr ? atoi(argv[2]) : 0);
	unsigned int start = nr ? atoi(argv[3]) * 1000 : 0;
	pid_t children[16], unloader;

	if (nr < 1 || nr > 16 || connect_family() || socketpair(AF_UNIX, SOCK_DGRAM, 0, mail))
		return 2;
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	kept = device();	/* keeps the module loaded */
	unloader = begin_unloader();
	for (i = 0; i < nr; i++)
		children[i] = begin_process(++start);
	seed = start;
	/* A slow machine needs more time for the same work. */
	while (time(NULL) < end || (counts->granted <= GRANTED && time(NULL) < end + 300)) {
		i = any(nr);
		usleep(100000);
		kill(children[i], SIGKILL);
		waitpid(children[i], &status, 0);
		children[i] = begin_process(++start);
	}
	for (i = 0; i < nr; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], &status, 0);
	}
	close(mail[0]);
	close(mail[1]);
	failed = verdict("no unloading while a descriptor is there", !waitpid(unloader, &status, WNOHANG));
	kill(unloader, SIGKILL);
	waitpid(unloader, &status, 0);
	failed |= verdict("commands have been granted", counts->granted > GRANTED);
	/* No session is left: the PMU is free. */
	begin(family, LBRSCOPE_CMD_INFO_GET);
	talk();
	failed |= verdict("the PMU is free", !reply_errno && !find(LBRSCOPE_INFO_A_OWNER_PID));
	set(kept);
	close(kept);
	return failed;
}
