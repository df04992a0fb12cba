/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How deep the user stack is, in bytes, stands in the name of each loop; all run equally
 * long. "at" is the process' own stack, "thread" a thread's, "other" one of its own
 * making, where the number means nothing. After exec, with an argument, the same depth is
 * another address. No libc, no loader.
 *
 * ../depth.test has the names. The handler calls nothing, and returns.
 */
	.set	ROUNDS, 3000000
	.set	SIZE, 0x10000
	.section .note.GNU-stack, "", @progbits
	.bss
	.balign	16
area:	.skip	SIZE
child:	.skip	8
	.data
self:	.asciz	"/proc/self/exe"
again:	.quad	self, self, 0

	.macro	turn name
	.globl	\name
	.type	\name, @function
	mov	$ROUNDS, %ecx
	jmp	\name
\name:	dec	%ecx
	jnz	\name
	.size	\name, . - \name
	.endm

	.text
	.globl	_start
_start:
	mov	(%rsp), %r12		# argc
	turn	at_0
	sub	$4096, %rsp
	turn	at_4096
	cmp	$2, %r12
	je	leave
	mov	$57, %eax		# fork: goes on in a copy
	syscall
	test	%eax, %eax
	jnz	1f
	sub	$1000, %rsp
	turn	at_5096
	jmp	leave
1:	call	wait
	mov	$56, %eax		# clone a thread, which clears `child` at its end
	mov	$0x250f00, %edi
	mov	$area + SIZE, %esi
	xor	%edx, %edx
	mov	$child, %r10d
	xor	%r8d, %r8d
	movl	$1, child
	syscall
	test	%eax, %eax
	jnz	2f
	turn	thread_0
	sub	$512, %rsp
	turn	thread_512
	mov	$60, %eax
	xor	%edi, %edi
	syscall
2:	cmpl	$0, child
	pause
	jne	2b
	mov	%rsp, %rbx
	mov	$area + SIZE, %esp
	turn	other
	mov	%rbx, %rsp
	mov	$59, %eax		# execve("/proc/self/exe", { it, it }, { })
	mov	$self, %edi
	mov	$again, %esi
	xor	%edx, %edx
	syscall
leave:	mov	$231, %eax		# exit_group
	xor	%edi, %edi
	syscall

wait:	mov	$61, %eax		# wait4
	mov	$-1, %rdi
	xor	%esi, %esi
	xor	%edx, %edx
	xor	%r10d, %r10d
	syscall
	ret
