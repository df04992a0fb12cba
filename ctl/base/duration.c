// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"

bool duration_parse(const char *text, uint64_t *ns)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 },
	};
	char *end;
	size_t i;

	errno = 0;
	*ns = strtoull(text, &end, 10);
	if (errno || !isdigit((unsigned char)*text))
		return false;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].name))
			return !__builtin_mul_overflow(*ns, units[i].ns, ns);
	return !*end && !*ns;
}
