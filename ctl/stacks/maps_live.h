/* SPDX-License-Identifier: GPL-2.0 */
/* Opens a mapped file through a process that still has it mapped. */
#ifndef LBRCTL_STACKS_MAPS_LIVE_H
#define LBRCTL_STACKS_MAPS_LIVE_H

#include "stacks/maps_files.h"

/*
 * Opens the mapped file itself, even if it was deleted or replaced since, or lies in another
 * mount namespace. Its build id, or if none was recorded its device and inode number, must be
 * those of the record. Returns NULL with the reason in *state.
 */
struct object *maps_live_open(const struct maps_mapped *mapped, enum object_state *state);

#endif
