// SPDX-License-Identifier: GPL-2.0
/*
 * xsavec: XSAVEC and XRSTOR of the compacted format against what the SDM says, vol.
 * 1, "Managing State Using the XSAVE Feature Set". The offsets here are written
 * out by hand; what XSAVEC may leave to the processor and the emulation
 * chose (a component in its initial configuration is never written) is marked
 * "by choice".
 */
#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include "xsave.h"

#define FP	1ULL
#define SSE	2ULL
#define YMM	4ULL
#define PKRU	0x200ULL
#define ALL	(FP | SSE | YMM | PKRU)
#define COMPACTED (1ULL << 63)

#define XSTATE_BV	512
#define XCOMP_BV	520
#define EXTENDED	576
#define PKRU_STANDARD	0xa80
#define SIZE		1024
#define FILL		0xa5

static uint8_t area[4096] __attribute__((aligned(64)));
static int failed, cases, failed_cases;

static void check(int good, const char *format, unsigned long long a, unsigned long long b)
{
	cases++;
	failed_cases += !good;
	if (good)
		return;
	printf("# bad: ");
	printf(format, a, b);
	printf("\n");
}

/* One result line for the cases since the last */
static void result(const char *name)
{
	printf("%s - %s, %d cases\n", failed_cases ? "not ok" : "ok", name, cases);
	failed |= failed_cases != 0;
	cases = failed_cases = 0;
}

/* Loads in, runs the instruction on the area with mask, stores out. */
#define RUN(name, insn)								\
static __attribute__((noinline)) void name(struct state *in, void *to,		\
					   uint64_t mask, struct state *out)	\
{										\
	register void *r8 asm("r8") = to;					\
	register void *r9 asm("r9") = out;					\
	register uint64_t r10 asm("r10") = mask;				\
										\
	asm volatile(LOAD_STATE							\
		     "mov %%r10, %%rax\n mov %%r10, %%rdx\n shr $32, %%rdx\n"	\
		     insn "\n" STORE_STATE					\
		     : "+D" (in), "+r" (r8), "+r" (r9), "+r" (r10)		\
		     : : STATE_CLOBBERS);					\
}

RUN(xsavec, "xsavec64 (%%r8)")
RUN(xrstor, "xrstor64 (%%r8)")
RUN(xsaves, "xsaves64 (%%r8)")
RUN(xrstors, "xrstors64 (%%r8)")
RUN(lock_xsavec, ".byte 0xf0, 0x49, 0x0f, 0xc7, 0x20")
RUN(data_xsavec, ".byte 0x66, 0x49, 0x0f, 0xc7, 0x20")
RUN(reg_xsavec, ".byte 0x0f, 0xc7, 0xe0")
RUN(xinuse, "mov $1, %%ecx\n xgetbv\n shl $32, %%rdx\n or %%rdx, %%rax\n mov %%rax, (%%r8)")

static uint64_t field(int offset)
{
	uint64_t value;

	memcpy(&value, area + offset, 8);
	return value;
}

static void set_field(int offset, uint64_t value)
{
	memcpy(area + offset, &value, 8);
}

/* What XSAVEC writes: image, and which of its bytes (0: stays as it was). */
struct expect {
	uint8_t image[SIZE], written[SIZE];
};

static void want(struct expect *e, int offset, const void *data, int size)
{
	memcpy(e->image + offset, data, size);
	memset(e->written + offset, 1, size);
}

static void want_area(struct expect *e, const struct state *s, uint64_t rfbm, uint64_t bv)
{
	static const uint8_t zeros[16];
	uint32_t mask = 0xffff;
	uint64_t comp = rfbm | COMPACTED;
	int i, pkru_at = rfbm & YMM ? EXTENDED + 256 : EXTENDED;

	memset(e, 0, sizeof(*e));
	if (bv & FP) {
		want(e, 0, s->fx, 5);
		want(e, 8, zeros, 16);	/* FIP, FDP: not kept by QEMU */
		for (i = 0; i < 8; i++)
			want(e, FX_ST + 16 * i, s->fx + FX_ST + 16 * i, 10);
	}
	if (bv & SSE) {
		want(e, FX_MXCSR, s->fx + FX_MXCSR, 4);
		want(e, FX_MXCSR + 4, &mask, 4);
		want(e, FX_XMM, s->fx + FX_XMM, 256);
	}
	for (i = 0; bv & YMM && i < 16; i++)
		want(e, EXTENDED + 16 * i, s->ymm[i] + 16, 16);
	if (bv & PKRU)
		want(e, pkru_at, &s->pkru, 4);
	want(e, XSTATE_BV, &bv, 8);
	want(e, XCOMP_BV, &comp, 8);
}

/* Bytes that belong to a field of which only a part is defined */
static int is_padding(int offset, uint64_t rfbm)
{
	int pkru_at = rfbm & YMM ? EXTENDED + 256 : EXTENDED;

	if (offset >= FX_ST && offset < FX_XMM)
		return (offset & 15) >= 10;
	return offset == 5 || offset == 6 || offset == 7 ||
	       (rfbm & PKRU && offset >= pkru_at + 4 && offset < pkru_at + 8);
}

