// SPDX-License-Identifier: GPL-2.0
/*
 * insmod xsaves.ko: XSAVES, XRSTORS and IA32_XSS with the state of the
 * architectural LBR, against the SDM (vol. 1, "Managing State Using the XSAVE
 * Feature Set"; vol. 3B, "Last Branch Records"). Results to dmesg. No perf
 * event may use the LBR meanwhile.
 */
#include <linux/module.h>
#include <asm/asm.h>
#include <asm/msr.h>
#include <asm/processor.h>
#if __has_include(<asm/cpuid/api.h>)	/* of its own since 6.16 */
#include <asm/cpuid/api.h>
#endif

#define SAY	"xsaves: "

#define YMM	BIT_ULL(2)
#define PKRU	BIT_ULL(9)
#define LBR	BIT_ULL(15)
#define COMPACTED BIT_ULL(63)

#define XSS		0xda0
#define LBR_CTL		0x14ce
#define LBR_DEPTH	0x14cf
#define LBR_FROM(i)	(0x1500 + (i))
#define LBR_TO(i)	(0x1600 + (i))
#define LBR_INFO(i)	(0x1200 + (i))
#define DEPTH		32
#define CTL_EN_ANY	0x7f0003ULL	/* on, at CPL 0, every kind */

/* in quadwords */
#define XSTATE_BV	64
#define XCOMP_BV	65
#define EXTENDED	72
#define QUADS		256
#define FILL		0xa5a5a5a5a5a5a5a5ULL

static u64 area[QUADS] __aligned(64);

static void check(bool good, const char *name)
{
	pr_info(SAY "%s - %s\n", good ? "ok" : "not ok", name);
}

static void check_is(u64 want, u64 got, const char *name)
{
	check(want == got, name);
	if (want != got)
		pr_info(SAY "# want 0x%llx, got 0x%llx\n", want, got);
}

/* 0, or 1 for a fault */
#define TRY(name, insn)								\
static int name(void *at, u64 mask)						\
{										\
	int err = 1;								\
										\
	asm volatile("1: " insn " (%[at])\n xor %[err], %[err]\n 2:\n"		\
		     _ASM_EXTABLE(1b, 2b)					\
		     : [err] "+&r" (err)					\
		     : [at] "r" (at), "a" ((u32)mask), "d" ((u32)(mask >> 32))	\
		     : "memory", "cc");						\
	return err;								\
}

TRY(xsaves, "xsaves64")
TRY(xrstors, "xrstors64")
TRY(xrstor, "xrstor64")

static u64 get(u32 msr)
{
	return native_read_msr(msr);
}

static void set(u32 msr, u64 value)
{
	native_wrmsr(msr, lower_32_bits(value), upper_32_bits(value));
}

static void check_cpuid(void)
{
	u32 eax, ebx, ecx, edx;

	cpuid_count(0xd, 1, &eax, &ebx, &ecx, &edx);
	check((eax & 0xf) == 0xf, "XSAVEOPT, XSAVEC, XGETBV1 and XSAVES are there");
	check(ecx == LBR && !edx, "IA32_XSS has only LBR state");
	set(XSS, 0);
	cpuid_count(0xd, 1, &eax, &ebx, &ecx, &edx);
	check_is(576 + 256 + 8, ebx, "the compacted size of XCR0's state");
	set(XSS, LBR);
	cpuid_count(0xd, 1, &eax, &ebx, &ecx, &edx);
	check_is(576 + 256 + 8 + 808, ebx, "the compacted size with LBR state");
	cpuid_count(0xd, 15, &eax, &ebx, &ecx, &edx);
	check(eax == 808 && !ebx && ecx == 1 && !edx, "LBR state: 808 bytes, supervisor, unaligned");
	cpuid_count(0xd, 0, &eax, &ebx, &ecx, &edx);
	check(!(eax & LBR), "LBR state is not in XCR0");
}

static void check_xss(void)
{
	bool good = true;
	int i;

	for (i = 0; i < 64; i++)
		if (BIT_ULL(i) != LBR)
			good &= wrmsr_safe(XSS, lower_32_bits(BIT_ULL(i)),
					   upper_32_bits(BIT_ULL(i))) == -EIO;
	check(good, "every other bit of IA32_XSS is reserved: #GP");
	set(XSS, 0);
	check_is(0, get(XSS), "IA32_XSS reads back as 0");
	set(XSS, LBR);
	check_is(LBR, get(XSS), "IA32_XSS reads back");
}

