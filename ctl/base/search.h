/* SPDX-License-Identifier: GPL-2.0 */
/* Binary search for a position in a sorted list; bsearch() only finds equal elements. */
#ifndef LBRCTL_BASE_SEARCH_H
#define LBRCTL_BASE_SEARCH_H

#include <stddef.h>

/*
 * Number of elements at the front of a sorted list of nr elements for which the condition
 * holds. The condition must hold for no element behind these. i: a name for the element's
 * index in the condition:
 *
 *	search_front(list->nr, i, list->start[i] <= address)
 */
#define search_front(nr, i, condition)						\
	({									\
		size_t search_low = 0, search_high = (nr);			\
										\
		while (search_low < search_high) {				\
			size_t i = search_low + (search_high - search_low) / 2;	\
										\
			if (condition)						\
				search_low = i + 1;				\
			else							\
				search_high = i;				\
		}								\
		search_low;							\
	})

#endif