static void check_save(struct state *s, uint64_t mask, uint64_t inuse, const char *name)
{
	struct expect e;
	struct state out;
	int i, bad = -1;

	memset(area, FILL, sizeof(area));
	xsavec(s, area, mask, &out);
	want_area(&e, s, mask & ALL, mask & inuse);
	for (i = SIZE - 1; i >= 0; i--)
		if (area[i] != (e.written[i] ? e.image[i] : FILL) && !is_padding(i, mask & ALL))
			bad = i;
	check(bad < 0 && !state_differs(s, &out), name, mask, inuse);
	if (bad >= 0)
		printf("# byte %d is 0x%02x\n", bad, area[bad]);
}

static void check_cpuid(void)
{
	unsigned int a, b, c, d;

	__cpuid_count(0xd, 1, a, b, c, d);
	check((a & 2) && (a & 4), "CPUID.0DH.1:EAX has XSAVEC and XGETBV1 (0x%llx)", a, 0);
	check(b >= EXTENDED + 256 + 8, "EBX has room for what XCR0 holds (%llu)", b, 0);
	__cpuid_count(0xd, 2, a, b, c, d);
	check(a == 256 && b == EXTENDED && !(c & 3), "AVX state: 256 bytes, user, unaligned", 0, 0);
	__cpuid_count(0xd, 9, a, b, c, d);
	check(a == 8 && b == PKRU_STANDARD && !(c & 3), "PKRU state: 8 bytes, user, unaligned", 0, 0);
}

static void check_layout(void)
{
	struct state s, init;
	uint64_t mask;

	state_fill(&s, 5);
	for (mask = 0; mask <= ALL; mask++)
		if (!(mask & ~ALL))
			check_save(&s, mask, ALL, "XSAVEC of 0x%llx, all in use");
	check_save(&s, ~0ULL & ~COMPACTED, ALL, "XSAVEC of more than XCR0 has (0x%llx)");

	state_init(&init);
	check_save(&init, ALL, 0, "XSAVEC of 0x%llx, nothing in use: by choice not written");
	memcpy(init.ymm[7] + 16, s.ymm[7] + 16, 16);
	check_save(&init, ALL, YMM, "XSAVEC of 0x%llx, only 0x%llx in use");
	state_init(&init);
	init.pkru = 4;
	check_save(&init, ALL, PKRU, "XSAVEC of 0x%llx, only 0x%llx in use");
	state_init(&init);
	init.fx[FX_MXCSR + 1] = 0x3f;
	check_save(&init, ALL, SSE, "XSAVEC of 0x%llx, only MXCSR not initial (0x%llx)");
	state_init(&init);
	init.fx[FX_FCW + 1] = 2;
	check_save(&init, ALL, FP, "XSAVEC of 0x%llx, only FCW not initial (0x%llx)");
}

static void check_xgetbv(void)
{
	struct state s, out;

	state_init(&s);
	s.ymm[15][31] = 1;
	xinuse(&s, area, 0, &out);
	check(field(0) == YMM, "XGETBV of XINUSE: 0x%llx, only AVX state in use", field(0), 0);
	state_fill(&s, 9);
	xinuse(&s, area, 0, &out);
	check(field(0) == ALL, "XGETBV of XINUSE: 0x%llx", field(0), 0);
}

/* to, with the components of mask as they are in from */
static void merge(struct state *to, const struct state *from, uint64_t mask)
{
	int i;

	if (mask & FP) {
		memcpy(to->fx, from->fx, 24);
		memcpy(to->fx + FX_ST, from->fx + FX_ST, 128);
	}
	if (mask & SSE)
		memcpy(to->fx + FX_MXCSR, from->fx + FX_MXCSR, 4);
	if (mask & SSE)
		memcpy(to->fx + FX_XMM, from->fx + FX_XMM, 256);
	for (i = 0; i < 16; i++) {
		if (mask & SSE)
			memcpy(to->ymm[i], from->ymm[i], 16);
		if (mask & YMM)
			memcpy(to->ymm[i] + 16, from->ymm[i] + 16, 16);
	}
	if (mask & PKRU)
		to->pkru = from->pkru;
}

/* An area that holds held in the layout of comp, by hand; its header is tidy. */
static void make_area(const struct state *held, uint64_t comp, uint64_t bv)
{
	static struct expect e;
	int i;

	want_area(&e, held, comp, bv);
	memset(area, FILL, sizeof(area));
	memset(area + XSTATE_BV, 0, 64);
	for (i = 0; i < SIZE; i++)
		if (e.written[i])
			area[i] = e.image[i];
}

static void check_load(uint64_t comp, uint64_t bv, uint64_t mask)
{
	struct state before, held, init, wanted, out;
	char name[100];

	state_fill(&before, 3);
	state_fill(&held, 8);
	state_init(&init);
	wanted = before;
	merge(&wanted, &held, mask & bv);
	merge(&wanted, &init, mask & ~bv);
	make_area(&held, comp, bv);
	xrstor(&before, area, mask, &out);
	snprintf(name, sizeof(name), "XRSTOR: XCOMP_BV 0x%llx, XSTATE_BV 0x%%llx, mask 0x%%llx",
		 (unsigned long long)comp);
	check(!state_differs(&wanted, &out), name, bv, mask);
}

