// SPDX-License-Identifier: GPL-2.0
/*
 * A program without call frame information and without the C library. Its start code is musl's (arch/
 * x86_64/crt_arch.h): functions lie directly behind the call of the start function. Stripped, nothing
 * says where that code ends. It only calls and returns: start first second spin.
 */
#define NOINLINE __attribute__((noinline, noclone))

static volatile long sink;

__asm__(".text\n.globl _start\n.type _start, @function\n_start: xor %ebp, %ebp\nmov %rsp, %rdi\n"
	"lea data(%rip), %rsi\nand $-16, %rsp\ncall start\n.size _start, . - _start\n");
long data;

NOINLINE long spin(long n)
{
	long x = 1;

	while (n--)
		x = x * 1664525 + sink;
	return x;
}

NOINLINE long second(long n) { return spin(n) + sink; }
NOINLINE long first(long n) { return second(n) + sink; }

void start(void)
{
	sink = first(3000000);
	__asm__ volatile("syscall" : : "a"(60), "D"(0));
}
