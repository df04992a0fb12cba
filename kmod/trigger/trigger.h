/* SPDX-License-Identifier: GPL-2.0 */
/* The triggers of a session. */
#ifndef LBRSCOPE_TRIGGER_H
#define LBRSCOPE_TRIGGER_H

#include <linux/kprobes.h>
#include <linux/path.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <linux/lbrscope.h>

#include "compat/uprobes.h"

struct ls_cpu_ctx;
struct cpumask;
struct ls_extack;
struct perf_event;
struct pt_regs;
struct ls_session;

/* Hardware breakpoints, one a CPU. */
struct ls_trigger_watch {
	u64 address;
	u32 length;		/* bytes */
	bool reads;		/* loads as well as stores */
	const struct cpumask *cpus;	/* the session's, NULL: all */
	struct perf_event **events;	/* by CPU; NULL: this CPU has none */
};

/*
 * An instruction in a file; trigger/uprobe.c describes the protocol.
 * Locks: wanted and asked are written by arm and disarm, under ls_session_lock; all fields
 * behind them by the work.
 */
struct ls_trigger_uprobe {
	struct path file;	/* a reference: the file system stays mounted */
	u64 offset;		/* of the instruction in the file, bytes */
	bool wanted;		/* it has to be registered */
	u32 asked;		/* how often wanted was set */
	struct work_struct work;	/* registers or unregisters it */
	u32 done;		/* value of asked that the work has carried out last */
	int err;		/* result of the last registration */
	bool registered;
	struct compat_uprobe probe;
};

/* The entry of a function of the kernel, or its return. */
struct ls_trigger_kprobe {
	char symbol[LBRSCOPE_SYMBOL_MAX + 1];
	union {
		struct kprobe entry;
		struct kretprobe ret;
	};
	u64 missed;		/* calls that the kernel left out; written at disarming */
};

/* Constant from SESSION_SET on, except for the state of a probe and of arming. */
struct ls_trigger {
	enum lbrscope_trigger_kind kind;
	u8 index;
	bool freezes;		/* freezes the session's rings when it has fired */
	union {
		struct ls_trigger_watch watch;
		struct ls_trigger_uprobe uprobe;
		struct ls_trigger_kprobe kprobe;
		int signal;	/* 0: any */
	};
};

struct ls_triggers {
	u32 nr;
	struct ls_trigger list[LBRSCOPE_TRIGGERS_MAX];
};

/*
 * Frees the triggers with the references that SESSION_SET took.  May be NULL.  Waits
 * without limit until the last uprobe is unregistered.
 */
void ls_triggers_free(struct ls_triggers *triggers);

/* Called before the first use; fields that are already filled in stay. */
void ls_trigger_uprobe_init(struct ls_trigger_uprobe *uprobe);

/*
 * Arm all triggers when all CPUs have started, and disarm them before the CPUs stop.
 * ls_triggers_arm() arms all, or none: then the reason is in extack.  Uprobes are only
 * queued; ls_triggers_look() tells what has become of them.
 * Context: may sleep.
 * Locks: ls_session_lock, not the hotplug lock.
 */
int ls_triggers_arm(struct ls_session *session, struct ls_extack *extack);
void ls_triggers_disarm(struct ls_session *session);

/*
 * Looks at the queued work on uprobes.  It can take long: Linux waits for each process that
 * has mapped a uprobe's file, and a process can keep its memory locked.
 * Returns: 0; the error of a trigger that could not be armed; or -EINPROGRESS; with the
 * reason in extack.
 * Locks: ls_session_lock.
 */
int ls_triggers_look(const struct ls_session *session, struct ls_extack *extack);

/*
 * Returns: how often the kernel did not call a probe, because too many calls were open or
 * it was hit within another probe; as of the last disarming.
 */
u64 ls_triggers_missed(const struct ls_triggers *triggers);

/* Context: hotplug callbacks on the CPU, may sleep. */
void ls_triggers_cpu_up(u32 cpu);
void ls_triggers_cpu_down(u32 cpu);

/*
 * Called by the handlers when a trigger fires at ip with these registers.  Does nothing if
 * the CPU or the task is not sampled.
 * Context: any but the module's NMI.
 */
void ls_trigger_fire(const struct ls_trigger *trigger, const struct pt_regs *regs,
		     u64 ip, u64 value);

/*
 * Freezes the rings of the CPU's session and wakes its pollers.
 * Context: NMI, or interrupts off, on the CPU.
 */
void ls_trigger_freeze(struct ls_cpu_ctx *cpu);

#endif
