// SPDX-License-Identifier: GPL-2.0
/* ctl/pmu/regs.c: names and fields of registers; ctl/pmu/name.c: names of event selects. */
#include <inttypes.h>
#include <linux/lbrscope.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pmu/name.h"
#include "pmu/regs.h"

static const struct decoding {
	bool amd;
	uint32_t format, msr;
	uint64_t value;
	const char *text;	/* the name, then all that is not 0 */
} decodings[] = {
	{ false, 5, 0x189, 0xff00000301d3412eULL,
	  "IA32_PERFEVTSEL3 EVENT=0x2e UMASK=0x41 USR=1 OS=1 INT=1 EN=1 INV=1"
	  " CMASK=1 IN_TX=1 IN_TXCP=1 other=0xff00000000000000" },
	{ false, 5, 0x38d, 0xb0a, "IA32_FIXED_CTR_CTRL OS2=1 USR0=1 USR2=1 PMI0=1 PMI2=1" },
	{ false, 5, 0x38f, 0x700000003ULL,
	  "IA32_PERF_GLOBAL_CTRL PMC0=1 PMC1=1 FIXED0=1 FIXED1=1 FIXED2=1" },
	{ false, 5, 0x38e, 0x8400000200000002ULL,
	  "IA32_PERF_GLOBAL_STATUS OVF_PMC1=1 OVF_FIXED1=1 LBR_FRZ=1 COND_CHGD=1" },
	{ false, 5, 0x834, 0x10400, "LVTPC DELIVERY_MODE=4(NMI) MASK=1" },
	{ false, 5, 0x345, 0x20c5, "IA32_PERF_CAPABILITIES LBR_FMT=5(INFO)"
	  " PEBS_TRAP=1 PEBS_SAVE_ARCH_REGS=1 FW_WRITE=1" },
	{ false, 5, 0xc4, 0xffffffff0000ULL, "IA32_PMC3" },
	/* a word of the records by format */
	{ false, 3, 0x684, 0xfffffff812345678ULL,
	  "MSR_LASTBRANCH_4_FROM_IP ADDRESS=0xfffffff812345678 MISPRED=1" },
	{ false, 3, 0x684, 0x8000000000401000ULL,
	  "MSR_LASTBRANCH_4_FROM_IP ADDRESS=0x401000 MISPRED=1" },
	{ false, 4, 0x68f, 0x6000000000401000ULL,
	  "MSR_LASTBRANCH_15_FROM_IP ADDRESS=0x401000 TSX_ABORT=1 IN_TX=1" },
	{ false, 4, 0x68f, 0x5fffffff81000000ULL,
	  "MSR_LASTBRANCH_15_FROM_IP ADDRESS=0xffffffff81000000 IN_TX=1" },
	{ false, 5, 0x68f, 0xffffffff81000000ULL,
	  "MSR_LASTBRANCH_15_FROM_IP ADDRESS=0xffffffff81000000" },
	{ false, 5, 0xdc1, 0xc000000000000012ULL,
	  "MSR_LBR_INFO_1 CYC_CNT=18 IN_TSX=1 MISPRED=1" },
	{ false, 6, 0x6c2, 0x0003800000001000ULL,
	  "MSR_LASTBRANCH_2_TO_IP ADDRESS=0xffff800000001000 CYCLES=3" },
	{ false, 0x3f, 0x1201, 0x9400000000000007ULL,
	  "IA32_LBR_1_INFO CYC_CNT=7 BR_TYPE=4(CALL REL) CYC_CNT_VALID=1 MISPRED=1" },
	{ false, 2, 0x47, 0x401000, "MSR_LASTBRANCH_7_FROM_IP ADDRESS=0x401000" },
	{ true, 0x40, 0xc0010305, 0xc0007f0bb046f1e0ULL,
	  "LastBranchStackToIp2 ADDRESS=0x7f0bb046f1e0 SPEC=1 VALID=1" },
	{ true, 0x40, 0xc001020a, 0x20105100c1ULL,
	  "PerfEvtSel5 EVENT[7:0]=0xc1 USR=1 INT=1 EN=1 CNTMASK=16 other=0x2000000000" },
	{ true, 0x40, 0xc0010004, 1, "PerfCtr0" },
	/* one number, two vendors */
	{ false, 5, 0x1d9, 0x1801, "IA32_DEBUGCTL LBR=1 FREEZE_LBRS_ON_PMI=1"
	  " FREEZE_PERFMON_ON_PMI=1" },
	{ true, 0x40, 0x1d9, 0x804, "DebugCtl PB0=1 FREEZE_LBRS_ON_PMI=1" },
	{ true, 0x40, 0x186, 1, "MSR_0x186" },
	{ false, 5, 0x187 + 15, 1, "MSR_0x196" },
};

