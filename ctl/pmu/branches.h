/* SPDX-License-Identifier: GPL-2.0 */
/* Decodes LBR entries, and parses the options that filter branches. */
#ifndef LBRCTL_PMU_BRANCHES_H
#define LBRCTL_PMU_BRANCHES_H

#include <linux/lbrscope.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Branch histories: the filters, in perf's words, the module's and the file's; and the meaning
 * of the registers' words.
 */

/*
 * Parses perf's -j, as far as the registers can filter: a list of any, any_call, any_ret,
 * ind_call, ind_jmp, cond, call, u, k. Without a level *filter has none, without a kind all of
 * them. Returns 0, or -1 with one sentence, without a full stop, in why.
 */
int branches_parse(const char *text, uint32_t *filter, char *why, size_t size);

/* Returns the branch_sample_type that perf would have used. */
uint64_t branches_sample_type(uint32_t filter, uint32_t lbr_format);

/* Whether the words of this format can be read by branches_entry(). */
bool branches_known(uint32_t lbr_format);

/* Decodes an entry's words (info: 0 in formats without it). Returns false if the entry is not valid. */
bool branches_entry(uint32_t lbr_format, uint64_t from, uint64_t to,
		    uint64_t info, struct perf_branch_entry *entry);

/* Whether FROM and TO are plain addresses, because the flags have a word of their own. */
static inline bool branches_are_addresses(uint32_t lbr_format)
{
	return lbr_format == LBRSCOPE_LBR_FORMAT_INFO ||
	       lbr_format == LBRSCOPE_LBR_FORMAT_INFO2 ||
	       lbr_format == LBRSCOPE_LBR_FORMAT_ARCH;
}

#endif
