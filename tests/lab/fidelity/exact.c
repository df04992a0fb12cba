// SPDX-License-Identifier: GPL-2.0
/*
 * exact: counts of instructions and branches at user privilege, against code
 * whose counts are known to the last one.
 *
 * The counters belong to perf events of the running kernel and are read by
 * RDPMC in the same assembler block as the code, so nothing of a compiler's is
 * in between. A reading counts what has retired up to and including the RDPMC
 * itself. Far returns of user space are missing: QEMU reads their stack with the
 * kernel's rights, which SMAP does not let pass; the kernel's are in module/.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define BUFFER (64 * PAGE)

/* Instructions from behind the first reading up to the second. */
#define OVERHEAD 4

static struct perf_event_mmap_page *insns, *branches;
static int failed;

struct count {
	uint64_t insns, branches;
};

/* Where the blocks find their registers' values: a, b in r8 and r9. */
#define BODY(name, code)							\
static __attribute__((noinline)) struct count name(void *a, void *b)		\
{										\
	struct count c;								\
	uint64_t i0, b0;							\
	register void *r8 asm("r8") = a;					\
	register void *r9 asm("r9") = b;					\
	uint64_t pi = insns->index - 1, pb = branches->index - 1;		\
										\
	asm volatile(								\
		"mov %[pb], %%rcx\n rdpmc\n shl $32, %%rdx\n"			\
		"lea (%%rax, %%rdx), %[b0]\n"					\
		"mov %[pi], %%rcx\n rdpmc\n shl $32, %%rdx\n"			\
		"lea (%%rax, %%rdx), %[i0]\n"					\
		code "\n"							\
		"mov %[pi], %%rcx\n rdpmc\n shl $32, %%rdx\n"			\
		"or %%rdx, %%rax\n sub %[i0], %%rax\n mov %%rax, %[i0]\n"	\
		"mov %[pb], %%rcx\n rdpmc\n shl $32, %%rdx\n"			\
		"or %%rdx, %%rax\n sub %[b0], %%rax\n mov %%rax, %[b0]\n"	\
		: [i0] "=&r" (i0), [b0] "=&r" (b0), "+r" (r8), "+r" (r9)	\
		: [pi] "m" (pi), [pb] "m" (pb)					\
		: "rax", "rcx", "rdx", "rbx", "rsi", "rdi", "r10", "r11",	\
		  "memory", "cc", "xmm0");					\
	c.insns = (i0 & ((1ULL << 48) - 1)) - OVERHEAD;				\
	c.branches = b0 & ((1ULL << 48) - 1);					\
	return c;								\
}

BODY(nothing, "")
BODY(nops, ".rept 1000\n nop\n .endr")
BODY(loop_jnz, "mov $1000000, %%ecx\n 1: dec %%ecx\n jnz 1b")
BODY(loop_loop, "mov $1000, %%ecx\n 1: loop 1b")
BODY(jump_jrcxz, "xor %%ecx, %%ecx\n jrcxz 1f\n nop\n 1: inc %%ecx\n jrcxz 1b")
BODY(rep_movsb, "mov %%r8, %%rdi\n mov %%r9, %%rsi\n mov $65536, %%ecx\n rep movsb")
BODY(rep_nothing, "mov %%r8, %%rdi\n xor %%ecx, %%ecx\n rep stosb")
BODY(repne_scasb, "mov %%r8, %%rdi\n mov $65536, %%ecx\n mov $7, %%eax\n repne scasb")
BODY(page_faults, "mov $64, %%ecx\n 1: movb $1, (%%r8)\n add $4096, %%r8\n dec %%ecx\n jnz 1b")
BODY(rep_faults, "mov %%r8, %%rdi\n mov %%r9, %%rsi\n mov $65536, %%ecx\n rep movsb")
BODY(split_lock, "mov $100, %%ecx\n 1: lock addl $1, 62(%%r8)\n dec %%ecx\n jnz 1b")
BODY(cmpxchg16b, "xor %%eax, %%eax\n xor %%edx, %%edx\n xor %%ebx, %%ebx\n xor %%ecx, %%ecx\n"
		 "mov $100, %%r10d\n 1: lock cmpxchg16b (%%r8)\n dec %%r10d\n jnz 1b")
BODY(cpuid_10, ".rept 10\n xor %%eax, %%eax\n xor %%ecx, %%ecx\n cpuid\n .endr")
BODY(rdtsc_10, ".rept 10\n rdtsc\n .endr")
BODY(rdpmc_10, "mov %[pi], %%rcx\n .rept 10\n rdpmc\n .endr")
BODY(syscalls, "mov $100, %%r10d\n 1: mov $39, %%eax\n syscall\n dec %%r10d\n jnz 1b")
BODY(int_0x80, "mov $100, %%r10d\n 1: mov $20, %%eax\n int $0x80\n dec %%r10d\n jnz 1b")
BODY(calls, "mov $1000, %%ecx\n 1: call 3f\n jmp 2f\n 3: jmp 4f\n 4: ret\n 2: dec %%ecx\n jnz 1b")
BODY(indirect, "mov $1000, %%ecx\n lea 3f(%%rip), %%rax\n lea 2f(%%rip), %%rdx\n"
	       "1: call *%%rax\n jmp *%%rdx\n 3: ret\n 2: dec %%ecx\n jnz 1b")
