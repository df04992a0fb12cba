/* SPDX-License-Identifier: GPL-2.0 */
/* Utilisation, saturation and errors of the whole machine, by the kernel's own counters; and
 * the next command to use. */
#ifndef LBRCTL_TRIAGE_TRIAGE_H
#define LBRCTL_TRIAGE_TRIAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum triage_resource { TRIAGE_CPU, TRIAGE_MEMORY, TRIAGE_IO, TRIAGE_RESOURCES };

/* A process's time on the CPUs. */
struct triage_process {
	uint32_t pid;
	char comm[32];
	uint64_t ticks;
};

/* The kernel's counters at one time. */
struct triage_state {
	uint64_t busy, idle, iowait, steal;	/* ticks of all CPUs; iowait is idle, too */
	unsigned int cpus;
	unsigned int running, blocked;	/* tasks at this moment, without lbrctl */
	bool has_pressure;
	uint64_t some[TRIAGE_RESOURCES], full[TRIAGE_RESOURCES];	/* us */
	uint64_t memory, available, swap_used;	/* KiB */
	uint64_t swapped, major_faults, oom_kills;	/* pages, faults, processes */
	struct triage_disk {
		char name[32];
		uint64_t busy;		/* ms */
	} *disks;
	size_t nr_disks, max_disks;
	struct triage_process *processes;	/* sorted by pid */
	size_t nr_processes, max_processes;
};

/* Reads the state; proc: "/proc". Returns 0, or -1 with a message; call triage_free() in both
 * cases. */
int triage_read(const char *proc, struct triage_state *state);
/* Reads only the file "stat". Returns 0, or -1 with a message. */
int triage_read_stat(const char *proc, struct triage_state *state);
void triage_free(struct triage_state *state);

/* The difference of two states. Shares are percentages of the time. */
struct triage_result {
	unsigned int cpus;
	double busy, iowait, steal;	/* of all CPUs */
	double running, blocked;	/* tasks on average */
	bool has_pressure;
	double some[TRIAGE_RESOURCES], full[TRIAGE_RESOURCES];
	double available;		/* percent of the memory, at the end */
	uint64_t swap_used;		/* KiB, at the end */
	uint64_t swapped, major_faults, oom_kills;
	char disk[32];			/* the busiest disk; "": none was used */
	double disk_busy;
	struct triage_process top;	/* the process with most time; pid 0: none */
	double top_busy;		/* percent of one CPU */
	bool has_ipc;
	double ipc;			/* of all CPUs */
};

/* Compares two states that are `seconds` apart; running and blocked tasks are averages of
 * both. */
void triage_compare(const struct triage_state *before, const struct triage_state *after,
		    double seconds, struct triage_result *result);

/* The advice: the next command. */
struct triage_advice {
	const char *kind;		/* "on-cpu", "off-cpu", "memory", "steal", "idle" */
	char reason[240];
	char command[160];		/* an lbrctl command */
};

void triage_advise(const struct triage_result *result, struct triage_advice *advice);

#endif
