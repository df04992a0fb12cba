// SPDX-License-Identifier: GPL-2.0
/* frames CASE ROUNDS: code without call frame information, in the program and as a copy made at
 * run time, which perf-PID.map names (with a j before the name). Some of it keeps a frame
 * pointer, some uses the register for other things (corpus.py has the true stacks). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "corpus.h"

volatile long corpus_sink;

/* %rdi is the function that the last one calls, with itself as argument. */
#define FUNCTION(name, code)						\
	".globl " #name "\n.type " #name ", @function\n" #name ":\n" code	\
	"\n.size " #name ", .-" #name "\n"
#define SPEND		"mov $60, %ecx\n0: dec %ecx\njnz 0b\n"
#define TO(next)	"call " #next "\n"
#define TO_C		"mov %rdi, %rax\ncall *%rax\n"

/* Frame pointers, with each usual epilogue, and one set up behind a check. */
#define SAVE		"push %rbp\nmov %rsp, %rbp\nsub $16, %rsp\nmov %rdi, -8(%rbp)\n"
#define KEEP(name, spend, to)						\
	FUNCTION(name, SAVE spend "mov -8(%rbp), %rdi\n" to spend "leave\nret")
#define KEEP_POP(name, spend, to)					\
	FUNCTION(name, "endbr64\n" SAVE spend "mov -8(%rbp), %rdi\n" to spend	\
		 "add $16, %rsp\npop %rbp\nret")
#define KEEP_LATE(name, spend, to)					\
	FUNCTION(name, "test %rdi, %rdi\nje 9f\n" SAVE spend "mov -8(%rbp), %rdi\n" to spend \
		 "mov %rbp, %rsp\npop %rbp\n9: ret")
#define KEPT(p, spend, to)						\
	KEEP(p##_1, spend, TO(p##_2)) KEEP_POP(p##_2, spend, TO(p##_3))	\
	KEEP_LATE(p##_3, spend, TO(p##_4)) KEEP(p##_4, spend, to)

/* %rbp holds what `set` puts there. */
#define USE(name, set, to)						\
	FUNCTION(name, "push %rbp\nsub $64, %rsp\nmov %rdi, 48(%rsp)\n" set SPEND	\
		 "mov 48(%rsp), %rdi\n" to SPEND "mov $3, %ebp\n" SPEND	\
		 "add $64, %rsp\npop %rbp\nret")
#define UNUSED(name, to)						\
	FUNCTION(name, "sub $8, %rsp\nmov %rdi, (%rsp)\n" SPEND "mov (%rsp), %rdi\n" to SPEND \
		 "add $8, %rsp\nret")
#define NUMBER		"mov $7, %ebp\n"
#define SOMEWHERE	"lea 40(%rsp), %rbp\n"
#define SKIPS		"mov (%rbp), %rbp\n"
/* A frame that looks right, with the return address of a real call. */
#define FORGED		"lea kf_2 + 34(%rip), %rax\nmov %rax, 8(%rsp)\nlea 72(%rsp), %rax\n"	\
			"mov %rax, (%rsp)\nmov %rsp, %rbp\n"

asm(".pushsection .text\n.globl blob\nblob:\n"
    KEPT(kf, SPEND, TO_C) KEPT(nf, SPEND, TO_C) KEPT(tf, "", "nop\n")
    USE(uf_1, SOMEWHERE, TO(uf_2)) USE(uf_2, NUMBER, TO(uf_3)) UNUSED(uf_3, TO(uf_4))
    USE(uf_4, FORGED, TO_C)
    KEEP(mf_1, SPEND, TO(mf_2)) USE(mf_2, SKIPS, TO(mf_3)) KEEP_POP(mf_3, SPEND, TO(mf_4))
    UNUSED(mf_4, TO_C)
    ".globl blob_end\nblob_end:\n.popsection\n");

typedef long called(long);
typedef long chain(called *);
extern char blob[], blob_end[];
#define CHAINS(X)	X(kf) X(nf) X(tf) X(uf) X(mf)
#define DECLARE(p)	extern char p##_2[], p##_3[], p##_4[]; chain p##_1;
CHAINS(DECLARE)

static char *copy;
#define COPIED(f)	((chain *)(copy + ((char *)(f) - blob)))

/* A function reaches to the next one. */
static void make(void)
{
#define LIST(p)	{ #p "_1", (char *)p##_1 }, { #p "_2", p##_2 }, { #p "_3", p##_3 }, { #p "_4", p##_4 },
	const struct {
		const char *name, *start;
	} list[] = { CHAINS(LIST) { "", blob_end } };
	size_t size = blob_end - blob;
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	copy = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!map || copy == MAP_FAILED)
		exit(1);
	memcpy(copy, blob, size);
	for (size_t i = 0; *list[i].name; i++)
		fprintf(map, "%lx %lx j%s\n", (long)copy + (list[i].start - blob),
			(long)(list[i + 1].start - list[i].start), list[i].name);
	fclose(map);
}

/* --- the cases --- */

CHAIN(kin, s + 1)
CHAIN(jkin, s + 2)
NODE long kept(long s)
{
	s += kf_1(kin_1);
	BURN(s);
	return s + COPIED(kf_1)(jkin_1);
}

/* Most of their samples are in a prologue or an epilogue. */
NODE long tiny(long s)
{
	for (int i = 0; i < 100; i++)
		s += tf_1(kin_1) + COPIED(tf_1)(kin_1);
	return s;
}

/* From code with call frame information to code without, and again. */
CHAIN(nlast, s + 1)
CHAIN(nin, nf_1(nlast_1))
NODE long nested(long s)
{
	s += COPIED(nf_1)(nin_1);
	BURN(s);
	return s;
}

CHAIN(uin, s + 1)
CHAIN(juin, s + 2)
NODE long used(long s)
{
	s += uf_1(uin_1);
	BURN(s);
	return s + COPIED(uf_1)(juin_1);
}

CHAIN(min, s + 1)
CHAIN(jmin, s + 2)
NODE long mixed(long s)
{
	s += mf_1(min_1);
	BURN(s);
	return s + COPIED(mf_1)(jmin_1);
}

CHAIN(shand, s + 1)
static void stopped(int number)
{
	long s = number;

	BURN(s);
	corpus_sink += shand_1(s);
}

/* --- */

static const struct {
	const char *name;
	long (*run)(long);
} cases[] = {
	{ "kept", kept }, { "tiny", tiny }, { "nested", nested }, { "used", used }, { "mixed", mixed },
};

/* With "struck", signals arrive anywhere. */
int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "all";
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	long rounds = argc > 2 ? atol(argv[2]) : 1, s = 1;

	make();
	signal(SIGALRM, stopped);
	if (strstr(name, "struck"))
		setitimer(ITIMER_REAL, &often, NULL);
	for (long r = 0; r < rounds; r++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
			if (strstr(name, cases[i].name))
				s += cases[i].run(s + r);
	return 0;
}
