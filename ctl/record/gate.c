// SPDX-License-Identifier: GPL-2.0
/* The times in which samples are kept. */
#include <string.h>

#include "record/gate.h"

void gate_set(struct gate *gate, uint64_t time, bool open)
{
	while (gate->nr && gate->changes[gate->nr - 1].time >= time)
		gate->nr--;
	if (!gate->nr)
		gate->changes[gate->nr++] = (struct gate_change){ .open = true };
	if (gate->changes[gate->nr - 1].open == open)
		return;
	if (gate->nr == GATE_CHANGES_MAX)
		memmove(gate->changes, gate->changes + 1,
			--gate->nr * sizeof(*gate->changes));
	gate->changes[gate->nr++] = (struct gate_change){ time, open };
}

/* The newest changes are those of the samples that are read now. */
bool gate_is_open(const struct gate *gate, uint64_t time)
{
	for (unsigned int i = gate->nr; i > 0; i--)
		if (gate->changes[i - 1].time <= time)
			return gate->changes[i - 1].open;
	return !gate->nr || gate->changes[0].open;
}
