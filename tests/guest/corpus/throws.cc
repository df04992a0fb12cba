// SPDX-License-Identifier: GPL-2.0
/* Frames that an exception leaves, with destructors on its way, and what runs behind. */
#include "corpus.h"

struct guard {
	long s;
	~guard() { BURN(s); }
};

NODE long thrown(long s)
{
	BURN(s);
	throw s;
}

extern "C" {
NODE long guarded(long s)
{
	guard g = { s };

	return thrown(s) + g.s;
}
CHAIN(cast, guarded(s))
CHAIN(caught, s + 1)

NODE long throws(long s)
{
	try {
		s = cast_1(s);
	} catch (long e) {
		s = caught_1(e);
	}
	s = caught_1(s);
	BURN(s);
	return s;
}

/* Left into the middle of a recursion, which then returns. */
DEPTHS(t)
NODE long tagain(long s, int depth)
{
	BURN(s);
	s += tat[depth - 1](s);
	if (depth == 8)
		throw s;
	try {
		s += tagain(s, depth + 1);
	} catch (long e) {
		if (depth != 3)
			throw;
	}
	s += tat[depth - 1](s);
	BURN(s);
	return s;
}

CHAIN(ret, tagain(s, 1))
}
