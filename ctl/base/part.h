/* SPDX-License-Identifier: GPL-2.0 */
/* Offsets of members whose type is checked. */
#ifndef LBRCTL_BASE_PART_H
#define LBRCTL_BASE_PART_H

#include <stddef.h>

/* offsetof(type, member), for a void pointer that later code converts to a pointer to `as`.
 * Does not compile if the member has another type. */
#define part_of(type, member, as) \
	(offsetof(type, member) + _Generic(&((type *)0)->member, as *: 0))

#endif
