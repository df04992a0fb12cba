/* SPDX-License-Identifier: GPL-2.0 */
/* The limits of unprivileged users: sessions and memory. */
#ifndef LBRSCOPE_CHARGE_H
#define LBRSCOPE_CHARGE_H

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/types.h>

struct cred;
struct ls_extack;
struct ls_person;
struct pid;

/* The charge of one session without privilege. */
struct ls_charge {
	struct list_head link;	/* of all charges; empty: nothing is charged */
	struct ls_person *person;	/* with a reference, as pid */
	struct pid *pid;	/* the process that configured the session */
	unsigned long pages;	/* of the session's memory: ls_memory_of_cpus() */
	unsigned long tables;	/* pages of its tables of unwinding rules */
};

/*
 * Memory of a session is charged to the memory cgroup of the task that asks for it.  With
 * __GFP_NORETRY a full cgroup refuses the request, and the OOM killer does not run.
 */
#define CHARGE_GFP	(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

void ls_charge_init(struct ls_charge *charge);

/*
 * Charges the user with cred for one session, with memory of `bytes` for all CPUs.
 * Returns: 0; -EBUSY: the person has a session already; -ENOMEM: the sessions of all persons
 * would take too much; with the reason in extack.
 */
int ls_charge_take(struct ls_charge *charge, const struct cred *cred, u64 bytes,
		   struct ls_extack *extack);

/*
 * Charges `bytes` of tables instead of what was charged before; nothing without a charge.
 * Returns: false, with nothing changed, if all persons together would take too much.
 */
bool ls_charge_tables(struct ls_charge *charge, u64 bytes);

/* Undoes ls_charge_take(), if it was called. */
void ls_charge_drop(struct ls_charge *charge);

#endif
