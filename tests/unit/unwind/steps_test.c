// SPDX-License-Identifier: GPL-2.0
/*
 * The module's walk, and what the recorder makes of its chain, at each instruction of a program
 * (stepped.cc) that is stepped through by ptrace(), from its first instruction on. The truth is a
 * shadow of its calls: what each call pushed, as long as it lies above the stack pointer.
 */
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/lbrscope_ring.h"
#include "object/frame_table.h"
#include "object/object.h"
#include "record/callers.h"
#include "record/synth.h"
#include "walk.h"

#define FILES	16
#define SHADOW	4096
#define SHOWN	8
/* An instruction is judged this often, and then at each OFTEN-th time. */
#define SEEN	(1U << 20)
#define OFTEN	16

/* A call that has not returned, or a signal: its interrupted address, and the stack pointer then. */
struct open_call {
	uint64_t slot, back;
	bool signal;
};

struct file {
	char path[256];
	struct object *object;
	bool table;
};

static uint64_t id = 1;
static struct perfdata_event event = { .name = (char *)"e", .ids = &id, .nr_ids = 1 };

static struct {
	pid_t pid;
	struct user_regs_struct regs;
	uint64_t base;				/* the stack pointer at the beginning */
	struct file files[FILES];
	size_t nr_files;
	struct walk_range ranges[64];
	size_t nr_ranges;
	struct open_call shadow[SHADOW];
	size_t nr_shadow;
	uint8_t seen[SEEN];			/* by a hash of the address: how often it was judged */
	size_t steps, whole, short_, wrong;	/* short_: a beginning of the truth */
	size_t undecided;			/* the module does not leave the innermost frame */
	size_t between, signals, deepest;
	size_t pointed, hidden;			/* whole ones along frame pointers; that lacked a caller */
	struct callers *callers;
	struct perfdata_writer *records;
} s;

bool walk_memory(uint64_t at, uint64_t *value)
{
	struct iovec here = { value, sizeof(*value) }, there = { (void *)at, sizeof(*value) };

	return process_vm_readv(s.pid, &here, 1, &there, 1, 0) == sizeof(*value);
}

/* Returns the file's number; its table is given to the module at first. */
static size_t file_of(const char *path)
{
	struct lbrscope_unwind_head *table;
	enum object_state state;
	struct file *f;
	size_t size;

	for (size_t i = 0; i < s.nr_files; i++)
		if (!strcmp(s.files[i].path, path))
			return i;
	assert_true(s.nr_files < FILES);
	f = &s.files[s.nr_files];
	snprintf(f->path, sizeof(f->path), "%s", path);
	f->object = object_open(NULL, 0, path, NULL, 0, &state);
	table = f->object ? frame_table_of(f->object, &size) : NULL;
	f->table = table && !walk_table(s.nr_files, table, size, WALK_PART);
	free(table);
	return s.nr_files++;
}

/* Lets the recorder read the mappings. */
static void tell_recorder(void)
{
	struct buildid_table ids = { 0 };
	struct synth synth = { .buildids = &ids, .callers = s.callers, .writer = s.records };

	assert_int_equal(synth_process(&synth, s.pid), 0);
	buildid_table_free(&ids);
}

static void add_range(struct walk_range range)
{
	assert_true(s.nr_ranges < NR(s.ranges));
	s.ranges[s.nr_ranges++] = range;
}

/* Takes the mappings of code from /proc. Code that the program has made has no file. */
static void take_mappings(void)
{
	char path[64], line[512];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", s.pid);
	maps = fopen(path, "r");
	s.nr_ranges = 0;
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, end, offset, vaddr;
		char rights[8], name[256] = "";
		size_t file;

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &start, &end, rights, &offset, name) < 4 ||
		    rights[2] != 'x')
			continue;
		if (!*name)
			add_range((struct walk_range){ start, end, 0, LBRSCOPE_UNWIND_NO_TABLE });
		if (*name != '/')
			continue;
		file = file_of(name);
		if (!s.files[file].table || !object_vaddr(s.files[file].object, offset, &vaddr))
			continue;
		add_range((struct walk_range){ start, end, start - vaddr, file });
	}
	fclose(maps);
	assert_int_equal(walk_ranges(s.ranges, s.nr_ranges), 0);
	tell_recorder();
}

