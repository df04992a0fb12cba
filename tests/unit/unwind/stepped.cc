// SPDX-License-Identifier: GPL-2.0
/* A program that is stepped through: frames of all kinds that compilers and the C library make. */
#include <alloca.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/mman.h>

#include "../../lib/made_code.h"

#define NODE __attribute__((noipa, noinline))

static volatile long sink;
static jmp_buf back;

NODE static long fibonacci(long n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* By rbp. */
NODE static long variable(long n)
{
	char *bytes = (char *)alloca(n * 24 + 8);

	memset(bytes, n, n * 24 + 8);
	sink += bytes[n];
	return n ? variable(n - 1) + fibonacci(4) : sink;
}

/* A larger alignment than the ABI's, and a variable size: the caller's stack pointer is in memory. */
NODE static long aligned(long n)
{
	alignas(64) volatile char block[128];
	char *bytes = (char *)alloca(n * 8 + 16);

	block[n] = 1;
	memset(bytes, 1, n * 8 + 16);
	sink += block[n] + bytes[n];
	return n ? aligned(n - 1) + fibonacci(3) : sink;
}

static int compare(const void *a, const void *b)
{
	sink += fibonacci(2);
	return *(const int *)a - *(const int *)b;
}

NODE static void sorted()
{
	int list[] = { 5, 3, 9, 1, 7, 2, 8 };

	qsort(list, sizeof(list) / sizeof(*list), sizeof(*list), compare);
	sink += list[0];
}

static void on_signal(int)
{
	sink += fibonacci(3);
}

NODE static void signalled(int number, int flags)
{
	struct sigaction action = {};
	static char other[65536];
	stack_t stack = {};

	stack.ss_sp = other;
	stack.ss_size = sizeof(other);
	if (flags)
		sigaltstack(&stack, nullptr);
	action.sa_handler = on_signal;
	action.sa_flags = flags;
	sigaction(number, &action, nullptr);
	raise(number);
}

NODE static void jump(long n)
{
	if (n)
		jump(n - 1);
	else if (sink)
		longjmp(back, 1);
	sink++;
}

struct Guard {
	~Guard() { sink += fibonacci(2); }
};

NODE static void throws(long n)
{
	Guard guard;

	if (!n)
		throw std::runtime_error("thrown");
	throws(n - 1);
	sink++;
}

NODE static void caught()
{
	try {
		throws(3);
	} catch (const std::exception &e) {
		sink += std::string(e.what()).size();
	}
}

/* Code of this file without call frame information: calls its argument behind a frame pointer. */
extern "C" long bare(long (*call)(long), long n);
extern "C" long bare_leaf(long n);
asm(".text\n"
    ".type bare, @function\n"
    "bare: push %rbp; mov %rsp, %rbp; push %rdi; push %rsi; push %rsi; push %rsi; mov %rsi, %rdi; call *-8(%rbp)\n"
    "mov %rax, %rdi; call bare_leaf; leave; ret\n"
    ".size bare, .-bare\n"
    ".fill 32, 1, 0xcc\n"
    ".type bare_leaf, @function\n"
    "bare_leaf: lea 1(%rdi), %rax; nop; nop; ret\n"
    ".size bare_leaf, .-bare_leaf\n"
    ".fill 32, 1, 0xcc\n");

/* The same in anonymous memory. */
typedef long (*made)(long (*call)(long), long n);
static made make_code()
{
	static const unsigned char leaf[] = { 0x48, 0x8d, 0x47, 0x01, 0x90, 0x90, 0xc3 };	/* lea 1(%rdi), %rax; nop; nop; ret */
	void *memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(memory, made_code, sizeof(made_code));
	memcpy((char *)memory + MADE_CODE_LEAF, leaf, sizeof(leaf));
	return (made)memory;
}

static made jit;

NODE static long through_made(long n)
{
	return n ? jit(through_made, n - 1) + fibonacci(2) : 1;
}

NODE static long through_bare(long n)
{
	return n ? bare(through_bare, n - 1) + fibonacci(2) : 1;
}

int main()
{
	char text[64];

	sink = fibonacci(6) + variable(4) + aligned(4);
	jit = make_code();
	for (int i = 0; i < 10; i++)
		sink += through_made(5) + through_bare(5);
	sorted();
	signalled(SIGUSR1, 0);
	signalled(SIGUSR2, SA_ONSTACK);
	if (!setjmp(back))
		jump(3);
	caught();
	snprintf(text, sizeof(text), "%.3f %s %ld", sink / 7.0, "done", sink);
	puts(text);
	return 0;
}
