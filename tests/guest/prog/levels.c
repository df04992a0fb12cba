// SPDX-License-Identifier: GPL-2.0
/*
 * levels [WORD]...: calls a recursion again and again, whose innermost function says by its name how
 * deep it is, so that a sample there has one true stack. It executes itself once for each WORD.
 *
 * The frames have no fixed size: the depth of the stack does not show that a level is missing.
 * There is no C library: _start() is the outermost function, and no call was open before it.
 */
#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile char sink;

/* About the period of audit.test: one sample in each. */
static inline __attribute__((always_inline)) void burn(void)
{
	for (long i = 0; i < 9700; i++)
		__asm__ volatile("");
}

#define AT(n)	static NOINLINE void at_##n(void) { burn(); }
AT(3) AT(4) AT(5) AT(6) AT(7) AT(8) AT(9) AT(10) AT(11) AT(12)
static void (*const at[])(void) = { at_3, at_4, at_5, at_6, at_7, at_8, at_9, at_10, at_11, at_12 };

static NOINLINE void down(long left, long depth)
{
	volatile char *room = __builtin_alloca(16 + 16 * (left & 3));

	room[0] = left;
	if (left > 1)
		down(left - 1, depth);
	else
		at[depth - 3]();
	sink = room[0];
}

__attribute__((used)) static NOINLINE void once(unsigned long number)
{
	long depth = 3 + (number * 0x9e3779b97f4a7c15 >> 32) % 10;

	down(depth, depth);
	sink = 0;
}

__asm__(".pushsection .rodata\n"
	"self:	.asciz \"/proc/self/exe\"\n"
	"	.popsection\n"
	"	.globl _start\n"
	"	.type _start, @function\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined %rip\n"
	"	mov	(%rsp), %r12\n"			/* argc */
	"	lea	16(%rsp), %r13\n"		/* &argv[1] */
	"	mov	$800, %ebx\n"
	"1:	imul	$1000, %r12, %rdi\n"
	"	add	%rbx, %rdi\n"
	"	call	once\n"
	"	dec	%ebx\n"
	"	jnz	1b\n"
	"	cmp	$1, %r12\n"
	"	je	2f\n"
	"	mov	$59, %eax\n"			/* execve */
	"	mov	$self, %edi\n"
	"	mov	%r13, %rsi\n"
	"	xor	%edx, %edx\n"
	"	syscall\n"
	"2:	mov	$60, %eax\n"			/* exit */
	"	xor	%edi, %edi\n"
	"	syscall\n"
	"	.cfi_endproc\n"
	"	.size _start, . - _start\n");
