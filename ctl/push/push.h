/* SPDX-License-Identifier: GPL-2.0 */
/* Sends captures to a server that stores profiles. */
#ifndef LBRCTL_PUSH_PUSH_H
#define LBRCTL_PUSH_PUSH_H

#include "export/store.h"

#define PUSH_LABELS_MAX	32

enum push_protocol { PUSH_PYROSCOPE, PUSH_OTLP };

struct push_options {
	const char *to;			/* a target_is_url() */
	enum push_protocol protocol;
	const char *service;		/* the name of the service; NULL: those of the processes */
	struct store_label labels[PUSH_LABELS_MAX];
	size_t nr_labels;
	const char *tenant;		/* NULL: none */
	const char *auth;		/* file; NULL: none */
	uint64_t retry;			/* ns */
};

/* Prints a line for each file, or the reason that it was not sent. Returns 0 if all were. */
int push_files(const struct push_options *options, char *const *files, size_t nr);

#endif
