// SPDX-License-Identifier: GPL-2.0
/* Lists the processes and threads of /proc. */
#include <ctype.h>
#include <stdlib.h>

#include "base/numbered.h"

bool numbered_next(DIR *folder, uint32_t *number)
{
	struct dirent *entry;

	while ((entry = readdir(folder))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		*number = strtoul(entry->d_name, NULL, 10);
		return true;
	}
	return false;
}
