/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_BITOPS_H
#define SHIM_BITOPS_H

#include <linux/types.h>

static inline unsigned long __ffs64(u64 word)
{
	return __builtin_ctzll(word);
}

static inline unsigned long hweight64(u64 word)
{
	return __builtin_popcountll(word);
}

static inline unsigned int hweight32(u32 word)
{
	return __builtin_popcount(word);
}

#endif
