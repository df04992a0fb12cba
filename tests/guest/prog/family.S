/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process with children, one after the other, whose counts are known by
 * reading it, no libc, no loader. Of eight:
 *
 *   instructions  parent 1 + 8 * 12 + 1 + 3 = 101, each child 2 + 1 + 2 * 10^6 + 3:
 *                 16000149 in all
 *   branches      parent 8 * 4 (fork, jz, wait4, jnz) + jmp + exit, each
 *                 child jz + 10^6 + exit: 8000050
 */
#ifndef CHILDREN
#define CHILDREN	8
#define ROUNDS		1000000
#endif
	.globl	_start
	.section .note.GNU-stack, "", @progbits
	.text
	.type	_start, @function
_start:
	mov	$CHILDREN, %ebx
1:	mov	$57, %eax		# fork
	syscall
	test	%eax, %eax
	jz	3f
	mov	$61, %eax		# wait4(-1, NULL, 0, NULL)
	mov	$-1, %rdi
	xor	%esi, %esi
	xor	%edx, %edx
	xor	%r10d, %r10d
	syscall
	dec	%ebx
	jnz	1b
	jmp	4f
3:	mov	$ROUNDS, %ecx
2:	dec	%ecx
	jnz	2b
4:	mov	$60, %eax		# exit(0)
	xor	%edi, %edi
	syscall
	.size	_start, . - _start
