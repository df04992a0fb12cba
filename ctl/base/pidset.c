// SPDX-License-Identifier: GPL-2.0
/* A set of process ids. */
#include <stdlib.h>

#include "base/err.h"
#include "base/pidset.h"

/* The largest possible /proc/sys/kernel/pid_max: PID_MAX_LIMIT of include/linux/threads.h. */
#define PIDSET_MAX	(4U << 20)

int pidset_add(struct pidset *set, uint32_t pid)
{
	if (!set->bits)
		set->bits = calloc(PIDSET_MAX / 8, 1);
	if (!set->bits)
		return err_fail("out of memory");
	if (pid < PIDSET_MAX)
		set->bits[pid / 8] |= 1U << pid % 8;
	return 0;
}

bool pidset_has(const struct pidset *set, uint32_t pid)
{
	return set->bits && pid < PIDSET_MAX &&
	       set->bits[pid / 8] & 1U << pid % 8;
}

void pidset_free(struct pidset *set)
{
	free(set->bits);
	set->bits = NULL;
}