static void check_loads(void)
{
	static const uint64_t sets[] = { 0, FP, SSE, YMM, PKRU, FP | YMM, SSE | PKRU, YMM | PKRU, ALL };
	const int n = sizeof(sets) / sizeof(*sets);
	int comp, bv, mask;

	for (comp = 0; comp < n; comp++)
		for (bv = 0; bv < n; bv++)
			for (mask = 0; mask < n; mask++)
				if (!(sets[bv] & ~sets[comp]))
					check_load(sets[comp], sets[bv], sets[mask]);
}

static sigjmp_buf back;
static volatile int got_signal;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)context;
	/* A #GP has no address, and says so by SI_KERNEL. */
	got_signal = signal == SIGSEGV && info->si_code != SI_KERNEL ? -1 : signal;
	siglongjmp(back, 1);
}

typedef void run_fn(struct state *in, void *to, uint64_t mask, struct state *out);

static void check_fault(run_fn *run, void *to, int signal, const char *name, unsigned long long a)
{
	static struct state s, out;

	state_init(&s);
	got_signal = 0;
	if (!sigsetjmp(back, 1))
		run(&s, to, ALL, &out);
	check(got_signal == signal, name, a, 0);
}

static void check_faults(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	struct state held;
	int bit;

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	state_fill(&held, 11);

	make_area(&held, ALL, ALL);
	check_fault(xsavec, area, 0, "XSAVEC of a good area does not fault", 0);
	for (bit = 1; bit < 64; bit <<= 1)
		check_fault(xsavec, area + bit, SIGSEGV, "XSAVEC, %llu bytes off: #GP", bit);
	make_area(&held, ALL, ALL);
	check_fault(xrstor, area, 0, "XRSTOR of a good area does not fault", 0);
	check_fault(xrstor, area + 32, SIGSEGV, "XRSTOR, %llu bytes off: #GP", 32);
	for (bit = 0; bit < 63; bit++) {
		if (ALL >> bit & 1)
			continue;
		make_area(&held, ALL, ALL);
		set_field(XCOMP_BV, COMPACTED | ALL | 1ULL << bit);
		check_fault(xrstor, area, SIGSEGV, "XCOMP_BV[%llu] is not in XCR0: #GP", bit);
	}
	for (bit = 0; bit < 64; bit++) {
		make_area(&held, 0, 0);
		set_field(XSTATE_BV, 1ULL << bit);
		check_fault(xrstor, area, SIGSEGV, "XSTATE_BV[%llu] is not in XCOMP_BV: #GP", bit);
	}
	for (bit = 16; bit < 64; bit++) {
		make_area(&held, ALL, ALL);
		area[XSTATE_BV + bit] = 1;
		check_fault(xrstor, area, SIGSEGV, "byte %llu of the header is not 0: #GP", bit);
	}
	make_area(&held, ALL, ALL);
	area[FX_MXCSR + 2] = 1;
	check_fault(xrstor, area, SIGSEGV, "a reserved bit of MXCSR: #GP", 0);
	set_field(XSTATE_BV, ALL & ~SSE);
	check_fault(xrstor, area, 0, "the same, but not loaded: no fault", 0);

	make_area(&held, ALL, ALL);
	set_field(XCOMP_BV, ALL);
	check_fault(xrstor, area, SIGSEGV, "XCOMP_BV without bit 63: #GP", 0);
	set_field(XCOMP_BV, 0);
	set_field(PKRU_STANDARD, 0x40);	/* else none of our memory were accessible */
	check_fault(xrstor, area, 0, "the standard format still loads", 0);
	set_field(XSTATE_BV, ALL | 1ULL << 15);
	check_fault(xrstor, area, SIGSEGV, "standard format, XSTATE_BV[15]: #GP", 0);
}

static void check_privileges(void)
{
	unsigned int a, b, c, d;
	int privileged;

	__cpuid_count(0xd, 1, a, b, c, d);
	privileged = a & 8 ? SIGSEGV : SIGILL;
	check_fault(xsaves, area, privileged, a & 8 ? "XSAVES of user space: #GP" : "no XSAVES: #UD", 0);
	check_fault(xrstors, area, privileged, a & 8 ? "XRSTORS of user space: #GP" : "no XRSTORS: #UD", 0);
	check_fault(lock_xsavec, area, SIGILL, "LOCK XSAVEC: #UD", 0);
	check_fault(data_xsavec, area, SIGILL, "66 XSAVEC: #UD", 0);
	check_fault(reg_xsavec, area, SIGILL, "XSAVEC of a register: #UD", 0);
}

int main(void)
{
	check_cpuid();
	check_layout();
	check_xgetbv();
	result("XSAVEC: header, offsets, what is not in use");
	check_loads();
	result("XRSTOR of the compacted format");
	check_faults();
	check_privileges();
	result("their faults");
	return failed;
}
