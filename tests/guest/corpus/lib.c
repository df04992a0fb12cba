// SPDX-License-Identifier: GPL-2.0
/* Two libraries of the same size, with different functions at the same address. */
#include "corpus.h"

volatile long corpus_sink;

#if LIB == 1
CHAIN(ln, s + 1)
#else
NODE long lm_0(long s)
{
	for (int i = 0; i < 3; i++)
		BURN(s);
	return s;
}
LINK(lm, 5, s + 1)
LINK(lm, 4, lm_5(s)) LINK(lm, 3, lm_4(s)) LINK(lm, 2, lm_3(s)) LINK(lm, 1, lm_2(s))
#endif
