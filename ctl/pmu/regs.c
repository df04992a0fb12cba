// SPDX-License-Identifier: GPL-2.0
/*
 * Names and fields of the registers of LBRSCOPE_CMD_REGS_GET: SDM vol. 4 and vol. 3
 * "Performance Monitoring", "Last Branch Records"; APM vol. 2 "Debug and Performance
 * Resources". A '#' in a name stands for a number.
 */
#include <linux/lbrscope.h>
#include <stdio.h>
#include <string.h>

#include "pmu/regs.h"

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

struct layout_field {
	const char *name;
	unsigned char low, width;
	enum regs_kind kind;
	unsigned char times, step;	/* number of repetitions and their distance in bits; 0:
					 * once
					 */
	const char *const *meanings;	/* by value: the names of all its values */
};

struct layout {
	const struct layout_field *fields;
	unsigned int nr;
};

#define LAYOUT(name, ...)						\
	static const struct layout_field name##_fields[] = { __VA_ARGS__ }; \
	static const struct layout name = { name##_fields, NR(name##_fields) }
#define FLAG(name, low)			{ name, low, 1, REGS_FLAG, 0, 0, NULL }
#define FLAGS(name, low, times, step)	{ name, low, 1, REGS_FLAG, times, step, NULL }
#define NUMBER(name, low, width)	{ name, low, width, REGS_NUMBER, 0, 0, NULL }
#define HEX(name, low, width)		{ name, low, width, REGS_HEX, 0, 0, NULL }
#define ADDRESS(width)			{ "ADDRESS", 0, width, REGS_ADDRESS, 0, 0, NULL }
#define ONE_OF(name, low, width, meanings) \
	{ name, low, width, REGS_NUMBER, 0, 0, meanings }

LAYOUT(layout_evtsel,
	HEX("EVENT", 0, 8), HEX("UMASK", 8, 8), FLAG("USR", 16), FLAG("OS", 17),
	FLAG("EDGE", 18), FLAG("PC", 19), FLAG("INT", 20), FLAG("ANY", 21),
	FLAG("EN", 22), FLAG("INV", 23), NUMBER("CMASK", 24, 8), FLAG("IN_TX", 32),
	FLAG("IN_TXCP", 33), FLAG("ADAPTIVE_RECORD", 34));
LAYOUT(layout_amd_evtsel,
	HEX("EVENT[7:0]", 0, 8), HEX("EVENT[11:8]", 32, 4), HEX("UMASK", 8, 8),
	FLAG("USR", 16), FLAG("OS", 17), FLAG("EDGE", 18), FLAG("INT", 20),
	FLAG("EN", 22), FLAG("INV", 23), NUMBER("CNTMASK", 24, 8),
	FLAG("GUESTONLY", 40), FLAG("HOSTONLY", 41));
LAYOUT(layout_fixed_ctrl,
	FLAGS("OS#", 0, 16, 4), FLAGS("USR#", 1, 16, 4), FLAGS("ANY#", 2, 16, 4),
	FLAGS("PMI#", 3, 16, 4));
LAYOUT(layout_global_ctrl,
	FLAGS("PMC#", 0, 32, 1), FLAGS("FIXED#", 32, 16, 1), FLAG("PERF_METRICS", 48));
LAYOUT(layout_global_status,
	FLAGS("OVF_PMC#", 0, 32, 1), FLAGS("OVF_FIXED#", 32, 16, 1),
	FLAG("OVF_PERF_METRICS", 48), FLAG("TRACE_TOPA_PMI", 55), FLAG("LBR_FRZ", 58),
	FLAG("CTR_FRZ", 59), FLAG("ASCI", 60), FLAG("OVF_UNCORE", 61),
	FLAG("OVF_DS_BUFFER", 62), FLAG("COND_CHGD", 63));
LAYOUT(layout_global_inuse,
	FLAGS("PMC#", 0, 32, 1), FLAGS("FIXED#", 32, 16, 1), FLAG("PMI", 63));
LAYOUT(layout_amd_global_ctl, FLAGS("CTR#", 0, 16, 1));
LAYOUT(layout_amd_global_status,
	FLAGS("OVF_CTR#", 0, 16, 1), FLAG("LBR_FRZ", 58), FLAG("CTR_FRZ", 59));
LAYOUT(layout_perf_metrics,
	NUMBER("RETIRING", 0, 8), NUMBER("BAD_SPEC", 8, 8), NUMBER("FE_BOUND", 16, 8),
	NUMBER("BE_BOUND", 24, 8), NUMBER("HEAVY_OPS", 32, 8),
	NUMBER("BR_MISPREDICT", 40, 8), NUMBER("FETCH_LAT", 48, 8),
	NUMBER("MEM_BOUND", 56, 8));

static const char *const lbr_formats[64] = {
	"32", "LIP", "EIP", "EIP_FLAGS", "EIP_FLAGS2", "INFO", "TIME", "INFO2",
	[0x3f] = "ARCH",
};
LAYOUT(layout_capabilities,
	ONE_OF("LBR_FMT", 0, 6, lbr_formats), FLAG("PEBS_TRAP", 6),
	FLAG("PEBS_SAVE_ARCH_REGS", 7), NUMBER("PEBS_REC_FMT", 8, 4),
	FLAG("FREEZE_WHILE_SMM", 12), FLAG("FW_WRITE", 13), FLAG("PEBS_BASELINE", 14),
	FLAG("PERF_METRICS_AVAILABLE", 15), FLAG("PEBS_OUTPUT_PT_AVAIL", 16),
	FLAG("PEBS_TIMING_INFO", 17));

LAYOUT(layout_pebs_enable, FLAGS("PMC#", 0, 8, 1));
LAYOUT(layout_pebs_data,
	FLAG("MEMORY_INFO", 0), FLAG("GPR", 1), FLAG("XMM", 2), FLAG("LBR", 3),
	NUMBER("LBR_ENTRIES", 24, 8));
LAYOUT(layout_ld_lat, NUMBER("THRESHOLD", 0, 16));
LAYOUT(layout_frontend,
	HEX("EVTSEL", 0, 8), NUMBER("IDQ_BUBBLE_LENGTH", 8, 12),
	NUMBER("IDQ_BUBBLE_WIDTH", 20, 3));
LAYOUT(layout_address, ADDRESS(64));

static const char *const deliveries[8] = {
	"fixed", NULL, "SMI", NULL, "NMI", "INIT", NULL, "ExtINT",
};
LAYOUT(layout_lvtpc,
	HEX("VECTOR", 0, 8), ONE_OF("DELIVERY_MODE", 8, 3, deliveries),
	FLAG("DELIVERY_STATUS", 12), FLAG("MASK", 16));

LAYOUT(layout_debugctl,
	FLAG("LBR", 0), FLAG("BTF", 1), FLAG("BUS_LOCK_DETECT", 2), FLAG("TR", 6),
	FLAG("BTS", 7), FLAG("BTINT", 8), FLAG("BTS_OFF_OS", 9),
	FLAG("BTS_OFF_USR", 10), FLAG("FREEZE_LBRS_ON_PMI", 11),
	FLAG("FREEZE_PERFMON_ON_PMI", 12), FLAG("ENABLE_UNCORE_PMI", 13),
	FLAG("FREEZE_WHILE_SMM", 14), FLAG("RTM_DEBUG", 15));
LAYOUT(layout_amd_debugctl,
	FLAG("LBR", 0), FLAG("BTF", 1), FLAGS("PB#", 2, 4, 1),
	FLAG("FREEZE_LBRS_ON_PMI", 11), FLAG("FREEZE_PERFMON_ON_PMI", 12));
/* Set bits suppress branches, except the last one. */
LAYOUT(layout_lbr_select,
	FLAG("CPL_EQ_0", 0), FLAG("CPL_NEQ_0", 1), FLAG("JCC", 2),
	FLAG("NEAR_REL_CALL", 3), FLAG("NEAR_IND_CALL", 4), FLAG("NEAR_RET", 5),
	FLAG("NEAR_IND_JMP", 6), FLAG("NEAR_REL_JMP", 7), FLAG("FAR_BRANCH", 8),
	FLAG("EN_CALLSTACK", 9));
/* Set bits select branches. */
LAYOUT(layout_lbr_ctl,
	FLAG("LBREN", 0), FLAG("OS", 1), FLAG("USR", 2), FLAG("CALL_STACK", 3),
	FLAG("JCC", 16), FLAG("NEAR_REL_JMP", 17), FLAG("NEAR_IND_JMP", 18),
	FLAG("NEAR_REL_CALL", 19), FLAG("NEAR_IND_CALL", 20), FLAG("NEAR_RET", 21),
	FLAG("OTHER_BRANCH", 22));
LAYOUT(layout_lbr_depth, NUMBER("DEPTH", 0, 8));
LAYOUT(layout_lbr_tos, NUMBER("TOS", 0, 6));
LAYOUT(layout_dbg_extn, FLAG("LBRV2EN", 6));

/* The words of an entry, by format; see enum lbrscope_lbr_format. */
LAYOUT(layout_from_flags, ADDRESS(63), FLAG("MISPRED", 63));
LAYOUT(layout_from_flags2,
	ADDRESS(61), FLAG("TSX_ABORT", 61), FLAG("IN_TX", 62), FLAG("MISPRED", 63));
LAYOUT(layout_to_time, ADDRESS(48), NUMBER("CYCLES", 48, 16));
LAYOUT(layout_from_amd, ADDRESS(58), FLAG("MISPREDICT", 63));
LAYOUT(layout_to_amd, ADDRESS(58), FLAG("SPEC", 62), FLAG("VALID", 63));
LAYOUT(layout_info,
	NUMBER("CYC_CNT", 0, 16), FLAG("TSX_ABORT", 61), FLAG("IN_TSX", 62),
	FLAG("MISPRED", 63));
static const char *const branch_types[16] = {
	"COND", "JMP IND", "JMP REL", "CALL IND", "CALL REL", "RET",
	[8] = "OTHER", "OTHER", "OTHER", "OTHER", "OTHER", "OTHER", "OTHER", "OTHER",
};
LAYOUT(layout_arch_info,
	NUMBER("CYC_CNT", 0, 16), ONE_OF("BR_TYPE", 56, 4, branch_types),
	FLAG("CYC_CNT_VALID", 60), FLAG("TSX_ABORT", 61), FLAG("IN_TSX", 62),
	FLAG("MISPRED", 63));

enum vendor { ANY, INTEL, AMD };
enum word { NO_WORD, FROM, TO };

static const struct range {
	uint32_t first;
	unsigned char times, step;
	enum vendor vendor;
	const char *name;
	const struct layout *layout;	/* NULL: a number, or a branch record, whose fields
					 * depend on the format */
	enum word word;			/* of a branch record */
} ranges[] = {
	{ 0x40, 32, 1, INTEL, "MSR_LASTBRANCH_#_FROM_IP", NULL, FROM },
	{ 0x60, 32, 1, INTEL, "MSR_LASTBRANCH_#_TO_IP", NULL, TO },
	{ 0xc1, 16, 1, INTEL, "IA32_PMC#", NULL, NO_WORD },
	{ 0x186, 16, 1, INTEL, "IA32_PERFEVTSEL#", &layout_evtsel, NO_WORD },
	{ 0x1a6, 2, 1, INTEL, "MSR_OFFCORE_RSP_#", NULL, NO_WORD },
	{ 0x1c8, 1, 1, INTEL, "MSR_LBR_SELECT", &layout_lbr_select, NO_WORD },
	{ 0x1c9, 1, 1, INTEL, "MSR_LASTBRANCH_TOS", &layout_lbr_tos, NO_WORD },
	{ 0x1d9, 1, 1, INTEL, "IA32_DEBUGCTL", &layout_debugctl, NO_WORD },
	{ 0x1d9, 1, 1, AMD, "DebugCtl", &layout_amd_debugctl, NO_WORD },
	{ 0x1dd, 1, 1, INTEL, "MSR_LER_FROM_LIP", NULL, FROM },
	{ 0x1de, 1, 1, INTEL, "MSR_LER_TO_LIP", NULL, TO },
	{ 0x1e0, 1, 1, INTEL, "IA32_LER_INFO", &layout_arch_info, NO_WORD },
	{ 0x309, 16, 1, INTEL, "IA32_FIXED_CTR#", NULL, NO_WORD },
	{ 0x329, 1, 1, INTEL, "MSR_PERF_METRICS", &layout_perf_metrics, NO_WORD },
	{ 0x345, 1, 1, INTEL, "IA32_PERF_CAPABILITIES", &layout_capabilities, NO_WORD },
	{ 0x38d, 1, 1, INTEL, "IA32_FIXED_CTR_CTRL", &layout_fixed_ctrl, NO_WORD },
	{ 0x38e, 1, 1, INTEL, "IA32_PERF_GLOBAL_STATUS", &layout_global_status, NO_WORD },
	{ 0x38f, 1, 1, INTEL, "IA32_PERF_GLOBAL_CTRL", &layout_global_ctrl, NO_WORD },
	{ 0x392, 1, 1, INTEL, "IA32_PERF_GLOBAL_INUSE", &layout_global_inuse, NO_WORD },
	{ 0x3f1, 1, 1, INTEL, "IA32_PEBS_ENABLE", &layout_pebs_enable, NO_WORD },
	{ 0x3f2, 1, 1, INTEL, "MSR_PEBS_DATA_CFG", &layout_pebs_data, NO_WORD },
	{ 0x3f6, 1, 1, INTEL, "MSR_PEBS_LD_LAT", &layout_ld_lat, NO_WORD },
	{ 0x3f7, 1, 1, INTEL, "MSR_PEBS_FRONTEND", &layout_frontend, NO_WORD },
	{ 0x600, 1, 1, INTEL, "IA32_DS_AREA", &layout_address, NO_WORD },
	{ 0x680, 32, 1, INTEL, "MSR_LASTBRANCH_#_FROM_IP", NULL, FROM },
	{ 0x6c0, 32, 1, INTEL, "MSR_LASTBRANCH_#_TO_IP", NULL, TO },
	{ 0x834, 1, 1, ANY, "LVTPC", &layout_lvtpc, NO_WORD },
	{ 0xdc0, 32, 1, INTEL, "MSR_LBR_INFO_#", &layout_info, NO_WORD },
	{ 0x1200, 32, 1, INTEL, "IA32_LBR_#_INFO", &layout_arch_info, NO_WORD },
	{ 0x14ce, 1, 1, INTEL, "IA32_LBR_CTL", &layout_lbr_ctl, NO_WORD },
	{ 0x14cf, 1, 1, INTEL, "IA32_LBR_DEPTH", &layout_lbr_depth, NO_WORD },
	{ 0x1500, 32, 1, INTEL, "IA32_LBR_#_FROM_IP", NULL, FROM },
	{ 0x1600, 32, 1, INTEL, "IA32_LBR_#_TO_IP", NULL, TO },
	{ 0xc000010e, 1, 1, AMD, "LbrSelect", &layout_lbr_select, NO_WORD },
	{ 0xc000010f, 1, 1, AMD, "DbgExtnCtl", &layout_dbg_extn, NO_WORD },
	{ 0xc0000300, 1, 1, AMD, "PerfCntrGlobalStatus", &layout_amd_global_status, NO_WORD },
	{ 0xc0000301, 1, 1, AMD, "PerfCntrGlobalCtl", &layout_amd_global_ctl, NO_WORD },
	{ 0xc0010000, 4, 1, AMD, "PerfEvtSel#", &layout_amd_evtsel, NO_WORD },
	{ 0xc0010004, 4, 1, AMD, "PerfCtr#", NULL, NO_WORD },
	{ 0xc0010200, 16, 2, AMD, "PerfEvtSel#", &layout_amd_evtsel, NO_WORD },
	{ 0xc0010201, 16, 2, AMD, "PerfCtr#", NULL, NO_WORD },
	{ 0xc0010300, 32, 2, AMD, "LastBranchStackFromIp#", NULL, FROM },
	{ 0xc0010301, 32, 2, AMD, "LastBranchStackToIp#", NULL, TO },
};

struct regs_cpu regs_cpu(const char *vendor, uint32_t lbr_format)
{
	return (struct regs_cpu){
		.amd = !strcmp(vendor, "AuthenticAMD") || !strcmp(vendor, "HygonGenuine"),
		.lbr_format = lbr_format,
	};
}

static const struct range *regs_range(const struct regs_cpu *cpu, uint32_t msr,
				      unsigned int *number)
{
	const enum vendor other = cpu->amd ? INTEL : AMD;
	size_t i;

	for (i = 0; i < NR(ranges); i++) {
		const struct range *r = &ranges[i];

		if (r->vendor == other || msr < r->first ||
		    (msr - r->first) % r->step ||
		    (msr - r->first) / r->step >= r->times)
			continue;
		*number = (msr - r->first) / r->step;
		return r;
	}
	return NULL;
}

static const struct layout *regs_word(uint32_t format, enum word word)
{
	switch (format) {
	case LBRSCOPE_LBR_FORMAT_EIP_FLAGS:
		return word == FROM ? &layout_from_flags : &layout_address;
	case LBRSCOPE_LBR_FORMAT_EIP_FLAGS2:
		return word == FROM ? &layout_from_flags2 : &layout_address;
	case LBRSCOPE_LBR_FORMAT_TIME:
		return word == FROM ? &layout_from_flags : &layout_to_time;
	case LBRSCOPE_LBR_FORMAT_AMD:
		return word == FROM ? &layout_from_amd : &layout_to_amd;
	}
	return &layout_address;
}

/* Prints the name with its number, if it has one. */
static void regs_name(char *to, size_t size, const char *name,
		      unsigned int number)
{
	const char *mark = strchr(name, '#');

	if (mark)
		snprintf(to, size, "%.*s%u%s", (int)(mark - name), name, number,
			 mark + 1);
	else
		snprintf(to, size, "%s", name);
}

static uint64_t regs_mask(unsigned int width)
{
	return width < 64 ? (1ULL << width) - 1 : ~0ULL;
}

static void regs_put(struct regs_decoded *decoded, const struct layout_field *f,
		     unsigned int i, uint64_t value)
{
	struct regs_field *to = &decoded->fields[decoded->nr];
	unsigned int low = f->low + i * f->step;

	if (decoded->nr == REGS_FIELDS_MAX || low >= 64)
		return;
	decoded->nr++;
	decoded->rest &= ~(regs_mask(f->width) << low);
	regs_name(to->name, sizeof(to->name), f->name, i);
	to->kind = f->kind;
	to->value = value >> low & regs_mask(f->width);
	to->meaning = f->meanings ? f->meanings[to->value] : NULL;
	if (f->kind == REGS_ADDRESS && to->value >> (f->width - 1))
		to->value |= ~regs_mask(f->width);
}

void regs_decode(const struct regs_cpu *cpu, uint32_t msr, uint64_t value,
		 struct regs_decoded *decoded)
{
	unsigned int number = 0, i, j;
	const struct range *range = regs_range(cpu, msr, &number);
	const struct layout *layout;

	memset(decoded, 0, sizeof(*decoded));
	if (!range) {
		snprintf(decoded->name, sizeof(decoded->name), "MSR_%#x", msr);
		return;
	}
	regs_name(decoded->name, sizeof(decoded->name), range->name, number);
	layout = range->word ? regs_word(cpu->lbr_format, range->word) :
			       range->layout;
	if (!layout)
		return;
	decoded->selects = layout == &layout_evtsel || layout == &layout_amd_evtsel;
	decoded->rest = value;
	for (i = 0; i < layout->nr; i++)
		for (j = 0; j < (layout->fields[i].times ? : 1U); j++)
			regs_put(decoded, &layout->fields[i], j, value);
}
