/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program that runs one instruction at a time, with its true call stack: a shadow stack kept
 * from the instructions themselves. A call pushes its address; frames above the stack pointer
 * have returned. An LBR of call-stack mode is kept beside it by the manual's rules (SDM vol.
 * 3B, "LBR Stack"), and one of all branches that end in user mode.
 */
#ifndef ANALYSIS_TRACEE_H
#define ANALYSIS_TRACEE_H

#include <signal.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "mapping.h"
#include "program.h"

#include "stacks/code.h"

#define MOST_DEPTH	512
#define MOST_BRANCHES	64
#define KERNEL_CODE	0xffffffff81000000

/* A call that has not returned, or a signal that interrupted. */
struct call {
	uint64_t from, to;
	uint64_t slot;			/* where the return address lies */
	bool signal;
};

struct tracee {
	pid_t pid;
	struct user_regs_struct regs;
	uint64_t begin;			/* the stack pointer when it began */
	struct call shadow[MOST_DEPTH];
	size_t depth;
	struct stacks_branch lbr[MOST_DEPTH];	/* oldest first, addresses */
	size_t nr_lbr, most_lbr;
	struct {
		uint64_t from, to;
		bool jump;		/* no call, no return */
	} branches[MOST_BRANCHES];	/* a ring */
	size_t nr_branches;		/* all that ever were */
	struct maps *maps;
	struct code *code;
	struct object_range program;	/* its code in memory */
};

static inline void read_memory(const struct tracee *t, uint64_t addr, void *to, size_t size,
			size_t *got)
{
	struct iovec here = { to, size }, there = { (void *)addr, size };
	ssize_t nr = process_vm_readv(t->pid, &here, 1, &there, 1, 0);

	*got = nr > 0 ? nr : 0;
}

/* --- the shadow stack and the LBR --- */

enum kind { OTHER, CALL, RETURN };

static inline enum kind kind_of(const unsigned char *insn, bool *to_next)
{
	size_t i = 0;

	*to_next = false;
	while (insn[i] == 0x3e || insn[i] == 0x66 || insn[i] == 0x67 || insn[i] == 0xf2 ||
	       insn[i] == 0xf3 || (insn[i] & 0xf0) == 0x40)
		i++;
	if (insn[i] == 0xe8) {
		*to_next = !memcmp(insn + i + 1, "\0\0\0", 4);
		return CALL;
	}
	if (insn[i] == 0xff && (insn[i + 1] >> 3 & 7) == 2)
		return CALL;
	return insn[i] == 0xc3 || insn[i] == 0xc2 ? RETURN : OTHER;
}

/* The bytes of a jump, 0 of another instruction; *always: it goes elsewhere for sure. */
static inline size_t jump_length(const unsigned char *insn, bool *always)
{
	size_t i = 0;

	while (insn[i] == 0x3e || insn[i] == 0x66 || insn[i] == 0xf2)
		i++;
	i += (insn[i] & 0xf0) == 0x40 && insn[i + 1] == 0xff;
	*always = insn[i] == 0xe9 || insn[i] == 0xeb || insn[i] == 0xff;
	if (insn[i] == 0xff)
		return (insn[i + 1] >> 3 & 7) == 4 ? i + 2 : 0;
	if (insn[i] == 0xeb || (insn[i] & 0xf0) == 0x70 || (insn[i] & 0xfc) == 0xe0)
		return i + 2;
	if (insn[i] == 0xe9)
		return i + 5;
	return insn[i] == 0x0f && (insn[i + 1] & 0xf0) == 0x80 ? i + 6 : 0;
}

static inline void branch_push(struct tracee *t, uint64_t from, bool jump)
{
	size_t i = t->nr_branches++ % MOST_BRANCHES;

	t->branches[i].from = from;
	t->branches[i].to = t->regs.rip;
	t->branches[i].jump = jump;
}

/* Processes the effect of the instruction at `from`. */
static inline void branch_note(struct tracee *t, uint64_t from,
			       const unsigned char *insn, enum kind kind)
{
	bool always;
	size_t length = jump_length(insn, &always);

	if (kind != OTHER)
		branch_push(t, from, false);
	else if (length && (always || t->regs.rip != from + length))
		branch_push(t, from, true);
	else if (insn[0] == 0x0f && insn[1] == 0x05)
		branch_push(t, KERNEL_CODE, false);
}

static inline void lbr_push(struct tracee *t, uint64_t from, uint64_t to)
{
	if (!t->most_lbr)
		return;
	if (t->nr_lbr == t->most_lbr)
		memmove(t->lbr, t->lbr + 1, --t->nr_lbr * sizeof(*t->lbr));
	t->lbr[t->nr_lbr++] = (struct stacks_branch){ { 0, from }, { 0, to } };
}

static inline void shadow_push(struct tracee *t, struct call call)
{
	assert_true(t->depth < MOST_DEPTH);
	t->shadow[t->depth++] = call;
}

/* Removes the frames that were left by a return, or by longjmp(). A handler returns to the
 * kernel by a system call. */
