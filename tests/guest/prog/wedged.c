// SPDX-License-Identifier: GPL-2.0
/*
 * A START whose uprobe has to wait for a process that keeps its memory locked, because the probe
 * is in a file that the process has mapped. No request waits for it, and those of other sessions
 * are carried out meanwhile. Result lines; needs the module of ../wedge.
 *
 * While memory is locked, this program must not fork: during the registration of a uprobe
 * Linux holds up all forks of the machine.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <linux/lbrscope.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "protocol.h"

#define WEDGE	"/sys/module/wedge/parameters/"
#define PATIENCE_S	60	/* a wait of this length counts as blocked for ever */

static int failed;

__attribute__((noinline, noipa)) void probed(void)
{
	asm volatile("nop");
}

static void verdict(const char *what, bool good, const char *got)
{
	printf("%sok - %s\n", good ? "" : "not ", what);
	if (!good)
		printf("# got: %s\n", got);
	fflush(stdout);
	failed |= !good;
}

static int tell(const char *name, int number)
{
	char path[100], text[20];
	int fd, len, err;

	snprintf(path, sizeof(path), WEDGE "%s", name);
	len = snprintf(text, sizeof(text), "%d", number);
	fd = open(path, O_WRONLY);
	err = write(fd, text, len) == len ? 0 : errno;
	close(fd);
	return err;
}

/* Bytes from the start of this program's file to probed(). */
static int take_base(struct dl_phdr_info *info, size_t size, void *offset)
{
	uintptr_t at = (uintptr_t)probed - info->dlpi_addr;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && at >= p->p_vaddr && at < p->p_vaddr + p->p_filesz)
			*(uint64_t *)offset = at - p->p_vaddr + p->p_offset;
	}
	return 1;
}

static int set_probe(int fd)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct nlattr *nest, *inner;
	uint64_t offset = 0;
	int err;

	dl_iterate_phdr(take_base, &offset);
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	nest = nest_open(LBRSCOPE_SESSION_A_TRIGGERS);
	inner = nest_open(1);
	put32(LBRSCOPE_TRIGGER_A_KIND, LBRSCOPE_TRIGGER_UPROBE);
	put32(LBRSCOPE_TRIGGER_A_FILE, file);
	put64(LBRSCOPE_TRIGGER_A_OFFSET, offset);
	nest_close(inner);
	nest_close(nest);
	err = talk();
	close(file);
	return err;
}

static int set_plain(int fd)
{
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(INSTRUCTIONS_U, 100003);
	return talk();
}

/*
 * Runs a job in a thread of its own, so that the program continues if it hangs. done is set
 * last.
 */
struct job {
	int (*act)(int fd);
	int fd;
	int err;
	char text[256];
	volatile bool done;
};

static void *run(void *arg)
{
	struct job *job = arg;

	if (connect_family()) {
		job->err = errno;
		snprintf(job->text, sizeof(job->text), "no connection");
	} else {
		job->err = job->act(job->fd);
		memcpy(job->text, reply_text, sizeof(job->text));
	}
	__sync_synchronize();
	job->done = true;
	return NULL;
}

static struct job *begin_job(int (*act)(int fd), int fd)
{
	struct job *job = calloc(1, sizeof(*job));
	pthread_t thread;

	job->act = act;
	job->fd = fd;
	if (pthread_create(&thread, NULL, run, job))
		exit(2);
	pthread_detach(thread);
	return job;
}

static bool await(const volatile bool *done)
{
	struct timespec moment = { .tv_nsec = 10000000 };
	int i;

	for (i = 0; !*done && i < PATIENCE_S * 100; i++)
		nanosleep(&moment, NULL);
	__sync_synchronize();
	return *done;
}

/* Whether the job has ended with this error; else it hangs or has another result. */
static bool expect(const char *what, struct job *job, int want)
{
	bool done = await(&job->done);
	char got[400];

	snprintf(got, sizeof(got), "%s; %s", done ? strerror(job->err) : "hangs", job->text);
	verdict(what, done && job->err == want, got);
	return done;
}

static bool try(const char *what, int (*act)(int fd), int fd)
{
	return expect(what, begin_job(act, fd), 0);
}

static int act_start(int fd) { return command(LBRSCOPE_CMD_SESSION_START, fd); }

/* As a client does: asks again while uprobes are being registered. */
static int act_start_whole(int fd)
{
	int err, i;

	for (i = 0; i < 100 * PATIENCE_S; i++) {
		err = act_start(fd);
		if (err != EINPROGRESS)
			break;
		usleep(10000);
	}
	return err;
}

static int act_stop(int fd) { return command(LBRSCOPE_CMD_SESSION_STOP, fd); }
static int act_get(int fd) { return command(LBRSCOPE_CMD_SESSION_GET, fd); }
static int act_close(int fd) { return close(fd) ? errno : 0; }
static int act_family(int fd) { (void)fd; return tell("family", 1); }

