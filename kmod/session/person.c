// SPDX-License-Identifier: GPL-2.0
/*
 * The users without privilege, and what each of them does at this moment: limits that hold
 * for a person, whatever the number of his threads, files and namespaces.
 *
 * Generic netlink holds a lock for reading during each command (cb_lock).  The registration
 * of any family waits for all holders, and all later requests of the machine wait for the
 * registration.  A START or STOP takes some 10 ms, and the next one waits for it.  So
 * a person has two commands at the same time: then the wait of others has a bound that does
 * not depend on the number of his threads.
 *
 * A person is a uid of the initial user namespace.  A task in another namespace counts as
 * the creator of its outermost namespace, so that a user's subordinate uids are the same
 * person.  If root has created it, as the daemons of containers do, then each such
 * namespace is a person: root inside of it could become any of its uids.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>

#include "base/extack.h"
#include "session/charge.h"
#include "session/person.h"

struct ls_person {
	struct list_head link;
	kuid_t uid;
	unsigned int container;	/* number of a namespace that root has created; 0: none */
	/* All below: person_lock. */
	unsigned int refs;	/* commands, and configured sessions */
	unsigned int commands;	/* that have begun and not ended */
	u64 starts[PERSON_STARTS];	/* jiffies of the last STARTs, a ring; 0: none */
	unsigned int next;	/* the oldest of them */
};

/*
 * A person without references stays in the list for a second after his last START, so that
 * a new file is no new allowance.
 * Locks: innermost; never taken in interrupts.
 */
static DEFINE_SPINLOCK(person_lock);
static LIST_HEAD(person_all);

static void ls_person_identify(struct ls_person *person, const struct cred *cred)
{
	const struct user_namespace *ns = cred->user_ns;

	person->uid = cred->uid;
	if (ns == &init_user_ns)
		return;
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	person->uid = ns->owner;
	if (uid_eq(ns->owner, GLOBAL_ROOT_UID))
		person->container = ns->ns.inum;
}

static bool ls_person_same(const struct ls_person *a, const struct ls_person *b)
{
	return uid_eq(a->uid, b->uid) && a->container == b->container;
}

/* The jiffies until another START is allowed. */
static u64 ls_person_wait(const struct ls_person *person, u64 now)
{
	u64 oldest = person->starts[person->next];

	lockdep_assert_held(&person_lock);
	return oldest && oldest + HZ > now ? oldest + HZ - now : 0;
}

static bool ls_person_forgotten(const struct ls_person *person, u64 now)
{
	u64 last = person->starts[(person->next + PERSON_STARTS - 1) % PERSON_STARTS];

	return !person->refs && (!last || last + HZ <= now);
}

/* Finds the person in the list, and removes those that are forgotten. */
static struct ls_person *ls_person_find(const struct ls_person *sought, struct list_head *gone)
{
	struct ls_person *person, *next, *found = NULL;
	u64 now = get_jiffies_64();

	lockdep_assert_held(&person_lock);
	list_for_each_entry_safe(person, next, &person_all, link) {
		if (ls_person_same(person, sought))
			found = person;
		else if (ls_person_forgotten(person, now))
			list_move(&person->link, gone);
	}
	return found;
}

static void ls_person_free(struct list_head *persons)
{
	struct ls_person *person, *next;

	list_for_each_entry_safe(person, next, persons, link)
		kfree(person);
}

struct ls_person *ls_person_get(const struct cred *cred)
{
	struct ls_person *new = kzalloc(sizeof(*new), CHARGE_GFP), *person;
	LIST_HEAD(gone);

	if (!new)
		return NULL;
	ls_person_identify(new, cred);
	spin_lock(&person_lock);
	person = ls_person_find(new, &gone);
	if (person) {
		list_add(&new->link, &gone);
	} else {
		person = new;
		list_add(&person->link, &person_all);
	}
	person->refs++;
	spin_unlock(&person_lock);
	ls_person_free(&gone);
	return person;
}

void ls_person_put(struct ls_person *person)
{
	spin_lock(&person_lock);
	person->refs--;
	spin_unlock(&person_lock);
}

struct ls_person *ls_person_enter(const struct cred *cred, struct ls_extack *extack)
{
	struct ls_person *person = ls_person_get(cred);
	bool enters;

	if (!person)
		return ERR_PTR(-ENOMEM);
	spin_lock(&person_lock);
	enters = person->commands < PERSON_COMMANDS;
	if (enters)
		person->commands++;
	else
		person->refs--;
	spin_unlock(&person_lock);
	if (enters)
		return person;
	ls_extack_set(extack, "one of your commands is being carried out, and another one waits for it: send one after the other");
	return ERR_PTR(-EBUSY);
}

void ls_person_leave(struct ls_person *person)
{
	spin_lock(&person_lock);
	person->commands--;
	person->refs--;
	spin_unlock(&person_lock);
}

int ls_person_start(struct ls_person *person, struct ls_extack *extack)
{
	u64 now = get_jiffies_64(), wait;

	spin_lock(&person_lock);
	wait = ls_person_wait(person, now);
	if (!wait) {
		person->starts[person->next] = now;
		person->next = (person->next + 1) % PERSON_STARTS;
	}
	spin_unlock(&person_lock);
	if (!wait)
		return 0;
	ls_extack_set(extack, "more than %u STARTs in a second need CAP_PERFMON or CAP_SYS_ADMIN: send it again in %u ms",
		      PERSON_STARTS, jiffies_to_msecs(wait));
	return -EAGAIN;
}

void ls_person_exit(void)
{
	ls_person_free(&person_all);
}
