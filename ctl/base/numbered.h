/* SPDX-License-Identifier: GPL-2.0 */
/* Folders whose entries are numbers: those of /proc. */
#ifndef LBRCTL_BASE_NUMBERED_H
#define LBRCTL_BASE_NUMBERED_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

/* Steps to the next entry of a folder whose name is a number: a process in /proc, a thread in /proc/PID/task. Returns
 * false at the end of the folder. */
bool numbered_next(DIR *folder, uint32_t *number);

#endif
