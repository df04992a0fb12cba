/* SPDX-License-Identifier: GPL-2.0 */
/* perf's verbs and options that lbrctl does not have, and what it has in their place. */
#ifndef LBRCTL_VERBS_PERFWORDS_H
#define LBRCTL_VERBS_PERFWORDS_H

/* Returns the answer to one of perf's verbs, a sentence for a refusal; NULL: perf has no such verb either. */
const char *perfwords_verb(const char *name);

/* The same for an option of a verb, "--all-user" or "-u". */
const char *perfwords_option(const char *verb, const char *option);

#endif