BODY(self_modifying, "call *%%r8")
BODY(sse, "mov $100, %%ecx\n 1: movdqu (%%r8), %%xmm0\n paddq %%xmm0, %%xmm0\n dec %%ecx\n jnz 1b")

/*
 * mov $100, %ecx; 1: incl the immediate of the mov below; nop; nop;
 * mov $1, %eax; dec %ecx; jnz 1b; ret
 */
static const unsigned char modifier[] = {
	0xb9, 0x64, 0, 0, 0, 0xff, 0x05, 3, 0, 0, 0, 0x90, 0x90,
	0xb8, 1, 0, 0, 0, 0xff, 0xc9, 0x75, 0xef, 0xc3,
};

static void *pages(size_t size, int prot)
{
	void *p = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	return p;
}

static struct perf_event_mmap_page *event(uint64_t config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	void *p = fd < 0 ? MAP_FAILED : mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED) {
		perror("perf_event_open");
		exit(2);
	}
	return p;
}

static void *fresh(void)
{
	return pages(BUFFER, PROT_READ | PROT_WRITE);
}

static void *filled(void)
{
	char *p = fresh();

	memset(p, 1, BUFFER);
	p[60000] = 7;
	return p;
}

static void *zeroed(void)
{
	return memset(filled(), 0, BUFFER);
}

static void *code(void)
{
	return memcpy(pages(PAGE, PROT_READ | PROT_WRITE | PROT_EXEC), modifier, sizeof(modifier));
}

static const struct {
	const char *name;
	struct count (*run)(void *a, void *b);
	void *(*a)(void), *(*b)(void);
	uint64_t insns, branches;
} tests[] = {
	{ "nothing", nothing, NULL, NULL, 0, 0 },
	{ "1000 nops", nops, NULL, NULL, 1000, 0 },
	{ "a loop of a million", loop_jnz, NULL, NULL, 2000001, 1000000 },
	{ "LOOP", loop_loop, NULL, NULL, 1001, 1000 },
	{ "JRCXZ", jump_jrcxz, NULL, NULL, 4, 2 },
	{ "REP MOVSB of 65536 bytes is one", rep_movsb, filled, filled, 4, 0 },
	{ "REP STOSB of none is one", rep_nothing, filled, NULL, 3, 0 },
	{ "REPNE SCASB of 60001 bytes is one", repne_scasb, filled, NULL, 4, 0 },
	{ "64 page faults", page_faults, fresh, NULL, 1 + 64 * 4, 64 },
	{ "REP MOVSB over 16 page faults", rep_faults, fresh, filled, 4, 0 },
	{ "locked additions across cache lines", split_lock, filled, NULL, 301, 100 },
	{ "CMPXCHG16B", cmpxchg16b, zeroed, NULL, 305, 100 },
	{ "CPUID", cpuid_10, NULL, NULL, 30, 0 },
	{ "RDTSC", rdtsc_10, NULL, NULL, 10, 0 },
	{ "RDPMC", rdpmc_10, NULL, NULL, 11, 0 },
	{ "SYSCALL", syscalls, NULL, NULL, 401, 200 },
	{ "INT 80h", int_0x80, NULL, NULL, 401, 200 },
	{ "CALL, JMP and RET", calls, NULL, NULL, 6001, 5000 },
	{ "indirect CALL and JMP", indirect, NULL, NULL, 5003, 4000 },
	{ "code that changes itself", self_modifying, code, NULL, 603, 102 },
	{ "SSE", sse, filled, NULL, 401, 100 },
};

/* perf moved its counter meanwhile: the reading means nothing. */
static int disturbed(uint32_t i, uint32_t b)
{
	return insns->lock != i || branches->lock != b;
}

static void run(size_t n, int cpu)
{
	struct count c;
	uint32_t i, b;
	int tries = 100;

	do {
		void *x = tests[n].a ? tests[n].a() : NULL;
		void *y = tests[n].b ? tests[n].b() : NULL;

		i = insns->lock;
		b = branches->lock;
		c = tests[n].run(x, y);
	} while (disturbed(i, b) && --tries);
	if (c.insns == tests[n].insns && c.branches == tests[n].branches) {
		printf("ok - exact: %s, CPU %d\n", tests[n].name, cpu);
		return;
	}
	failed = 1;
	printf("not ok - exact: %s, CPU %d\n", tests[n].name, cpu);
	printf("# instructions: want %lu, got %lu; branches: want %lu, got %lu\n",
	       (unsigned long)tests[n].insns, (unsigned long)c.insns,
	       (unsigned long)tests[n].branches, (unsigned long)c.branches);
}

static int run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		return 2;
	}
	insns = event(PERF_COUNT_HW_INSTRUCTIONS);
	branches = event(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	if (!insns->index || !branches->index) {
		fprintf(stderr, "exact: the events are not on counters\n");
		return 2;
	}
	for (size_t n = 0; n < sizeof(tests) / sizeof(tests[0]); n++)
		run(n, cpu);
	fflush(stdout);
	return failed;
}

/* All CPUs at the same time. */
int main(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), status, result = 0;

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	for (int cpu = 0; cpu < cpus; cpu++)
		if (!fork())
			_exit(run_on(cpu));
	while (wait(&status) > 0)
		if (status)
			result = 1;
	return result;
}
