// SPDX-License-Identifier: GPL-2.0
/* ctl/record/callers.c: user stacks of a program that runs, by its side records. */
#include <linux/perf_event.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "program.h"

#include <linux/lbrscope_ring.h>

#include "record/callers.h"
#include "record/synth.h"

#define DEPTH	40
#define WINDOW	32768

/* down() is DEPTH calls deep when the program stops itself. */
static const char source[] =
	"#include <signal.h>\n"
	"#include <stdlib.h>\n"
	"volatile long sink;\n"
	"__attribute__((noinline, noclone)) long down(long n)\n"
	"{ volatile char room[40]; room[n % 40] = n;\n"
	"  if (n) sink += down(n - 1); else raise(SIGSTOP);\n"
	"  return sink + room[n % 40]; }\n"
	"int main(void) { return down(" "39" ") == 1; }\n";

static uint64_t id = 1;
static struct perfdata_event event = { .name = (char *)"e", .ids = &id, .nr_ids = 1 };
static struct callers *callers;
static pid_t pid;
static unsigned char window[WINDOW] __attribute__((aligned(8)));
static uint64_t regs[LBRSCOPE_USER_REGS_NR];
static struct ring_sample sample;

static void start(const char *path)
{
	int status;

	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(path, path, NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
}

static void stop(void)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Builds the sample that the module would record of it. */
static void take_sample(void)
{
	struct user_regs_struct r;
	struct iovec here = { window, sizeof(window) }, there;
	ssize_t size;

	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &r), 0);
	memcpy(regs, (uint64_t[]){ r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi, r.rbp, r.rsp,
				   r.rip, r.eflags, r.cs, r.ss, r.r8, r.r9, r.r10, r.r11,
				   r.r12, r.r13, r.r14, r.r15 }, sizeof(regs));
	/* The stack ends before the window does. */
	there = (struct iovec){ (void *)r.rsp, sizeof(window) };
	for (size = -1; size < 0 && there.iov_len > 64; there.iov_len -= 64)
		size = process_vm_readv(pid, &here, 1, &there, 1, 0);
	assert_true(size > 0);
	sample = (struct ring_sample){
		.pid = pid, .tid = pid, .ip = r.rip, .flags = LBRSCOPE_SAMPLE_USER,
		.user_regs = regs, .user_stack = (const uint64_t *)window,
		.user_stack_size = size / 8 * 8,
	};
}

/* The address of the program's _start(). */
static uint64_t entry(void)
{
	uint64_t pair[2] = { 0, 0 };
	char path[32];
	FILE *auxv;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	auxv = fopen(path, "r");
	assert_non_null(auxv);
	while (pair[0] != AT_ENTRY)
		assert_int_equal(fread(pair, sizeof(pair), 1, auxv), 1);
	fclose(auxv);
	return pair[1];
}

static void look(void)
{
	struct buildid_table ids = { 0 };
	struct synth synth = { .buildids = &ids, .callers = callers };

	synth.writer = perfdata_write_open("callers.data", &event, 1);
	assert_non_null(synth.writer);
	assert_int_equal(synth_process(&synth, pid), 0);
	perfdata_write_abort(synth.writer);
	buildid_table_free(&ids);
}

/* Frames in down(): one and the same return address, again and again. */
static unsigned int recursion(const struct encode_callers *c)
{
	unsigned int most = 0, nr = 0;

	for (size_t i = 1; i < c->nr; i++) {
		nr = c->addresses[i] == c->addresses[i - 1] ? nr + 1 : 1;
		most = nr > most ? nr : most;
	}
	return most;
}

static void expect_whole(void)
{
	struct encode_callers c;

	callers = callers_new(0);
	assert_non_null(callers);
	take_sample();
	look();
	c = callers_of(callers, &sample);
	assert_true(c.nr > DEPTH);
	assert_string_equal(c.end, "entry");
	assert_int_equal(c.addresses[0], sample.ip);
	assert_int_equal(recursion(&c), DEPTH - 1);
	callers_free(callers);
	callers = NULL;
}

static void test_whole(void **state)
{
	(void)state;
	start("./p");
	expect_whole();
	stop();
}

/* The file has gone when its mapping is seen, and another one has its name. */
static void test_deleted_and_replaced(void **state)
{
	(void)state;
	run("cp p gone");
	start("./gone");
	assert_int_equal(unlink("gone"), 0);
	if (!geteuid())
		expect_whole();
	run("cp /bin/true gone");
	if (!geteuid())
		expect_whole();
	stop();
	run("cp bare taken");
	start("./taken");
	run("cp /bin/true other && mv other taken");
	if (!geteuid())
		expect_whole();
	stop();
}

/* Memory outside of the window ends the unwinding with that reason. */
static void test_window(void **state)
{
	struct encode_callers c;

	(void)state;
	start("./p");
	callers = callers_new(0);
	take_sample();
	look();
	sample.user_stack_size = 1024;
	c = callers_of(callers, &sample);
	assert_true(c.nr > 3 && c.nr < DEPTH);
	assert_string_equal(c.end, "window");
	/* Branch records may show callers, where nothing of the stack was in memory. */
	sample.user_stack_size = 0;
	sample.from = sample.to = regs;
	assert_int_equal(callers_of(callers, &sample).nr, 0);
	sample.from = sample.to = NULL;
	c = callers_of(callers, &sample);
	assert_int_equal(c.nr, 1);
	assert_string_equal(c.end, "absent");
	/* Where a thread begins, its stack has nothing to be recorded. */
	sample.ip = regs[8] = entry();
	c = callers_of(callers, &sample);
	assert_int_equal(c.nr, 1);
	assert_string_equal(c.end, "entry");
	sample.user_stack_size = 1024;
	/* 32-bit code is not unwound. */
	regs[10] = 0x23;
	assert_int_equal(callers_of(callers, &sample).nr, 0);
	regs[10] = 0x33;
	/* Registers of another moment than the address say nothing of it. */
	sample.ip++;
	assert_int_equal(callers_of(callers, &sample).nr, 0);
	assert_int_equal(callers_of(NULL, &sample).nr, 0);
	stop();
	callers_free(callers);
	callers = NULL;
}

/* A program that maps code without end has bounds. */
static void test_many_mappings(void **state)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t prot, flags;
		char name[8];
		char id[32];
	} mmap = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER,
			    .size = sizeof(mmap) },
		.pid = 77, .tid = 77, .addr = 0x10000, .len = 4096, .name = "//anon",
	};

	(void)state;
	callers = callers_new(0);
	for (unsigned int i = 0; i < CALLERS_MAPPINGS_MAX + 1000; i++, mmap.addr += 8192)
		assert_int_equal(callers_record(callers, &mmap.header), 0);
	callers_free(callers);
	callers = NULL;
}

static int set_up(void **state)
{
	program_setup(state);
	assert_int_equal(chdir(program_dir), 0);
	program_write("p.c", source);
	run("gcc p.c -O2 -o p && gcc p.c -O2 -Wl,--build-id=none -o bare");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_deleted_and_replaced),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_many_mappings),
	};

	return cmocka_run_group_tests_name("callers", tests, set_up, program_teardown);
}
