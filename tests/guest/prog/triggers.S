/* SPDX-License-Identifier: GPL-2.0 */
/*
 * 100 rounds, each with one store to `watched`, one call of `known` and one getppid(),
 * and by the same branches each time. No libc, no loader.
 *
 * In the order in which they are taken, and as triggers.py calls them:
 *
 *   b1 -> outer    call
 *   b2 -> t2       jump
 *   b3 -> inner    call
 *   b4 -> t4       conditional
 *                  the store, at `store`; `stored` is behind it
 *   b5 -> known    call through a register
 *   b6 -> t6       return
 *                  getppid(), at `asked`
 *   b8 -> t8       return to outer
 *   b9 -> t9       return to _start
 *   b10 -> round   conditional
 *
 * SCHED_FIFO: no other task runs meanwhile. The pages are touched before, but
 * interrupts do come.
 */
	.globl	_start, outer, inner, known, watched
	.globl	round, store, stored, asked
	.globl	b1, b2, b3, b4, b5, b6, b8, b9, b10, t2, t4, t6, t8, t9
	.section .note.GNU-stack, "", @progbits

	.data
	.balign	4096
watched:
	.quad	0
beside:
	.quad	0
priority:
	.long	1

	.text
	.type	_start, @function
_start:
	mov	$144, %eax		/* sched_setscheduler(0, SCHED_FIFO, 1) */
	xor	%edi, %edi
	mov	$1, %esi
	lea	priority(%rip), %rdx
	syscall
	mov	%rax, beside(%rip)
	push	%rax
	pop	%rax
	mov	$100, %ebx
	lea	known(%rip), %r12
round:
b1:	call	outer
t9:	dec	%ebx
b10:	jnz	round
	mov	$60, %eax
	xor	%edi, %edi
	syscall
	ud2
	.size	_start, . - _start

	.type	outer, @function
outer:
b2:	jmp	t2
	ud2
t2:
b3:	call	inner
t8:
b9:	ret
	.size	outer, . - outer

	.type	inner, @function
inner:
	xor	%eax, %eax
b4:	jz	t4
	ud2
t4:
store:	mov	%rbx, watched(%rip)
stored:	nop
b5:	call	*%r12
t6:	mov	$110, %eax		/* getppid() */
	syscall
asked:	nop
b8:	ret
	.size	inner, . - inner

	.type	known, @function
known:
	lea	1(%rax), %rax
b6:	ret
	.size	known, . - known
