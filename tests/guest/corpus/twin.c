// SPDX-License-Identifier: GPL-2.0
/* Compiled twice, for wild.c: a static function with the same name in both. */
#include "corpus.h"

#if TWIN == 1
#define CALLED	tia_1
#define NAME	twin_first
#else
#define CALLED	tib_1
#define NAME	twin_second
#endif

long CALLED(long s);

static NODE long twin(long s)
{
	BURN(s);
	s += CALLED(s);
	BURN(s);
	return s;
}

NODE long NAME(long s)
{
	BURN(s);
	s += twin(s);
	BURN(s);
	return s;
}
