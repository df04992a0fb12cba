/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every kind of near branch, each once a round; no libc, no loader. What happens, in
 * user mode, with R = 100000 rounds:
 *
 *   instructions   4 + 19 R + 3, and 49980: those times that `flip` is not taken, by the
 *                  lowest bit of xorshift64 from 1
 *   branches       8 R, and the syscall
 *   conditional    2 R; the one at `flip` goes either way at random
 *   calls, returns 2 R each; R of the calls are direct
 *   indirect       2 R: a call and a jump
 *   not taken      49980, and the last jump back
 */
	.globl	_start, flip
	.section .note.GNU-stack, "", @progbits
	.text
_start:
	mov	$100000, %ebx
	mov	$1, %r12d
	lea	indirect(%rip), %r13
	lea	jumped(%rip), %r14
round:
	mov	%r12, %rax
	shl	$13, %rax
	xor	%rax, %r12
	mov	%r12, %rax
	shr	$7, %rax
	xor	%rax, %r12
	mov	%r12, %rax
	shl	$17, %rax
	xor	%rax, %r12
	test	$1, %r12b
flip:
	jnz	1f
	nop
1:	call	direct
	call	*%r13
	jmp	2f
	ud2
2:	jmp	*%r14
	ud2
jumped:
	dec	%ebx
	jnz	round
	mov	$60, %eax
	xor	%edi, %edi
	syscall
	ud2
direct:
	ret
indirect:
	ret