static u64 pattern(int i)
{
	return 0x100000 + 0x1000 * i;
}

static void fill_lbr(void)
{
	int i;

	set(LBR_CTL, 0);
	set(LBR_DEPTH, DEPTH);	/* clears */
	for (i = 0; i < DEPTH; i++) {
		set(LBR_FROM(i), pattern(i) + 1);
		set(LBR_TO(i), pattern(i) + 2);
		set(LBR_INFO(i), i);
	}
	set(LBR_CTL, CTL_EN_ANY & ~1ULL);
}

static bool lbr_is(u64 ctl, bool filled)
{
	bool good = get(LBR_CTL) == ctl && get(LBR_DEPTH) == DEPTH;
	int i;

	for (i = 0; i < DEPTH; i++) {
		good &= get(LBR_FROM(i)) == (filled ? pattern(i) + 1 : 0);
		good &= get(LBR_TO(i)) == (filled ? pattern(i) + 2 : 0);
		good &= get(LBR_INFO(i)) == (filled ? i : 0);
	}
	return good;
}

/* LBR state at this offset of the area, in quadwords */
static bool area_has_lbr(int at)
{
	const u64 *lbr = area + at;
	bool good = lbr[0] == (CTL_EN_ANY & ~1ULL) && lbr[1] == DEPTH &&
		    !lbr[2] && !lbr[3] && !lbr[4];
	int i;

	for (i = 0; i < DEPTH; i++)
		good &= lbr[5 + 3 * i] == pattern(i) + 1 &&
			lbr[6 + 3 * i] == pattern(i) + 2 && lbr[7 + 3 * i] == i;
	return good && lbr[5 + 3 * DEPTH] == FILL;
}

static bool header_is(u64 xstate_bv, u64 xcomp_bv)
{
	bool good = area[XSTATE_BV] == xstate_bv && area[XCOMP_BV] == xcomp_bv;
	int i;

	for (i = XCOMP_BV + 1; i < EXTENDED; i++)
		good &= area[i] == FILL;
	return good;
}

static void check_saves(void)
{
	fill_lbr();
	memset64(area, FILL, QUADS);
	check(!xsaves(area, LBR), "XSAVES of LBR state");
	check(header_is(LBR, LBR | COMPACTED), "XSAVES of LBR state: the header");
	check(area_has_lbr(EXTENDED), "XSAVES of LBR state: the registers, at offset 576");
	check(lbr_is(CTL_EN_ANY & ~1ULL, true), "XSAVES of LBR state leaves the registers as they were");

	memset64(area, FILL, QUADS);
	xsaves(area, YMM | PKRU | LBR);
	check_is((YMM | PKRU | LBR) | COMPACTED, area[XCOMP_BV], "XSAVES with AVX and PKRU state: XCOMP_BV");
	check(area_has_lbr(EXTENDED + 32 + 1), "LBR state then is at offset 840");

	memset64(area, FILL, QUADS);
	set(XSS, 0);
	check(!xsaves(area, LBR), "XSAVES of LBR state that IA32_XSS does not have");
	check(header_is(0, COMPACTED) && area[EXTENDED] == FILL, "saves nothing");
	set(XSS, LBR);
}

/* The area as XSAVES would leave it, with a tidy header. */
static void make_area(void)
{
	u64 *lbr = area + EXTENDED;
	int i;

	memset64(area, FILL, QUADS);
	memset64(area + XSTATE_BV, 0, 8);
	area[XSTATE_BV] = LBR;
	area[XCOMP_BV] = LBR | COMPACTED;
	memset64(lbr, 0, 5 + 3 * DEPTH);
	lbr[0] = CTL_EN_ANY & ~1ULL;
	lbr[1] = DEPTH;
	for (i = 0; i < DEPTH; i++) {
		lbr[5 + 3 * i] = pattern(i) + 1;
		lbr[6 + 3 * i] = pattern(i) + 2;
		lbr[7 + 3 * i] = i;
	}
}

static void clear_lbr(void)
{
	set(LBR_CTL, 0);
	set(LBR_DEPTH, DEPTH);
}

