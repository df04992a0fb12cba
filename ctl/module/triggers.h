/* SPDX-License-Identifier: GPL-2.0 */
/* The triggers of a session, as the module gets them. */
#ifndef LBRCTL_MODULE_TRIGGERS_H
#define LBRCTL_MODULE_TRIGGERS_H

#include <linux/lbrscope.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One `--trigger KIND:ARGUMENT`. */
struct triggers_trigger {
	const char *text;	/* as given; belongs to the caller */
	uint32_t kind;		/* enum lbrscope_trigger_kind */
	uint64_t address;	/* WATCHPOINT */
	uint32_t length;
	bool reads;
	int file;		/* UPROBE: stays open as long as the trigger is in use */
	uint64_t offset;
	const char *symbol;	/* KPROBE, KRETPROBE: within text */
	uint32_t signal;	/* SIGNAL; 0: any */
	const char *event;	/* EVENT: within text */
	uint32_t index;		/* its index in the session, set by the caller */
	uint64_t min;		/* OFFCPU: ns */
};

struct triggers {
	struct triggers_trigger list[LBRSCOPE_TRIGGERS_MAX];
	size_t nr;
};

#endif
