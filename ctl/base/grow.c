// SPDX-License-Identifier: GPL-2.0
/* Lists that grow. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"

#define ROOM_LEAST	16
/* Lists of more bytes grow by a quarter: half of them unused would be too much. */
#define ROOM_LARGE	(1UL << 20)

/* Returns the number of elements of a larger list, or 0 on overflow. */
static size_t room_more(size_t most, size_t each)
{
	size_t more = most >= ROOM_LARGE / each ? most / 4 : most;

	return __builtin_add_overflow(most, more, &most) ? 0 : most;
}

int room_make(void *list, size_t need, size_t *max, size_t each)
{
	size_t most = *max ? *max : ROOM_LEAST;
	void **p = list, *more;

	while (most && most < need)
		most = room_more(most, each);
	if (!most)
		goto err;
	more = reallocarray(*p, most, each);
	if (!more)
		goto err;
	memset((char *)more + *max * each, 0, (most - *max) * each);
	*p = more;
	*max = most;
	return 0;
err:
	err_short_of_memory();
	errno = ENOMEM;
	return -1;
}