/* Sends a request to the family of generic netlink itself. */
static int act_other(int fd)
{
	(void)fd;
	begin(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	put(CTRL_ATTR_FAMILY_NAME, "nlctrl", sizeof("nlctrl"));
	return talk();
}

static int act_info(int fd)
{
	(void)fd;
	begin(family, LBRSCOPE_CMD_INFO_GET);
	return talk();
}

static int act_counts(int fd)
{
	begin(family, LBRSCOPE_CMD_COUNTS_GET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put32(LBRSCOPE_SESSION_A_CPU, 0);
	return talk();
}

static bool await_state(pid_t pid, const char *states)
{
	struct timespec moment = { .tv_nsec = 10000000 };
	int i;

	for (i = 0; i < PATIENCE_S * 100; i++) {
		char state = state_of(pid);

		if (state && strchr(states, state))
			return true;
		nanosleep(&moment, NULL);
	}
	return false;
}

/* A child with a session of its own, which it starts on command. */
static pid_t new_starter(int *order)
{
	int pipes[2];
	pid_t child;
	char byte;
	int fd;

	if (pipe(pipes))
		exit(2);
	child = fork();
	if (child) {
		close(pipes[0]);
		*order = pipes[1];
		return child;
	}
	close(pipes[1]);
	fd = device();
	if (connect_family() || set_probe(fd) || read(pipes[0], &byte, 1) != 1)
		_exit(2);
	/* The signal tells that START has returned, and how. */
	raise(command(LBRSCOPE_CMD_SESSION_START, fd) == EINPROGRESS ? SIGSTOP : SIGTERM);
	for (;;)
		pause();
}

static void while_wedged(struct job *start, int fd, int other)
{
	try("another family answers", act_other, 0);
	try("INFO_GET answers", act_info, 0);
	try("another session is configured", set_plain, other);
	try("its SESSION_GET answers", act_get, other);
	try("its COUNTS_GET answers", act_counts, other);
	try("another family is registered", act_family, 0);
	expect("START with the uprobe says that it is in progress", start, EINPROGRESS);
	verdict("its text says why", strstr(start->text, "trigger 0: "), start->text);
	expect("a second START says so, too", begin_job(act_start, fd), EINPROGRESS);
	expect("the session runs meanwhile: no other one starts", begin_job(act_start, other),
	       EBUSY);
	try("it stops", act_stop, fd);
	try("another session starts then", act_start, other);
	try("it stops as well", act_stop, other);
}

static void kill_starter(pid_t starter, int order, int other)
{
	if (write(order, "", 1) != 1)
		exit(2);
	verdict("START of a second process is in progress", await_state(starter, "T"),
		"another state");
	kill(starter, SIGKILL);
	/* Its exit waits for the memory, too, but does not hold the PMU. */
	for (int i = 0; i < 100 * PATIENCE_S; i++) {
		struct job *job = begin_job(act_start, other);

		if (!await(&job->done) || job->err != EBUSY)
			break;
		usleep(10000);
	}
	try("the process is killed: the PMU is free", act_get, other);
	try("and the session that has it now stops", act_stop, other);
	try("it is closed", act_close, other);
}

static void await_no_probe(const volatile uint8_t *code)
{
	for (int i = 0; *code == 0xcc && i < 100 * PATIENCE_S; i++)
		usleep(10000);
}

static void afterwards(int fd, pid_t starter)
{
	const volatile uint8_t *code = (const volatile uint8_t *)probed;
	uint8_t before;
	int status;

	verdict("the memory is unlocked: the killed process is gone",
		waitpid(starter, &status, 0) == starter, strerror(errno));
	/* The uprobe of the session that has stopped is removed without a command. */
	await_no_probe(code);
	before = *code;
	verdict("no probe is left", before != 0xcc, "int3");
	try("START with the uprobe", act_start_whole, fd);
	verdict("the probe is in the code", *code == 0xcc, "no int3");
	expect("the session runs", begin_job(act_start, fd), EALREADY);
	probed();
	try("STOP", act_stop, fd);
	await_no_probe(code);
	verdict("the code is as before", *code == before, "another byte");
	try("START once more", act_start_whole, fd);
	close(fd);
	verdict("closed while it runs: the code is as before", *code == before, "another byte");
}

int main(void)
{
	int fd, other, order;
	pid_t victim, starter;
	struct job *start;

	if (connect_family())
		return 2;
	victim = fork();
	if (!victim)
		for (;;)
			pause();
	starter = new_starter(&order);
	fd = device();
	other = device();
	if (fd < 0 || other < 0 || set_probe(fd) || !await_state(starter, "S"))
		return 2;
	verdict("memory is locked", !tell("hold", victim), strerror(errno));
	start = begin_job(act_start, fd);
	while_wedged(start, fd, other);
	kill_starter(starter, order, other);
	verdict("memory is unlocked", !tell("hold", 0), strerror(errno));
	afterwards(fd, starter);
	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
	return failed;
}
