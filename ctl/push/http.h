/* SPDX-License-Identifier: GPL-2.0 */
/* Sends a body to a server by HTTP, once. */
#ifndef LBRCTL_PUSH_HTTP_H
#define LBRCTL_PUSH_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "push/target.h"

#define HTTP_ANSWER_MAX	2048	/* bytes of an answer's body */

struct http_body {
	const char *type;	/* its Content-Type */
	bool gzip;		/* it is compressed */
	char *bytes;
	size_t nr;
};

struct http_answer {
	long status;		/* 0: none arrived whole, and */
	bool again;		/* another attempt may succeed */
	char error[256];	/* why not */
	uint64_t retry_after;	/* ns that the server asks to wait; 0: it does not */
	size_t nr;
	char body[HTTP_ANSWER_MAX + 1];		/* ends with a 0 */
};

/* Loads the library. Returns 0, or -1 with a message: also if lbrctl was built without it. */
int http_begin(void);
void http_end(void);

/* Takes at most five minutes. */
void http_post(const struct target *target, const struct http_body *body,
	       struct http_answer *answer);

#endif
