/* SPDX-License-Identifier: GPL-2.0 */
/* Checks for everything that can prevent a recording on this machine. */
#ifndef LBRCTL_DOCTOR_CHECKS_H
#define LBRCTL_DOCTOR_CHECKS_H

#include <stddef.h>
#include <stdint.h>

enum checks_state {
	CHECKS_OK,
	CHECKS_NOTE,		/* a part of the data will be missing, or may be */
	CHECKS_BAD,		/* no recording is possible */
};

struct checks_finding {
	const char *name;	/* constant: the subject of the check */
	enum checks_state state;
	char text[640];		/* a sentence without a full stop */
	char mend[640];		/* the remedy, if possible a command; or "" */
};

#define CHECKS_MAX	64

struct checks {
	struct checks_finding list[CHECKS_MAX];
	unsigned int nr;
};

/* Adds a finding; mend may be NULL. Findings beyond CHECKS_MAX are dropped. */
struct checks_finding *checks_add(struct checks *checks, const char *name,
				  enum checks_state state, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void checks_mend(struct checks_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Reads the hypervisor's signature, CPUID leaf 0x40000000; "" on bare metal. */
void checks_hypervisor(char *name, size_t size);

/* Whether the CPU has counters at all: the first thing to know about a machine. */
void checks_counters(struct checks *checks);

/* Checks the module: built for the running kernel, signed, loaded. */
void checks_module(struct checks *checks);

/* Checks the CPU, the NMI watchdog, the owner of the counters, and the user's rights. Switches
 * the watchdog on if a killed recording left it off. */
void checks_pmu(struct checks *checks);

/* Checks whether functions will have names: those of the kernel, of a code file, and of the
 * files that a process (pid not 0) has mapped. */
void checks_kernel_names(struct checks *checks);
void checks_file_names(struct checks *checks, const char *path);
void checks_process_names(struct checks *checks, uint32_t pid);

#endif
