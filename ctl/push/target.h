/* SPDX-License-Identifier: GPL-2.0 */
/* Where captures are sent, and by whom. */
#ifndef LBRCTL_PUSH_TARGET_H
#define LBRCTL_PUSH_TARGET_H

#include <stdbool.h>

#define TARGET_URL_MAX		2048	/* bytes */
#define TARGET_SECRET_MAX	8192

struct target {
	char url[TARGET_URL_MAX];		/* with the protocol's path */
	const char *tenant;			/* NULL: none */
	bool basic;				/* the secret is USER:PASSWORD, not a token */
	char secret[TARGET_SECRET_MAX];		/* "": none */
};

/* Whether the URL is one of http or https, without user, query and fragment. */
bool target_is_url(const char *url);
/* Whether the text can be the value of a header: printable ASCII. */
bool target_is_header(const char *text);

/* Sets the URL, which target_is_url(), with the path behind it. */
void target_set_url(struct target *target, const char *url, const char *path);
/* Reads the secret from a file. Returns 0, or -1 with a message. */
int target_read_secret(struct target *target, const char *path);

#endif
