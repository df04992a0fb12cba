/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of the PMU's registers. */
#ifndef LBRCTL_PMU_REGS_H
#define LBRCTL_PMU_REGS_H

#include <stdbool.h>
#include <stdint.h>

/* The properties of a CPU, besides the register's number, that determine the names of
 * registers and fields. */
struct regs_cpu {
	bool amd;		/* Hygon included */
	uint32_t lbr_format;	/* enum lbrscope_lbr_format */
};

/* vendor: by CPUID. */
struct regs_cpu regs_cpu(const char *vendor, uint32_t lbr_format);

enum regs_kind {
	REGS_FLAG,
	REGS_NUMBER,
	REGS_HEX,
	REGS_ADDRESS,		/* sign-extended to 64 bits */
};

struct regs_field {
	char name[32];
	enum regs_kind kind;
	uint64_t value;
	const char *meaning;	/* name of the value, if the field has named values, or NULL */
};

#define REGS_FIELDS_MAX	64

/* A register with its fields, those of value 0 included. */
struct regs_decoded {
	char name[32];		/* the name in the manual: SDM vol. 4, APM vol. 2 appendix A */
	bool selects;		/* it selects the event of a general counter */
	struct regs_field fields[REGS_FIELDS_MAX];
	unsigned int nr;	/* 0: the register is one number */
	uint64_t rest;		/* set bits that belong to no field */
};

/* An unknown register gets the name MSR_0x... and no fields. */
void regs_decode(const struct regs_cpu *cpu, uint32_t msr, uint64_t value,
		 struct regs_decoded *decoded);

#endif
