/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions whose names state their callers: p_3 is called only by p_2, p_2 only by p_1, and
 * p_1 by the functions in corpus.py's table for p. Each burns time of its own before and after
 * its call.
 */
#ifndef CORPUS_H
#define CORPUS_H

#ifdef __cplusplus
extern "C" {
#endif

extern volatile long corpus_sink;

/* Keeps the linker from merging functions with equal code. */
#ifdef __clang__
#define NODE __attribute__((noinline))
#else
#define NODE __attribute__((noipa))
#endif
#define BURN(s)								\
	do {								\
		for (int burnt = 0; burnt < 60; burnt++)		\
			corpus_sink = (s) = (s) * 6364136223846793005L + 1; \
	} while (0)

/* Function n of chain p; `inner` is its call. */
#define LINK(p, n, inner)						\
	NODE long p##_##n(long s)					\
	{								\
		volatile char room[n * 7 % 5 * 8 + 1];			\
									\
		room[0] = (char)s;					\
		BURN(s);						\
		s += inner;						\
		BURN(s);						\
		return s + room[0];					\
	}

/* Four of them: the last one executes `inner`. */
#define CHAIN(p, inner)							\
	LINK(p, 4, inner) LINK(p, 3, p##_4(s)) LINK(p, 2, p##_3(s)) LINK(p, 1, p##_2(s))

/* Leaves whose names state how many times p##again is on the stack. */
#define DEPTHS(p)							\
	AT(p, 1) AT(p, 2) AT(p, 3) AT(p, 4) AT(p, 5) AT(p, 6) AT(p, 7) AT(p, 8)	\
	static long (*const p##at[])(long) = { p##at_1, p##at_2, p##at_3,	\
		p##at_4, p##at_5, p##at_6, p##at_7, p##at_8 };
#define AT(p, n) NODE long p##at_##n(long s) { BURN(s); return s + n; }

long throws(long s);
long ret_1(long s);

#ifdef __cplusplus
}
#endif

#endif
