// SPDX-License-Identifier: GPL-2.0
/* Writes numbers as text. */
#include "base/base64.h"
#include "flame/columns.h"

void columns_put(FILE *out, uint64_t number)
{
	for (; number > 31; number >>= 5)
		putc_unlocked(base64_letters[32 | (number & 31)], out);
	putc_unlocked(base64_letters[number], out);
}

void columns_put_difference(FILE *out, uint64_t before, uint64_t after)
{
	const uint64_t difference = after < before ? before - after : after - before;

	/* Larger ones come from damaged files only. */
	columns_put(out, (difference << 1) | (after < before));
}
