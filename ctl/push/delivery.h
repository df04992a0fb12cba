/* SPDX-License-Identifier: GPL-2.0 */
/* Delivers a body to a server, in several attempts if need be. */
#ifndef LBRCTL_PUSH_DELIVERY_H
#define LBRCTL_PUSH_DELIVERY_H

#include "push/http.h"

/* Sends the body. Failures that may pass are tried again while *patience, in ns, lasts; the time
 * since the first failure is taken from it. Returns 0 and the answer of status 2xx, or -1 with a
 * message about the file of that name. */
int delivery_send(const struct target *target, const struct http_body *body, const char *file,
		  uint64_t *patience, struct http_answer *answer);

#endif
