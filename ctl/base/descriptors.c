// SPDX-License-Identifier: GPL-2.0
/* RLIMIT_NOFILE. */
#include <sys/resource.h>

#include "base/descriptors.h"

bool descriptors_raise(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur == files.rlim_max)
		return false;
	files.rlim_cur = files.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &files);
}
