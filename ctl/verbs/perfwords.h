/* SPDX-License-Identifier: GPL-2.0 */
/* perf's verbs and options that lbrctl does not have, and what it has in their place. */
#ifndef LBRCTL_VERBS_PERFWORDS_H
#define LBRCTL_VERBS_PERFWORDS_H

/* Returns the answer to an option of a verb, "--all-user" or "-u", or with verb "" to a verb: a sentence for a
 * refusal. NULL: perf has no such word either. */
const char *perfwords_answer(const char *verb, const char *word);

#endif
