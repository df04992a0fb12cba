/* SPDX-License-Identifier: GPL-2.0 */
/* The options of lbrctl record about call stacks. */
#ifndef LBRCTL_VERBS_STACKS_H
#define LBRCTL_VERBS_STACKS_H

#include "record/record.h"

/* Parse an option's text (NULL: none), as a row of options_option does; `options` is the
 * struct record_options. */
int stacks_graph(const char *verb, const char *text, void *options);
int stacks_window(const char *verb, const char *text, void *options);
int stacks_audit(const char *verb, const char *text, void *options);

/* Checks them when all options are known. Returns 0, or the exit status with the reason
 * printed. */
int stacks_check(struct record_options *options);

#endif
