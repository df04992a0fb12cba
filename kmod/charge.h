/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_CHARGE_H
#define LBRSCOPE_CHARGE_H

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct cred;
struct netlink_ext_ack;

/* What a session without privilege has been granted. */
struct charge {
	struct list_head link;	/* of all charges; empty: nothing is granted */
	kuid_t person;
	unsigned long pages;	/* of rings */
};

/*
 * Memory of a session is charged to the memory cgroup of the task that asks for it.  Where
 * that is full the request is refused, and nobody is killed for it: __GFP_NORETRY.
 */
#define CHARGE_GFP	(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

void ls_charge_init(struct charge *charge);

/*
 * Grants one session with rings of so many bytes together to the user with cred.  0,
 * -EBUSY that user has one already, -ENOMEM the rings of all such users would take too
 * much; with the reason.
 */
int ls_charge_take(struct charge *charge, const struct cred *cred, u64 bytes,
		   struct netlink_ext_ack *extack);

/* Gives it back; nothing was taken: does nothing. */
void ls_charge_drop(struct charge *charge);

#endif
