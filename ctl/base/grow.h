/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_BASE_GROW_H
#define LBRCTL_BASE_GROW_H

#include <stddef.h>

/* Room for so many elements of `each` bytes in a list that grows: `list` points to the
 * pointer to it (NULL at first; free()), *max is how many it has room for. What is new
 * is 0. 0, or -1 with errno when memory is short. */
int room_for(void *list, size_t need, size_t *max, size_t each);

#endif
