// SPDX-License-Identifier: GPL-2.0
/*
 * The service of lbrctl-guide(7): threads that handle orders, with three faults in known lines.
 * A checksum works bit by bit, a matrix is summed by columns, and a lock is held while its
 * owner waits for something else.
 *
 *   shop THREADS ORDERS
 *
 * Each thread handles that many orders. The result goes to stdout, so that nothing is left out.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ORDER_BYTES	4000
#define ARTICLES	1024
#define SHOPS		1024

static uint32_t stock[ARTICLES][SHOPS];
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t logged;
static unsigned long orders;

/* The hot loop: eight rounds for each byte, where a table needs one. */
static __attribute__((noinline)) uint32_t order_checksum(const uint8_t *order, size_t size)
{
	uint32_t crc = ~0U;

	for (size_t i = 0; i < size; i++) {
		crc ^= order[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0xedb88320 & -(crc & 1)); /* line: hot loop */
	}
	return ~crc;
}

/* The cache-hostile walk: one article of all shops lies in as many cache lines. */
static __attribute__((noinline)) uint64_t stock_of_articles(unsigned int first, unsigned int nr)
{
	uint64_t sum = 0;

	for (unsigned int shop = first; shop < first + nr; shop++)
		for (unsigned int article = 0; article < ARTICLES; article++)
			sum += stock[article][shop % SHOPS]; /* line: cache-hostile walk */
	return sum;
}

/* The contended lock: its owner waits, as for a disk, and everybody else for him. */
static __attribute__((noinline)) void log_order(uint64_t what)
{
	const struct timespec disk = { .tv_nsec = 2000000 };

	pthread_mutex_lock(&log_lock); /* line: contended lock */
	logged += what;
	nanosleep(&disk, NULL);
	pthread_mutex_unlock(&log_lock);
}

static __attribute__((noinline)) void order_read(uint8_t *order, unsigned long number)
{
	for (size_t i = 0; i < ORDER_BYTES; i++)
		order[i] = number * 31 + i;
}

static __attribute__((noinline)) void order_handle(unsigned long number)
{
	uint8_t order[ORDER_BYTES];
	uint64_t left;

	order_read(order, number);
	left = stock_of_articles(number, 2);
	log_order(left + order_checksum(order, sizeof(order)));
}

static void *work(void *unused)
{
	for (unsigned long i = 0; i < orders; i++)
		order_handle(i);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	int nr = argc == 3 ? atoi(argv[1]) : 0;

	orders = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	if (nr < 1 || nr > 64 || !orders) {
		fprintf(stderr, "usage: shop THREADS ORDERS\n");
		return 2;
	}
	memset(stock, 1, sizeof(stock));
	for (int i = 0; i < nr; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	printf("%lu\n", (unsigned long)logged);
	return 0;
}
