/* SPDX-License-Identifier: GPL-2.0 */
/* Remembers the places of user addresses: programs call from few places. */
#ifndef LBRCTL_STACKS_SPOTS_H
#define LBRCTL_STACKS_SPOTS_H

#include "stacks/recorded.h"

struct spots;

/* `maps` must outlive the result. Returns NULL when memory is short. */
struct spots *spots_new(struct maps *maps);
void spots_free(struct spots *spots);

/* Forgets all of them: the maps begin another capture. */
void spots_forget(struct spots *spots);

/* Returns the spot of a user address of process pid, whose mappings are in that state
 * (maps_state().process). */
struct recorded_spot spots_user(struct spots *spots, uint32_t pid, uint32_t state,
				uint64_t address);

#endif
