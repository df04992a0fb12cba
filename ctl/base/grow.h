/* SPDX-License-Identifier: GPL-2.0 */
/* Lists that grow. */
#ifndef LBRCTL_BASE_GROW_H
#define LBRCTL_BASE_GROW_H

#include <stddef.h>

/* room_for() makes room for `need` elements of `each` bytes in a list. `list` points to the pointer to
 * it, NULL at first, for free(); *max is the number of elements that it has room for. New
 * elements are 0. Returns 0, or -1 with errno ENOMEM, and then the list is unchanged. The
 * part that is inline precedes each addition to a list. */
int room_make(void *list, size_t need, size_t *max, size_t each);

static inline int room_for(void *list, size_t need, size_t *max, size_t each)
{
	return need <= *max ? 0 : room_make(list, need, max, each);
}

#endif
