// SPDX-License-Identifier: GPL-2.0
/*
 * A program that makes code while it runs, as a JIT compiler does: it has no call frame information,
 * its functions have frame pointers, and the loop that takes the time has no frame. This file's code has
 * call frame information, and no frame pointers.
 *
 * MADE: the function that calls back, whose leaf is the loop. main() calls again(), that calls the made
 * function, that calls again() ..., DEPTH times.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "../../lib/made_code.h"

#define MADE	0x10000000	/* whole.sh knows this, and where the leaf is */
#define DEPTH	6

typedef long (*made)(long (*call)(long), long n);

static volatile long sink;

static void make(void)
{
	static const unsigned char loop[] = {
		0xb8, 0x20, 0xa1, 0x07, 0x00,		/* mov $500000, %eax */
		0x48, 0x8d, 0x7f, 0x01,			/* lea 1(%rdi), %rdi */
		0xff, 0xc8,				/* dec %eax */
		0x75, 0xf8,				/* jne to the lea */
		0x48, 0x89, 0xf8, 0xc3,			/* mov %rdi, %rax; ret */
	};
	char *at = mmap((void *)MADE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	memcpy(at, made_code, sizeof(made_code));
	memcpy(at + MADE_CODE_LEAF, loop, sizeof(loop));
}

__attribute__((noinline, noclone))
static long again(long n)
{
	return n ? ((made)MADE)(again, n - 1) + sink : sink;
}

int main(void)
{
	make();
	for (;;)
		sink += again(DEPTH);
}
