/* SPDX-License-Identifier: GPL-2.0 */
/* The request of Pyroscope's protocol. */
#ifndef LBRCTL_PUSH_PYROSCOPE_H
#define LBRCTL_PUSH_PYROSCOPE_H

#include <stdbool.h>
#include <stdio.h>

#include "export/store.h"

#define PYROSCOPE_PATH	"/push.v1.PusherService/Push"
#define PYROSCOPE_TYPE	"application/json"

/* Writes the profiles of all services. Returns 0, or -1 when memory is short. */
int pyroscope_write(const struct analysis *first, const struct store *store,
		    const struct store_label *labels, size_t nr_labels, FILE *out);

/* Whether the body of an answer of status 200 is one of the protocol. */
bool pyroscope_is_answer(const char *body);

#endif
