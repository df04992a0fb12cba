/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks of the emulated PMU's registers from inside the guest's kernel, by
 * nothing but RDMSR, WRMSR, RDPMC and the PMI. What they expect is what the
 * Intel SDM says (vol. 3B, "Performance Monitoring" and "Last Branch
 * Recording"; vol. 4), or, where the SDM leaves it open, what the emulation
 * chose; the latter are marked "by choice".
 *
 * All checks run with interrupts off, on the CPU they were started on.
 */
#ifndef FIDELITY_H
#define FIDELITY_H

#include <linux/types.h>
#include <asm/processor.h>
#if __has_include(<asm/cpuid/api.h>)	/* of its own since 6.16 */
#include <asm/cpuid/api.h>
#endif

#define PMC(i)			(0x0c1 + (i))
#define A_PMC(i)		(0x4c1 + (i))
#define EVTSEL(i)		(0x186 + (i))
#define FIXED(i)		(0x309 + (i))
#define FIXED_CTRL		0x38d
#define GLOBAL_STATUS		0x38e
#define GLOBAL_CTRL		0x38f
#define STATUS_RESET		0x390
#define STATUS_SET		0x391
#define GLOBAL_INUSE		0x392
#define DEBUGCTL		0x1d9
#define LBR_SELECT		0x1c8
#define LBR_TOS			0x1c9
#define LBR_FROM(i)		(0x680 + (i))
#define LBR_TO(i)		(0x6c0 + (i))
#define LBR_INFO(i)		(0xdc0 + (i))
#define LBR_CTL			0x14ce
#define ARCH_DEPTH		0x14cf
#define ARCH_FROM(i)		(0x1500 + (i))
#define ARCH_TO(i)		(0x1600 + (i))
#define ARCH_INFO(i)		(0x1200 + (i))

/* PERF_CAPABILITIES[5:0] */
#define LBR_FLAGS_FORMAT	3
#define LBR_FLAGS2_FORMAT	4
#define LBR_INFO_FORMAT		5
#define LBR_ARCH_FORMAT		0x3f

#define LBR_CTL_EN		BIT_ULL(0)
#define LBR_CTL_OS		BIT_ULL(1)
#define LBR_CTL_USR		BIT_ULL(2)
#define LBR_CTL_CALLSTACK	BIT_ULL(3)

#define DEBUGCTL_LBR		BIT_ULL(0)
#define DEBUGCTL_FREEZE_LBRS	BIT_ULL(11)
#define DEBUGCTL_FREEZE_PERFMON	BIT_ULL(12)
#define STATUS_LBR_FRZ		BIT_ULL(58)
#define STATUS_CTR_FRZ		BIT_ULL(59)

#define EV_INSTRUCTIONS		0x00c0
#define EV_CYCLES		0x003c
#define EV_BRANCHES		0x00c4
#define EV_NEAR_TAKEN		0x20c4
#define EV_NEAR_TAKEN_MISSES	0x20c5
#define EV_LLC_REFERENCES	0x4f2e
#define EV_LLC_MISSES		0x412e
#define SEL_USR			BIT_ULL(16)
#define SEL_OS			BIT_ULL(17)
#define SEL_INT			BIT_ULL(20)
#define SEL_EN			BIT_ULL(22)

#define WIDTH_MASK		(BIT_ULL(48) - 1)
#define MINUS(n)		(BIT_ULL(48) - (n))

/* instructions of a snippet behind its body, see snippets.S */
#define STOP_INSNS		4

/* models.c: the expected CPU, a parameter of the module */
struct model {
	const char *name;
	u32 bit;		/* one of those below */
	u32 cpuid_a[4];		/* CPUID.0AH, EAX to EDX */
	u64 perf_cap;
	int gp, fixed;		/* counters, of 48 bits */
	bool full_width;	/* IA32_A_PMCx exist */
	int lbr_format, lbr_depth;
};
#define SKYLAKE		BIT(0)
#define HASWELL		BIT(1)
#define NEHALEM		BIT(2)
#define SAPPHIRERAPIDS	BIT(3)
#define ALL		(SKYLAKE | HASWELL | NEHALEM | SAPPHIRERAPIDS)
#define LEGACY_LBR	(SKYLAKE | HASWELL | NEHALEM)
#define HAS_LBR_INFO	(SKYLAKE | SAPPHIRERAPIDS)
#define VERSION_4	(SKYLAKE | SAPPHIRERAPIDS) /* and up */
extern const struct model *model;
int model_choose(const char *name);
bool on(u32 which);

/* snippets.S */
typedef void snippet_fn(u32 msr, u64 value);
snippet_fn snip_nops, snip_loop, snip_kinds, snip_fault, snip_stack,
	   snip_balanced, snip_deep, snip_underflow, snip_alternate;
extern const char nops_body[], loop_top[], loop_jnz[], loop_end[];
extern const char k_jcc[], k_jcc_to[], k_call[], k_callee[], k_called[],
		  k_icall[], k_icallee[], k_icalled[], k_ijmp[], k_ijmp_to[],
		  k_jmp[], k_jmp_to[], k_lret[], k_lret_to[], k_iret[],
		  k_iret_to[], a_ijmp[], f_fault[], f_resume[], s_call_a[], s_a[],
		  s_call_b[], s_call_c[], s_c[], r_call[], r_f[];

/* main.c: one result line each, "on CPU n" added */
void check(bool good, const char *name);
void check_is(u64 want, u64 got, const char *name);
void note(const char *format, ...) __printf(1, 2);

/* a counter to a value that 32 bits, sign-extended, can say */
void set_pmc(int i, u64 value);

u64 get(u32 msr);
void set(u32 msr, u64 value);
/* 0, or -EIO for #GP */
int try_get(u32 msr, u64 *value);
int try_set(u32 msr, u64 value);
int try_rdpmc(u32 index, u64 *value);
/* every register of the PMU to 0, LVTPC to NMI */
void quiet(void);

/* pmi.c: what the last PMI found, and a hook to run in its handler */
struct pmi {
	int hits, others;	/* PMIs; NMIs without an overflow */
	u64 ip, status, pmc0, pmc1, lbr;
	u32 lvt;
	void (*hook)(void);
};
extern struct pmi pmi;
int pmi_start(void);
/* amd.c: the handler of a CPU of AMD's */
struct pt_regs;
int amd_pmi(struct pt_regs *regs);
void pmi_stop(void);
void lvtpc_write(u32 value);
u32 lvtpc_read(void);

/* records.c */
u32 lbr_switch(u64 select, u64 *value);
void record(snippet_fn *snippet, u64 select);
u64 entry_from(int age);
u64 entry_to(int age);
u64 entry_info(int age);
bool entry_mispredicted(int age);
bool entry_is(int age, const char *from, const char *to);
bool entry_is_empty(int age);
u64 lbr_position(void);
void lbr_clear(void);

/* the groups */
void registers_check(void);
void absence_check(void);
void counters_check(void);
void overflow_check(void);
void branches_check(void);
void meter_run(void);
void amd_core_check(void);
void amd_registers_check(void);
void amd_counters_check(void);
void amd_overflow_check(void);
void amd_branches_check(void);

#endif