static inline void shadow_settle(struct tracee *t)
{
	while (t->depth && !t->shadow[t->depth - 1].signal &&
	       t->shadow[t->depth - 1].slot < t->regs.rsp)
		t->depth--;
	if (t->depth && t->shadow[t->depth - 1].signal &&
	    t->regs.rip == t->shadow[t->depth - 1].from &&
	    t->regs.rsp == t->shadow[t->depth - 1].slot)
		t->depth--;
}

/* Executes one instruction, or delivers a signal. False when the program has ended. */
static inline bool step(struct tracee *t, int *signal)
{
	struct user_regs_struct before = t->regs;
	unsigned char insn[16] = { 0 };
	bool to_next;
	enum kind kind;
	size_t got;
	int status;

	read_memory(t, before.rip, insn, sizeof(insn), &got);
	kind = kind_of(insn, &to_next);
	if (ptrace(PTRACE_SINGLESTEP, t->pid, NULL, *signal) ||
	    waitpid(t->pid, &status, 0) != t->pid || WIFEXITED(status))
		return false;
	assert_true(WIFSTOPPED(status));
	assert_int_equal(ptrace(PTRACE_GETREGS, t->pid, NULL, &t->regs), 0);
	if (*signal) {
		branch_push(t, KERNEL_CODE, false);
		shadow_push(t, (struct call){ .from = before.rip, .slot = before.rsp,
					      .signal = true });
		*signal = 0;
		return true;
	}
	*signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	if (t->regs.rip == before.rip && t->regs.rsp == before.rsp)
		return true;
	branch_note(t, before.rip, insn, kind);
	if (kind == CALL && !to_next) {
		shadow_push(t, (struct call){ before.rip, t->regs.rip, t->regs.rsp, false });
		lbr_push(t, before.rip, t->regs.rip);
	} else if (kind == RETURN && t->nr_lbr) {
		t->nr_lbr--;
	}
	/* longjmp() has changed stacks when it jumps, not before. */
	if (kind == RETURN || t->regs.rip - before.rip > 15)
		shadow_settle(t);
	return true;
}

static inline struct place place_of(struct tracee *t, uint64_t addr)
{
	uint64_t offset;

	if ((int64_t)addr < 0)
		return (struct place){ MAPS_KERNEL, addr };
	return maps_place(t->maps, t->pid, addr, &offset);
}

static inline void map_program(struct tracee *t, const char *path)
{
	char name[64], line[1024], file[512], rights[8];
	uint64_t start, end, offset;
	FILE *in;

	snprintf(name, sizeof(name), "/proc/%d/maps", t->pid);
	in = fopen(name, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %511s", &start, &end, rights,
			   &offset, file) != 5 || rights[2] != 'x')
			continue;
		feed_mmap2(t->maps, t->pid, start, end - start, offset, file);
		if (!strcmp(file, path))
			t->program = (struct object_range){ start, end };
	}
	fclose(in);
}

/* The address at which the kernel's auxiliary vector says the program begins. */
static inline uint64_t entry_of(const struct tracee *t)
{
	uint64_t pair[2] = { 0, 0 };
	char name[64];
	FILE *in;

	snprintf(name, sizeof(name), "/proc/%d/auxv", t->pid);
	in = fopen(name, "r");
	assert_non_null(in);
	while (pair[0] != AT_ENTRY && fread(pair, sizeof(pair), 1, in) == 1)
		;
	fclose(in);
	assert_int_equal(pair[0], AT_ENTRY);
	return pair[1];
}

/* Past the dynamic linker's work: nothing has been called yet, all is mapped. */
static inline void run_to_entry(struct tracee *t)
{
	uint64_t entry = entry_of(t);
	long code = ptrace(PTRACE_PEEKTEXT, t->pid, entry, NULL);
	int status;

	ptrace(PTRACE_POKETEXT, t->pid, entry, (code & ~0xffL) | 0xcc);
	ptrace(PTRACE_CONT, t->pid, NULL, NULL);
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	ptrace(PTRACE_POKETEXT, t->pid, entry, code);
	assert_int_equal(ptrace(PTRACE_GETREGS, t->pid, NULL, &t->regs), 0);
	assert_int_equal(t->regs.rip, entry + 1);
	t->regs.rip = entry;
	assert_int_equal(ptrace(PTRACE_SETREGS, t->pid, NULL, &t->regs), 0);
}

static inline void start_program(struct tracee *t, const char *path)
{
	int status;

	memset(t, 0, sizeof(*t));
	t->pid = fork();
	if (!t->pid) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(path, path, NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	assert_true(WIFSTOPPED(status));
	ptrace(PTRACE_SETOPTIONS, t->pid, NULL, PTRACE_O_EXITKILL);
	run_to_entry(t);
	t->begin = t->regs.rsp;
	t->maps = maps_new(NULL);
	t->code = code_new(t->maps);
	map_program(t, path);
}

static inline void end_program(struct tracee *t)
{
	code_free(t->code);
	maps_free(t->maps);
}

#endif