static void put_fields(const struct regs_decoded *d, char *text, size_t size)
{
	size_t len = snprintf(text, size, "%s", d->name);
	unsigned int i;

	for (i = 0; i < d->nr; i++) {
		const struct regs_field *f = &d->fields[i];
		bool hex = f->kind == REGS_HEX || f->kind == REGS_ADDRESS;

		if (!f->value)
			continue;
		len += snprintf(text + len, size - len,
				hex ? " %s=0x%" PRIx64 : " %s=%" PRIu64,
				f->name, f->value);
		if (f->meaning)
			len += snprintf(text + len, size - len, "(%s)",
					f->meaning);
	}
	if (d->rest)
		snprintf(text + len, size - len, " other=0x%" PRIx64, d->rest);
}

static void test_names_and_fields(void **state)
{
	struct regs_decoded decoded;
	char text[1024];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(decodings) / sizeof(decodings[0]); i++) {
		const struct decoding *t = &decodings[i];
		const struct regs_cpu cpu = { t->amd, t->format };

		regs_decode(&cpu, t->msr, t->value, &decoded);
		put_fields(&decoded, text, sizeof(text));
		assert_string_equal(text, t->text);
	}
}

/* Every bit of a register that has fields is in one of them, or in the rest. */
static void test_nothing_is_hidden(void **state)
{
	static const uint32_t formats[] = { 1, 2, 3, 4, 5, 6, 7, 0x3f, 0x40 };
	struct regs_decoded none, one;
	uint32_t msr;
	size_t f;
	int bit;

	(void)state;
	for (f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
		const struct regs_cpu cpu = { formats[f] == 0x40, formats[f] };

		for (msr = 0; msr < 0x1700; msr++) {
			regs_decode(&cpu, msr, 0, &none);
			for (bit = 0; none.nr && bit < 64; bit++) {
				regs_decode(&cpu, msr, 1ULL << bit, &one);
				assert_int_not_equal(0, one.rest |
					memcmp(one.fields, none.fields,
					       sizeof(one.fields)));
			}
		}
	}
}

static void names(uint64_t select, const char *want)
{
	char name[128];

	assert_int_equal(events_name(select, name, sizeof(name)), !!want);
	assert_string_equal(name, want ? want : "");
}

static void test_what_is_selected(void **state)
{
	(void)state;
	names(0x5300c0, "INSTRUCTION_RETIRED");
	names(0x530000 | 0x02c4, "BR_INST_RETIRED:NEAR_CALL");
	/* cmask 10 and inv are a part of this one's code */
	names(0xad301c0, "INST_RETIRED:TOTAL_CYCLES");
	/* and are here the user's */
	names(0x1c302c4, "BR_INST_RETIRED:NEAR_CALL");
	names(0x5300ff, NULL);
	names(0, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_fields),
		cmocka_unit_test(test_nothing_is_hidden),
		cmocka_unit_test(test_what_is_selected),
	};

	/* Use libpfm4's tables of a Skylake on any machine. */
	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	return cmocka_run_group_tests_name("regs", tests, NULL, NULL);
}
