/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process with three threads that name themselves, read a byte, and count down. User
 * instructions of the k-th by reading it, no libc, no loader: up to the read 11, the read's
 * included, and from there on 1 + 2 * 10^6 * k + 3. The first thread waits for them.
 */
#define FLAGS	0x350f00	/* VM FS FILES SIGHAND THREAD SYSVSEM PARENT_SETTID CHILD_CLEARTID */
	.globl	_start
	.section .note.GNU-stack, "", @progbits
	.bss
	.balign	8
tids:	.zero	16
byte:	.zero	8
	.section .rodata
	.balign	8
names:	.asciz	"none"
	.balign	8
	.asciz	"one"
	.balign	8
	.asciz	"two"
	.balign	8
	.asciz	"three"
	.text
	.type	_start, @function
_start:
	mov	$3, %ebx
1:	mov	$56, %eax		# clone(FLAGS, 0, &tids[k], &tids[k], 0)
	mov	$FLAGS, %edi
	xor	%esi, %esi
	lea	tids(,%rbx,4), %rdx
	mov	%rdx, %r10
	xor	%r8d, %r8d
	syscall
	test	%eax, %eax
	jz	4f
	dec	%ebx
	jnz	1b
	mov	$3, %ebx
2:	mov	tids(,%rbx,4), %edx
	test	%edx, %edx
	jz	3f
	mov	$202, %eax		# futex(&tids[k], FUTEX_WAIT, its value, NULL)
	lea	tids(,%rbx,4), %rdi
	xor	%esi, %esi
	xor	%r10d, %r10d
	syscall
	jmp	2b
3:	dec	%ebx
	jnz	2b
	mov	$231, %eax		# exit_group(0)
	xor	%edi, %edi
	syscall
4:	mov	$157, %eax		# prctl(PR_SET_NAME, names[k])
	mov	$15, %edi
	lea	names(,%rbx,8), %rsi
	syscall
	xor	%eax, %eax		# read(0, &byte, 1)
	xor	%edi, %edi
	mov	$byte, %esi
	mov	$1, %edx
	syscall
	imul	$1000000, %ebx, %ecx
5:	dec	%ecx
	jnz	5b
	mov	$60, %eax		# exit(0)
	xor	%edi, %edi
	syscall
	.size	_start, . - _start
