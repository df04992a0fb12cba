// SPDX-License-Identifier: GPL-2.0
/* Lists that grow. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"

#define ROOM_LEAST	16

int room_for(void *list, size_t need, size_t *max, size_t each)
{
	size_t most = *max ? *max : ROOM_LEAST;
	void **p = list, *more;

	if (need <= *max)
		return 0;
	while (most < need)
		if (__builtin_mul_overflow(most, 2, &most))
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
