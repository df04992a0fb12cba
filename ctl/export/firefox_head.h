/* SPDX-License-Identifier: GPL-2.0 */
/* What stands before the threads of a Firefox profile: how it was made, and the files with code. */
#ifndef LBRCTL_EXPORT_FIREFOX_HEAD_H
#define LBRCTL_EXPORT_FIREFOX_HEAD_H

#include "base/json.h"
#include "export/locations.h"
#include "profile/analysis.h"

/* Writes "meta". begin: the time that is 0 in the profile, in ns. */
void firefox_meta(const struct analysis *first, uint64_t begin, struct json *out);

/* Writes "libs", the mapped files that have code in the profile; the kernel is not a file. Returns
 * the number of each file there, FIREFOX_NONE of the others, for free(); NULL when memory is short. */
int64_t *firefox_libs(const struct analysis *first, const struct locations *locations,
		      struct json *out);

#endif
