// SPDX-License-Identifier: GPL-2.0
/*
 * Four threads, each with functions of its own: w2_c is only called by w2_b, that only by
 * w2_a, that only by w2, which the C library's thread start calls. They pass a mutex round, so
 * that they switch in the kernel as well as by the clock. Argument: rounds.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define NODE __attribute__((noipa))

static volatile uint64_t sink;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static uint64_t rounds = 1000;

#define WORKER(w)							\
NODE static uint64_t w##_c(uint64_t s)					\
{									\
	for (int i = 0; i < 4000; i++)					\
		s = s * 6364136223846793005ull + 1;			\
	sink = s;							\
	return s;							\
}									\
NODE static uint64_t w##_b(uint64_t s) { s = w##_c(s); sink = s; return s + 1; } \
NODE static uint64_t w##_a(uint64_t s) { s = w##_b(s); sink = s; return s + 1; } \
NODE static void *w(void *arg)						\
{									\
	uint64_t s = 1;							\
									\
	for (uint64_t i = 0; i < rounds; i++) {				\
		s += w##_a(s);						\
		if (i % 16 == 0) {					\
			pthread_mutex_lock(&turn);			\
			s += w##_a(s);					\
			pthread_mutex_unlock(&turn);			\
		}							\
	}								\
	return arg;							\
}

WORKER(w0) WORKER(w1) WORKER(w2) WORKER(w3)

int main(int argc, char **argv)
{
	static void *(*const entry[])(void *) = { w0, w1, w2, w3 };
	pthread_t t[4];

	if (argc > 1)
		rounds = strtoull(argv[1], NULL, 0);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, entry[i], NULL))
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
