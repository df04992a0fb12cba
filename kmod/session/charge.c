// SPDX-License-Identifier: GPL-2.0
/*
 * Limits the kernel memory that users without privilege may take.
 *
 * All memory of a session is charged to the memory cgroup of the task that asks for it
 * (__GFP_ACCOUNT), with and without privilege.  This is no limit where no cgroup has one,
 * nor for the rings on kernels that cannot charge them (compat/mm.h).  So there are two
 * limits of our own: one configured session for each person, and for the rings of all such
 * sessions together a share of the machine's memory.
 */
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/pfn.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "base/extack.h"
#include "session/charge.h"
#include "session/person.h"

/* Of the machine's memory, the sessions of all users without privilege take 1/16. */
#define CHARGE_SHARE	16

/* The charges of all sessions.  Locks: no lock is taken inside. */
static DEFINE_MUTEX(charge_lock);
static LIST_HEAD(charge_all);

void ls_charge_init(struct ls_charge *charge)
{
	INIT_LIST_HEAD(&charge->link);
}

static void ls_charge_refuse_second(const struct ls_charge *other,
				    struct ls_extack *extack)
{
	char process[32] = "";
	pid_t pid = pid_vnr(other->pid);

	if (pid)
		snprintf(process, sizeof(process), " (process %d)", pid);
	ls_extack_set(extack, "you have a session already%s, perhaps in another user namespace, or another user of your container has one; more than one needs CAP_PERFMON or CAP_SYS_ADMIN",
		      process);
}

static int ls_charge_take_locked(struct ls_charge *charge, struct ls_person *person, u64 bytes,
				 struct ls_extack *extack)
{
	unsigned long pages = bytes >> PAGE_SHIFT, sum = pages;
	const struct ls_charge *other;

	lockdep_assert_held(&charge_lock);
	list_for_each_entry(other, &charge_all, link) {
		if (other->person == person) {
			ls_charge_refuse_second(other, extack);
			return -EBUSY;
		}
		sum += other->pages + other->tables;
	}
	if (sum > totalram_pages() / CHARGE_SHARE) {
		ls_extack_set(extack, "the sessions of all users without privilege would take more than 1/16 of the machine's memory; ask for smaller rings (RING_SIZE)");
		return -ENOMEM;
	}
	charge->person = person;
	charge->pid = get_pid(task_tgid(current));
	charge->pages = pages;
	charge->tables = 0;
	list_add(&charge->link, &charge_all);
	return 0;
}

int ls_charge_take(struct ls_charge *charge, const struct cred *cred, u64 bytes,
		   struct ls_extack *extack)
{
	struct ls_person *person = ls_person_get(cred);
	int err;

	if (!person)
		return -ENOMEM;
	mutex_lock(&charge_lock);
	err = ls_charge_take_locked(charge, person, bytes, extack);
	mutex_unlock(&charge_lock);
	if (err)
		ls_person_put(person);
	return err;
}

bool ls_charge_tables(struct ls_charge *charge, u64 bytes)
{
	unsigned long pages = PFN_UP(bytes), sum = pages;
	const struct ls_charge *other;
	bool fits;

	if (list_empty(&charge->link))
		return true;
	mutex_lock(&charge_lock);
	list_for_each_entry(other, &charge_all, link)
		sum += other->pages + (other == charge ? 0 : other->tables);
	fits = pages <= charge->tables || sum <= totalram_pages() / CHARGE_SHARE;
	if (fits)
		charge->tables = pages;
	mutex_unlock(&charge_lock);
	return fits;
}

void ls_charge_drop(struct ls_charge *charge)
{
	if (list_empty(&charge->link))
		return;
	mutex_lock(&charge_lock);
	list_del_init(&charge->link);
	mutex_unlock(&charge_lock);
	ls_person_put(charge->person);
	put_pid(charge->pid);
}
