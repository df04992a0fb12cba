/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program whose counts are known by reading it, no libc, no loader:
 *
 *   instructions  1 + 2 * 10^7 + 3 = 20000004
 *   branches      10^7 (the jnz, taken or not) + 1 (syscall is a far branch)
 *   taken         10^7 - 1 of the jnz, and the syscall
 */
	.globl	_start
	.section .note.GNU-stack, "", @progbits
	.text
	.type	_start, @function
_start:
	mov	$10000000, %rcx
1:	dec	%rcx
	jnz	1b
	mov	$60, %eax
	xor	%edi, %edi
	syscall
	.size	_start, . - _start
