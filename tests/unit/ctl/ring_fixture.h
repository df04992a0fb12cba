/* SPDX-License-Identifier: GPL-2.0 */
/* A ring in memory with its reader: for the tests of ctl/module/ring.c. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "memory_ring.h"
#include "module/ring.h"

static struct memory_ring memory;
static struct ring_reader reader;

static inline int setup(void **state)
{
	(void)state;
	memory_ring_init(&memory);
	return ring_reader_init(&reader, memory.ring, &memory.tail,
				MEMORY_RING_LEN);
}

static inline int teardown(void **state)
{
	(void)state;
	memory_ring_free(&memory);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
