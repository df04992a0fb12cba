/* SPDX-License-Identifier: GPL-2.0 */
/* The answer of OTLP, ExportProfilesServiceResponse of the version that export/otlp.c names. */
#ifndef LBRCTL_PUSH_OTLP_ANSWER_H
#define LBRCTL_PUSH_OTLP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct otlp_answer {
	uint64_t rejected;	/* profiles */
	char message[256];	/* shortened */
};

/* Returns whether the bytes are such an answer. */
bool otlp_answer_read(const void *bytes, size_t nr, struct otlp_answer *answer);

#endif
