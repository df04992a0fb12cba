// SPDX-License-Identifier: GPL-2.0
/*
 * Limits the kernel memory that users without privilege may take.
 *
 * All memory of a session is charged to the memory cgroup of the task that asks for it
 * (__GFP_ACCOUNT), with and without privilege.  This is no limit where no cgroup has one,
 * nor for the rings on kernels that cannot charge them (compat/mm.h).  So there are two
 * limits of our own: one configured session for each person, and for the rings of all such
 * sessions together a share of the machine's memory.
 *
 * A person is a uid of the initial user namespace.  A task in another namespace counts as
 * the creator of its outermost namespace, so that a user's subordinate uids are the same
 * person.
 */
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/user_namespace.h>

#include "charge.h"

/* Of the machine's memory, the rings of all users without privilege take 1/16. */
#define CHARGE_SHARE	16

/* The charges of all sessions.  Locks: the innermost lock. */
static DEFINE_MUTEX(charge_lock);
static LIST_HEAD(charge_all);

static kuid_t ls_charge_person(const struct cred *cred)
{
	const struct user_namespace *ns = cred->user_ns;

	if (ns == &init_user_ns)
		return cred->uid;
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	return ns->owner;
}

void ls_charge_init(struct charge *charge)
{
	INIT_LIST_HEAD(&charge->link);
}

static int ls_charge_take_locked(struct charge *charge, const struct cred *cred, u64 bytes,
				 struct netlink_ext_ack *extack)
{
	unsigned long pages = bytes >> PAGE_SHIFT, sum = pages;
	kuid_t person = ls_charge_person(cred);
	const struct charge *other;

	list_for_each_entry(other, &charge_all, link) {
		if (uid_eq(other->person, person)) {
			NL_SET_ERR_MSG(extack, "you have a session already, perhaps in another user namespace; more than one needs CAP_PERFMON or CAP_SYS_ADMIN");
			return -EBUSY;
		}
		sum += other->pages;
	}
	if (sum > totalram_pages() / CHARGE_SHARE) {
		NL_SET_ERR_MSG(extack, "the rings of all users without privilege would take more than 1/16 of the machine's memory; ask for smaller ones (RING_SIZE)");
		return -ENOMEM;
	}
	charge->person = person;
	charge->pages = pages;
	list_add(&charge->link, &charge_all);
	return 0;
}

int ls_charge_take(struct charge *charge, const struct cred *cred, u64 bytes,
		   struct netlink_ext_ack *extack)
{
	int err;

	mutex_lock(&charge_lock);
	err = ls_charge_take_locked(charge, cred, bytes, extack);
	mutex_unlock(&charge_lock);
	return err;
}

void ls_charge_drop(struct charge *charge)
{
	mutex_lock(&charge_lock);
	list_del_init(&charge->link);
	mutex_unlock(&charge_lock);
}
