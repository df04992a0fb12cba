/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program of two phases that take turns, whose counts are known by reading it, no libc, no
 * loader. In each of 100 rounds
 *
 *   dense    1 + 2 * 10^5 instructions, every second one a branch
 *   sparse   1 + 2 * 10^5 instructions, every twentieth one a branch
 *
 * In all 100 * (400002 + 2) + 4 = 40000404 instructions and 100 * (110000 + 1) + 1 = 11000101
 * branches.
 */
	.globl	_start, dense, sparse
	.section .note.GNU-stack, "", @progbits
	.text
	.type	_start, @function
_start:
	mov	$100, %ebx
	.type	dense, @function
dense:
	mov	$100000, %ecx
1:	dec	%ecx
	jnz	1b
	.size	dense, . - dense
	.type	sparse, @function
sparse:
	mov	$10000, %ecx
2:	.rept	18
	nop
	.endr
	dec	%ecx
	jnz	2b
	dec	%ebx
	jnz	dense
	mov	$60, %eax
	xor	%edi, %edi
	syscall
	.size	sparse, . - sparse
