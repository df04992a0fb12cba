/* SPDX-License-Identifier: GPL-2.0 */
/* A set of process ids. */
#ifndef LBRCTL_BASE_PIDSET_H
#define LBRCTL_BASE_PIDSET_H

#include <stdbool.h>
#include <stdint.h>

/* A set of process ids. {} is the empty set. */
struct pidset {
	unsigned char *bits;
};

/* Returns 0, or -1 with a message. */
int pidset_add(struct pidset *set, uint32_t pid);
bool pidset_has(const struct pidset *set, uint32_t pid);
void pidset_free(struct pidset *set);

#endif
