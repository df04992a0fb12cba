/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code as a JIT compiler makes it: a function that has a frame pointer and no call frame information.
 * It calls its first argument with its second one, then the leaf with the result, and returns what
 * the leaf returns. The leaf is MADE_CODE_LEAF bytes behind its beginning.
 */
#ifndef TESTS_MADE_CODE_H
#define TESTS_MADE_CODE_H

#define MADE_CODE_LEAF	64

static const unsigned char made_code[] = {
	0x55, 0x48, 0x89, 0xe5,			/* push %rbp; mov %rsp, %rbp */
	0x57, 0x56, 0x56, 0x56,			/* push %rdi; push %rsi, three times */
	0x48, 0x89, 0xf7,			/* mov %rsi, %rdi */
	0xff, 0x55, 0xf8,			/* call *-8(%rbp) */
	0x48, 0x89, 0xc7,			/* mov %rax, %rdi */
	0xe8, 0x2a, 0x00, 0x00, 0x00,		/* call the leaf */
	0xc9, 0xc3,				/* leave; ret */
};

#endif
