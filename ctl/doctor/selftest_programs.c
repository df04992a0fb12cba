// SPDX-License-Identifier: GPL-2.0
/* The programs of the self-test. The number of their instructions is known exactly. */
#include "doctor/selftest_programs.h"

/* A chain of calls, with the numbers of selftest_programs.h: links, and bytes of each. Its last
 * link calls what follows. */
#define CHAIN		\
"	.rept	40\n"	\
"	call	1f\n"	\
"	ret\n"		\
"	.balign	16\n"	\
"1:\n"			\
"	.endr\n"

__asm__(
"	.text\n"
"	.globl	selftest_loop, selftest_loop_jump, selftest_calls, selftest_links\n"
"	.balign	16\n"
"selftest_loop:\n"
"	dec	%rdi\n"
"selftest_loop_jump:\n"
"	jnz	selftest_loop\n"
"	ret\n"
"\n"
"	.balign	16\n"
"selftest_calls:\n"
"	lea	3f(%rip), %rax\n"
"1:	call	2f\n"
"	call	*%rax\n"
"	dec	%rdi\n"
"	jnz	1b\n"
"	ret\n"
"2:	ret\n"
"3:	ret\n"
"\n"
"	.balign	16\n"
"selftest_links:\n"
CHAIN
"2:	dec	%rdi\n"
"	jnz	2b\n"
"	ret\n"
"\n"
"	.globl	selftest_turns, selftest_turns_end\n"
"	.balign	16\n"
"selftest_turns:\n"
CHAIN
"2:	mov	$1000, %edx\n"
"3:	dec	%edx\n"
"	jnz	3b\n"
"	mov	$24, %eax\n"		/* sched_yield */
"	syscall\n"
"	dec	%rdi\n"
"	jnz	2b\n"
"	ret\n"
"selftest_turns_end:\n"
);
