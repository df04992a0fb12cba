// SPDX-License-Identifier: GPL-2.0
/* Parses sizes. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"

bool size_parse(const char *text, uint64_t *bytes)
{
	static const char units[] = "BKMG";
	const char *unit;
	char *end;

	errno = 0;
	*bytes = strtoull(text, &end, 10);
	if (errno || !isdigit((unsigned char)*text))
		return false;
	if (!*end)
		return true;
	unit = strchr(units, *end);
	return unit && !end[1] &&
	       !__builtin_mul_overflow(*bytes, 1ULL << 10 * (unit - units), bytes);
}