static void check_loads(void)
{
	make_area();
	clear_lbr();
	check(!xrstors(area, LBR), "XRSTORS of LBR state");
	check(lbr_is(CTL_EN_ANY & ~1ULL, true), "XRSTORS of LBR state: the registers");

	clear_lbr();
	check(!xrstors(area, ~LBR & ~7ULL & ~PKRU) && lbr_is(0, false),
	      "a mask without it leaves it alone");

	fill_lbr();
	area[XSTATE_BV] = 0;
	check(!xrstors(area, LBR) && lbr_is(0, false), "XSTATE_BV without it initializes it");
	fill_lbr();
	area[XCOMP_BV] = COMPACTED;
	check(!xrstors(area, LBR) && lbr_is(0, false), "so does an XCOMP_BV without it");

	make_area();
	fill_lbr();
	area[EXTENDED + 1] = DEPTH / 2;
	check(!xrstors(area, LBR) && lbr_is(CTL_EN_ANY & ~1ULL, false),
	      "another depth: the entries are reset, the depth stays");
}

/* What XRSTORS switches on records from the next branch on. */
static void check_recording(void)
{
	u64 from, to, want_from, want_to;

	make_area();
	area[EXTENDED] = CTL_EN_ANY;
	asm volatile("xrstors64 (%[at])\n"
		     "lea 1f(%%rip), %[from]\n lea 2f(%%rip), %[to]\n"
		     "1: jmp 2f\n nop\n 2:\n"
		     "mov %[ctl], %%ecx\n xor %%eax, %%eax\n xor %%edx, %%edx\n wrmsr\n"
		     : [from] "=&r" (want_from), [to] "=&r" (want_to)
		     : [at] "r" (area), [ctl] "i" (LBR_CTL), "a" ((u32)LBR), "d" (0)
		     : "rcx", "memory");
	from = get(LBR_FROM(0));
	to = get(LBR_TO(0));
	check(from == want_from && to == want_to, "recording goes on behind XRSTORS");
	check(get(LBR_FROM(1)) == pattern(0) + 1, "on top of the loaded records");
}

static void fault(int (*run)(void *, u64), int at, u64 value, const char *name)
{
	make_area();
	if (at >= 0)
		area[at] = value;
	check(run(area, LBR), name);
}

static void check_faults(void)
{
	bool good = true;
	int i;

	make_area();
	for (i = 8; i < 64; i <<= 1)
		good &= xsaves((u8 *)area + i, LBR) && xrstors((u8 *)area + i, LBR);
	check(good, "an area that is not aligned to 64: #GP");
	for (i = 66, good = true; i < EXTENDED; i++) {
		make_area();
		area[i] = BIT_ULL(i);
		good &= xrstors(area, LBR);
	}
	check(good, "XRSTORS, bytes 63:16 of the header not 0: #GP");
	fault(xrstors, XCOMP_BV, LBR, "XRSTORS of the standard format: #GP");
	fault(xrstors, XCOMP_BV, LBR | COMPACTED | BIT_ULL(8),
	      "XRSTORS, XCOMP_BV has more than XCR0 and IA32_XSS: #GP");
	fault(xrstors, XSTATE_BV, LBR | YMM, "XRSTORS, XSTATE_BV has more than XCOMP_BV: #GP");
	fault(xrstors, EXTENDED, BIT_ULL(8), "XRSTORS, a reserved bit of IA32_LBR_CTL: #GP");
	fault(xrstor, -1, 0, "XRSTOR of supervisor state: #GP");
	set(XSS, 0);
	fault(xrstors, -1, 0, "XRSTORS of what IA32_XSS does not have: #GP");
	set(XSS, LBR);
	make_area();
	check(!xrstors(area, LBR), "after these faults a valid area loads");
}

static int __init xsaves_init(void)
{
	unsigned long flags;
	u64 xss;

	local_irq_save(flags);
	xss = get(XSS);
	check_is(LBR, xss, "Linux has LBR state in IA32_XSS");
	check_cpuid();
	check_xss();
	check_saves();
	check_loads();
	check_recording();
	check_faults();
	clear_lbr();
	set(XSS, xss);
	local_irq_restore(flags);
	pr_info(SAY "end\n");
	return 0;
}

static void __exit xsaves_exit(void)
{
}

module_init(xsaves_init);
module_exit(xsaves_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Checks of XSAVES with LBR state");
