// SPDX-License-Identifier: GPL-2.0
/* Parses durations. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"

bool duration_parse(const char *text, uint64_t plain, uint64_t *ns)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", DURATION_MS }, { "s", 1000000000 },
		{ "m", 60000000000 }, { "h", 3600000000000 }, { "d", 86400000000000 },
	};
	uint64_t number, unit = plain;
	char *end;
	size_t i;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || !isdigit((unsigned char)*text))
		return false;
	for (i = 0; *end && i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(end, units[i].name))
			continue;
		unit = units[i].ns;
		break;
	}
	if (i == sizeof(units) / sizeof(*units) || (!unit && number) ||
	    __builtin_mul_overflow(number, unit, &number))
		return false;
	*ns = number;
	return true;
}