static struct walk_registers registers(void)
{
	const struct user_regs_struct *r = &s.regs;

	return (struct walk_registers){ { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8, r->r9,
					  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15, r->rip } };
}

static void name(uint64_t address)
{
	for (size_t i = 0; i < s.nr_ranges; i++) {
		const struct walk_range *r = &s.ranges[i];
		const struct object_symbol *symbol;

		if (address < r->start || address >= r->end || r->table == LBRSCOPE_UNWIND_NO_TABLE)
			continue;
		symbol = object_symbol(s.files[r->table].object, address - r->bias);
		print_message(" %s:%#lx%s%s", strrchr(s.files[r->table].path, '/') + 1, address - r->bias,
			      symbol ? " " : "", symbol ? symbol->name : "");
		return;
	}
	print_message(" %#lx", address);
}

static void show(const uint64_t *chain, size_t nr, const char *end)
{
	print_message("# at");
	name(s.regs.rip);
	print_message(": found");
	for (size_t i = 0; i < nr; i++)
		name(chain[i]);
	print_message(", end %s; true", end);
	for (size_t i = s.nr_shadow; i--;) {
		name(s.shadow[i].back);
		print_message("%s", s.shadow[i].signal ? " (signal)" : "");
	}
	print_message("\n");
}

/* Whether this address was judged often enough: loops of the dynamic linker are long. */
static bool is_known(void)
{
	uint8_t *seen = &s.seen[s.regs.rip % SEEN];

	*seen += *seen < OFTEN;
	return *seen == OFTEN && s.steps % OFTEN;
}

static uint64_t word_at(uint64_t at)
{
	uint64_t word = 0;

	walk_memory(at, &word);
	return word;
}

/* Whether the C++ runtime has changed a return address: for a few instructions it prepares the stack
 * of the handler while its own is still there, and there is no true stack. The last of them is
 * "jmp *%rcx", to the handler. */
static bool is_between(void)
{
	if ((word_at(s.regs.rip) & 0xffff) == 0xe1ff)
		return true;
	for (size_t i = s.nr_shadow; i--;)
		if (!s.shadow[i].signal && word_at(s.shadow[i].slot) != s.shadow[i].back)
			return true;
	return false;
}

/* Compares the walk with the shadow. */
static void compare(void)
{
	const struct walk_registers regs = registers();
	const struct ring_sample sample = { .pid = s.pid, .tid = s.pid, .ip = s.regs.rip, .flags = LBRSCOPE_SAMPLE_USER,
					    .callers = walk(&regs, s.base) };
	const struct encode_callers callers = callers_by_module(s.callers, &sample);
	const uint64_t *chain = callers.addresses + 1;
	size_t nr = callers.nr - 1, same = 0;

	if (is_between()) {
		s.between++;
		return;
	}
	assert_true(callers.nr);
	while (same < nr && same < s.nr_shadow && chain[same] == s.shadow[s.nr_shadow - 1 - same].back)
		same++;
	if (same == nr && same == s.nr_shadow) {
		s.whole++;
		s.pointed += callers.pointed != 0;
		s.hidden += nr > sample.callers->nr;
	} else if (!sample.callers->nr && sample.callers->end == LBRSCOPE_CHAIN_NO_RULE) {
		s.undecided++;
	} else if (same == nr && strcmp(callers.end, "entry")) {
		s.short_++;
	} else {
		s.wrong++;
	}
	if (same != nr && s.wrong <= SHOWN)
		show(chain, nr, callers.end);
	if (s.nr_shadow > s.deepest)
		s.deepest = s.nr_shadow;
}

static void push(struct open_call call)
{
	assert_true(s.nr_shadow < SHADOW);
	s.shadow[s.nr_shadow++] = call;
}

