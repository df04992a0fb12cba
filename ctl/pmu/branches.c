// SPDX-License-Identifier: GPL-2.0
/* Decodes LBR entries, and parses the options that filter branches. */
#include <cpuid.h>
#include <stdio.h>
#include <string.h>

#include "pmu/branches.h"

#define CALLS	(LBRSCOPE_FILTER_REL_CALL | LBRSCOPE_FILTER_IND_CALL)

/* perf's names, and the kinds that the kernel's driver selects for them
 * (arch/x86/events/intel/lbr.c, hsw_lbr_sel_map). */
static const struct {
	const char *name;
	uint32_t filter;
	uint64_t perf;
} branches_kinds[] = {
	{ "u", LBRSCOPE_FILTER_USER, PERF_SAMPLE_BRANCH_USER },
	{ "k", LBRSCOPE_FILTER_KERNEL, PERF_SAMPLE_BRANCH_KERNEL },
	{ "any", LBRSCOPE_FILTER_KINDS, PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", CALLS | LBRSCOPE_FILTER_FAR, PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", LBRSCOPE_FILTER_RET | LBRSCOPE_FILTER_FAR,
	  PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", LBRSCOPE_FILTER_IND_CALL, PERF_SAMPLE_BRANCH_IND_CALL },
	{ "ind_jmp", LBRSCOPE_FILTER_IND_JMP, PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "cond", LBRSCOPE_FILTER_COND, PERF_SAMPLE_BRANCH_COND },
	{ "call", LBRSCOPE_FILTER_REL_CALL, PERF_SAMPLE_BRANCH_CALL },
};

#define BRANCHES_KINDS	(sizeof(branches_kinds) / sizeof(branches_kinds[0]))

static uint32_t branches_named(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < BRANCHES_KINDS; i++)
		if (strlen(branches_kinds[i].name) == len &&
		    !strncmp(branches_kinds[i].name, name, len))
			return branches_kinds[i].filter;
	return 0;
}

int branches_parse(const char *text, uint32_t *filter, char *why, size_t size)
{
	size_t len;
	uint32_t one;

	*filter = 0;
	for (;; text += len + 1) {
		len = strcspn(text, ",");
		one = branches_named(text, len);
		if (!one) {
			snprintf(why, size, "unknown kind of branch '%.*s': use any, any_call, "
				 "any_ret, ind_call, ind_jmp, cond, call, and u or k for the "
				 "mode",
				 (int)len, text);
			return -1;
		}
		*filter |= one;
		if (!text[len])
			break;
	}
	if (!(*filter & LBRSCOPE_FILTER_KINDS))
		*filter |= LBRSCOPE_FILTER_KINDS;
	return 0;
}

uint64_t branches_sample_type(uint32_t filter, uint32_t lbr_format)
{
	uint64_t type = 0;
	size_t i;

	for (i = 0; i < BRANCHES_KINDS; i++)
		if ((filter & branches_kinds[i].filter) ==
		    branches_kinds[i].filter)
			type |= branches_kinds[i].perf;
	/* For perf, ANY includes all others. */
	if (type & PERF_SAMPLE_BRANCH_ANY)
		type &= PERF_SAMPLE_BRANCH_PLM_ALL | PERF_SAMPLE_BRANCH_ANY;
	if (lbr_format == LBRSCOPE_LBR_FORMAT_ARCH)
		type |= PERF_SAMPLE_BRANCH_TYPE_SAVE;
	return type;
}

bool branches_known(uint32_t lbr_format)
{
	return (lbr_format > LBRSCOPE_LBR_FORMAT_NONE &&
		lbr_format <= LBRSCOPE_LBR_FORMAT_INFO2) ||
	       lbr_format == LBRSCOPE_LBR_FORMAT_ARCH ||
	       lbr_format == LBRSCOPE_LBR_FORMAT_AMD;
}

/* The address in the low bits of a word, whose topmost one is the sign. */
static uint64_t branches_address(uint64_t word, unsigned int bits)
{
	return (uint64_t)((int64_t)(word << (64 - bits)) >> (64 - bits));
}

static bool branches_bit(uint64_t word, unsigned int bit)
{
	return word >> bit & 1;
}

static void branches_predicted(struct perf_branch_entry *entry,
			       bool mispredicted)
{
	entry->mispred = mispredicted;
	entry->predicted = !mispredicted;
}

