/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_RECORD_TRIGGERS_H
#define LBRCTL_RECORD_TRIGGERS_H

#include <linux/lbrscope.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One `--trigger KIND:ARGUMENT`. */
struct triggers_trigger {
	const char *text;	/* as it was given, the caller's */
	uint32_t kind;		/* enum lbrscope_trigger_kind */
	uint64_t address;	/* WATCHPOINT */
	uint32_t length;
	bool reads;
	int file;		/* UPROBE: open as long as the trigger is used */
	uint64_t offset;
	const char *symbol;	/* KPROBE, KRETPROBE: within text */
	uint32_t signal;	/* SIGNAL; 0: any */
	const char *event;	/* EVENT: within text */
	uint32_t index;		/* its index in the session, the caller's to set */
	uint64_t min;		/* OFFCPU: ns */
};

struct triggers {
	struct triggers_trigger list[LBRSCOPE_TRIGGERS_MAX];
	size_t nr;
};

/* Adds the one that text describes, which must outlive the list. Returns 0, or
 * -1 with the reason in why. */
int triggers_add(struct triggers *triggers, const char *text, char *why,
		 size_t size);

/* Closes what they have opened. */
void triggers_close(struct triggers *triggers);

#endif