/* Brings the shadow up to date after an instruction. A handler may have a stack of its own: what
 * was open before it is left alone until it returns. */
static void follow(const struct user_regs_struct *before)
{
	const uint64_t sp = s.regs.rsp, ip = s.regs.rip, length = ip - before->rip;

	while (s.nr_shadow) {
		const struct open_call *top = &s.shadow[s.nr_shadow - 1];

		if (top->signal ? ip != top->back || sp != top->slot : top->slot >= sp)
			break;
		s.nr_shadow--;
	}
	if (sp == before->rsp - 8 && length > 15) {
		const uint64_t back = word_at(sp);

		if (back > before->rip && back - before->rip <= 15)
			push((struct open_call){ .slot = sp, .back = back });
	}
}

/* Executes one instruction, or delivers a signal. Returns false at the end. */
static bool step(int *signal)
{
	const struct user_regs_struct before = s.regs;
	const bool delivers = *signal;
	bool maps = (word_at(before.rip) & 0xffff) == 0x050f && before.rax >= 9 && before.rax <= 11;
	int status;

	assert_int_equal(ptrace(PTRACE_SINGLESTEP, s.pid, 0, (long)*signal), 0);
	assert_int_equal(waitpid(s.pid, &status, 0), s.pid);
	if (WIFEXITED(status)) {
		assert_int_equal(WEXITSTATUS(status), 0);
		return false;
	}
	assert_true(WIFSTOPPED(status));
	*signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	assert_int_equal(ptrace(PTRACE_GETREGS, s.pid, 0, &s.regs), 0);
	if (delivers) {
		s.signals++;
		push((struct open_call){ .slot = before.rsp, .back = before.rip, .signal = true });
		push((struct open_call){ .slot = s.regs.rsp, .back = word_at(s.regs.rsp) });
	} else {
		follow(&before);
	}
	if (maps)
		take_mappings();
	return true;
}

static void start(const char *path)
{
	int status;

	s.pid = fork();
	assert_true(s.pid >= 0);
	if (!s.pid) {
		dup2(open("/dev/null", O_WRONLY), 1);
		/* Lazy binding keeps the caller's stack pointer in rbx: such stacks are cut there. */
		setenv("LD_BIND_NOW", "1", 1);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execl(path, path, NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(s.pid, &status, 0), s.pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(ptrace(PTRACE_GETREGS, s.pid, 0, &s.regs), 0);
	s.base = s.regs.rsp;
	s.callers = callers_new(0);
	assert_non_null(s.callers);
	s.records = perfdata_write_open(program_path("steps.data"), &event, 1);
	assert_non_null(s.records);
	take_mappings();
}

static void each_instruction(void **state)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 32);
	int signal = 0;

	(void)state;
	assert_true(len > 0);
	path[len] = '\0';
	strcpy(strrchr(path, '/'), "/stepped");
	start(path);
	do {
		if (!is_known())
			compare();
		s.steps++;
	} while (step(&signal));
	print_message("# %zu instructions, %zu deep at most, %zu signals: %zu chains whole, %zu along frame pointers, of which %zu had lacked a caller; %zu without outer frames, %zu undecided, %zu wrong; %zu between two stacks\n",
		      s.steps, s.deepest, s.signals, s.whole, s.pointed, s.hidden, s.short_, s.undecided, s.wrong, s.between);
	assert_true(s.steps > 100000);
	assert_int_equal(s.signals, 2);
	assert_true(s.deepest >= 15);
	assert_int_equal(s.wrong, 0);
	assert_true(s.between < s.whole / 100);
	/* Nothing but its code says whether a function without rules, called by one that has no frame pointer,
	 * has set up its own. */
	assert_true(s.whole > 50000 && s.short_ < s.whole / 300 && s.undecided < s.whole / 100);
	assert_true(s.pointed > 500 && s.hidden > 50);
	perfdata_write_abort(s.records);
	callers_free(s.callers);
	walk_forget();
	for (size_t i = 0; i < s.nr_files; i++)
		object_close(s.files[i].object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_instruction),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