/* Returns IA32_LBR_x_INFO.BR_TYPE in perf's terms. SDM vol. 3 "Architectural Last Branch
 * Records". */
static unsigned int branches_type(uint64_t info)
{
	static const unsigned char types[16] = {
		PERF_BR_COND, PERF_BR_IND, PERF_BR_UNCOND, PERF_BR_IND_CALL,
		PERF_BR_CALL, PERF_BR_RET,
	};

	return types[info >> 56 & 0xf];
}

/* Decodes MSR_LBR_INFO_x, or IA32_LBR_x_INFO of the architectural records (arch): misprediction,
 * transaction, cycles, and type of the branch. SDM vol. 3 "Last Branch Records". */
static void branches_info(struct perf_branch_entry *entry, uint64_t info,
			  bool arch)
{
	branches_predicted(entry, branches_bit(info, 63));
	entry->in_tx = branches_bit(info, 62);
	entry->abort = branches_bit(info, 61);
	entry->cycles = !arch || branches_bit(info, 60) ? info & 0xffff : 0;
	if (arch)
		entry->type = branches_type(info);
}

/*
 * Bits 62:61 of FROM. On a CPU without transactions they are part of the address's sign
 * (lbr_from_signext_quirk_rd() in arch/x86/events/intel/lbr.c). No transaction runs in the
 * kernel: both bits set, with a kernel address, have no meaning.
 */
static void branches_transaction(struct perf_branch_entry *entry, uint64_t from)
{
	if (from >> 60 & 1)
		return;
	entry->in_tx = branches_bit(from, 62);
	entry->abort = branches_bit(from, 61);
}

/* Bits of an address without its sign extension: CPUID.80000008H:EAX[15:8]. */
static unsigned int branches_linear_bits(void)
{
	static unsigned int bits;
	unsigned int eax = 0, ebx, ecx, edx;

	if (!bits && __get_cpuid(0x80000008, &eax, &ebx, &ecx, &edx))
		bits = eax >> 8 & 0xff;
	if (bits < 48 || bits > 57)
		bits = 48;
	return bits;
}

/* Decodes an entry of AMD: APM vol. 2 "Last Branch Stack Registers"; arch/x86/events/amd/lbr.c.
 * Returns false for an empty entry (neither valid nor speculative), and for a wrong one (erratum
 * 1452: bit 61 of TO). */
static bool branches_amd(struct perf_branch_entry *entry, uint64_t from,
			 uint64_t to)
{
	bool valid = branches_bit(to, 63), speculative = branches_bit(to, 62);
	unsigned int bits = branches_linear_bits();

	entry->from = branches_address(from, bits);
	entry->to = branches_address(to, bits);
	branches_predicted(entry, branches_bit(from, 63));
	if (speculative)
		entry->spec = valid ? PERF_BR_SPEC_CORRECT_PATH :
				      PERF_BR_SPEC_WRONG_PATH;
	else
		entry->spec = PERF_BR_NON_SPEC_CORRECT_PATH;
	return (valid || speculative) && !branches_bit(to, 61);
}

bool branches_entry(uint32_t lbr_format, uint64_t from, uint64_t to,
		    uint64_t info, struct perf_branch_entry *entry)
{
	memset(entry, 0, sizeof(*entry));
	if (lbr_format == LBRSCOPE_LBR_FORMAT_AMD)
		return branches_amd(entry, from, to);
	entry->from = from;
	entry->to = to;
	switch (lbr_format) {
	case LBRSCOPE_LBR_FORMAT_EIP_FLAGS:
		entry->from = branches_address(from, 63);
		branches_predicted(entry, branches_bit(from, 63));
		break;
	case LBRSCOPE_LBR_FORMAT_EIP_FLAGS2:
		entry->from = branches_address(from, 61);
		branches_predicted(entry, branches_bit(from, 63));
		branches_transaction(entry, from);
		break;
	case LBRSCOPE_LBR_FORMAT_TIME:
		entry->from = branches_address(from, 63);
		entry->to = branches_address(to, 48);
		branches_predicted(entry, branches_bit(from, 63));
		entry->cycles = to >> 48;
		break;
	case LBRSCOPE_LBR_FORMAT_INFO:
	case LBRSCOPE_LBR_FORMAT_INFO2:
		branches_info(entry, info, false);
		break;
	case LBRSCOPE_LBR_FORMAT_ARCH:
		branches_info(entry, info, true);
		break;
	}
	return entry->from || entry->to;
}
