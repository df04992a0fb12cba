// SPDX-License-Identifier: GPL-2.0
/*
 * Leaves a recursion by longjmp(), from the ninth call into the fourth, and spends its time under the
 * second: the LBR has calls then that are not open. The true stack there is main rec rec work spin, with
 * `through` between the calls if there is one. By how it is made, something keeps the stack from being
 * proved: SIZE bytes of work() that are never written, beyond which memory is not read; no call frame
 * information (-fno-asynchronous-unwind-tables); THROUGH, a function without it between the calls, or
 * with JIT, code made at run time. The files have no build id.
 */
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>

#define NOINLINE __attribute__((noinline, noclone))

static jmp_buf back;
static volatile long sink;

long through(long depth, long (*to)(long));
__asm__(".text\n.type through, @function\nthrough:\nsub $8, %rsp\ncall *%rsi\nadd $8, %rsp\nret\n"
	".size through, . - through\n");
static long (*volatile by)(long, long (*)(long)) = through;

static NOINLINE long spin(long n)
{
	long x = 1;

	while (n--)
		x = x * 1664525 + sink;
	return x;
}

static NOINLINE long work(long n)
{
	volatile char room[SIZE];

	room[0] = 1;
	return spin(n) + room[0];
}

static NOINLINE long rec(long depth)
{
	volatile long sum = 0;

	if (depth == 9)
		longjmp(back, 1);
	if (depth != 4 || !setjmp(back))
#ifdef THROUGH
		sum = by(depth + 1, rec);
#else
		sum = rec(depth + 1);
#endif
	if (depth == 1)
		sum += work(3000000);
	return sum + 1;
}

int main(void)
{
#ifdef JIT
	void *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 1;
	by = memcpy(code, (void *)through, 16);
#endif
	sink = rec(0);
	return 0;
}
