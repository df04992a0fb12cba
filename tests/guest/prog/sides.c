// SPDX-License-Identifier: GPL-2.0
/*
 * sides [PERCENT]...: calls a function through one of two others of the same size, again and again. The
 * innermost function says by its name which, so that a sample there has one true stack. It executes
 * itself once for each argument; all are the same.
 *
 * In PERCENT of the rounds the LBR has the other of the two, and nothing shows it but memory: the calls
 * through that one were left without a return, and take the place of the true ones, which jumps by
 * `ret` have removed (SDM vol. 3B, "LBR Stack", call-stack mode). The frames have the same size.
 *
 * There is no C library: _start() is the outermost function, and no call was open before it.
 */
#define NOINLINE __attribute__((noinline, noclone, noipa))

enum { PASS, LEAVE, WRONG };

static volatile char sink;
static void *back[5];

/* About the period of audit.test: one sample in each. */
static inline __attribute__((always_inline)) void burn(void)
{
	for (long i = 0; i < 9700; i++)
		__asm__ volatile("");
}

static NOINLINE void at_left(void) { burn(); }
static NOINLINE void at_right(void) { burn(); }

static NOINLINE void leave(void)
{
	__builtin_longjmp(back, 1);
}

/* Takes a call from the LBR. */
#define JUMP __asm__ volatile("lea 1f(%%rip), %%rax; push %%rax; ret; 1:" ::: "rax", "memory")

static NOINLINE void inner(long what, long right)
{
	if (what == LEAVE)
		leave();
	if (what == WRONG) {
		JUMP;
		JUMP;
		JUMP;
	}
	if (right)
		at_right();
	else
		at_left();
	sink = 0;
}

static NOINLINE void left(long what) { inner(what, 0); sink = 0; }
static NOINLINE void right(long what) { inner(what, 1); sink = 0; }
static void (*const sides[])(long) = { left, right };

__attribute__((used)) static NOINLINE void once(unsigned long number, unsigned long percent)
{
	unsigned long random = number * 0x9e3779b97f4a7c15 >> 32;
	long side = random & 1, wrong = (random >> 8) % 100 < percent;

	if (wrong && !__builtin_setjmp(back))
		sides[!side](LEAVE);
	sides[side](wrong ? WRONG : PASS);
	sink = 0;
}

__attribute__((used)) static NOINLINE unsigned long number_of(const char *text)
{
	unsigned long number = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + *text - '0';
	return number;
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
	"	mov	(%rsp, %r12, 8), %rdi\n"	/* the last argument */
	"	call	number_of\n"
	"	mov	%rax, %r14\n"
	"	mov	$3000, %ebx\n"
	"1:	imul	$10000, %r12, %rdi\n"
	"	add	%rbx, %rdi\n"
	"	mov	%r14, %rsi\n"
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
