/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every register has a value of its own, and every word of the stack its own address,
 * while one loop after the other runs, which changes nothing but a word elsewhere and
 * the flags:
 *
 *   full     the stack goes on for more than the largest window
 *   end      it ends 1003 bytes after sp, and nothing is mapped behind it
 *   nothing  sp is where nothing is mapped
 *   kernel   sp is where the kernel is
 *   absent   as full, but the second page was given back and is not in memory
 *   calls    read() of /dev/zero, over and over, with a stack as in absent
 *
 * ../samples.py knows the values. No libc, no loader.
 */
	.globl	_start, full, end, nothing, kernel, absent, calls, done
	.set	STACK, 0x20000000
	.set	SIZE, 0x10000
	.set	PAGE, 0x1000
	.set	ROUNDS, 2000000
	.set	CALLS, 20000
	.section .note.GNU-stack, "", @progbits
	.bss
left:	.skip	8
buffer:	.skip	64
	.data
zero:	.asciz	"/dev/zero"

	/* 0x5a, and the number that perf gives the register; arguments are those of
	   read(3, buffer, 64) */
	.macro	values
	movabs	$0x5a00000000000000, %rax
	movabs	$0x5a00000000000001, %rbx
	movabs	$0x5a00000000000002, %rcx
	mov	$64, %edx
	mov	$buffer, %esi
	mov	$3, %edi
	movabs	$0x5a00000000000006, %rbp
	movabs	$0x5a00000000000010, %r8
	movabs	$0x5a00000000000011, %r9
	movabs	$0x5a00000000000012, %r10
	movabs	$0x5a00000000000013, %r11
	movabs	$0x5a00000000000014, %r12
	movabs	$0x5a00000000000015, %r13
	movabs	$0x5a00000000000016, %r14
	movabs	$0x5a00000000000017, %r15
	.endm

	.macro	turn name, sp
	movabs	$\sp, %rsp
	movq	$ROUNDS, left
\name:	decq	left
	jnz	\name
	.endm

	.text
_start:
	mov	$2, %eax		/* open("/dev/zero", O_RDONLY) is 3 */
	mov	$zero, %edi
	xor	%esi, %esi
	syscall
	mov	$9, %eax		/* mmap, fixed, private, anonymous */
	mov	$STACK, %edi
	mov	$SIZE, %esi
	mov	$3, %edx
	mov	$0x32, %r10d
	mov	$-1, %r8
	xor	%r9d, %r9d
	syscall
	mov	$STACK, %eax
1:	mov	%rax, (%rax)
	add	$8, %rax
	cmp	$STACK + SIZE, %rax
	jne	1b

	values
	turn	full, STACK
	turn	end, STACK+SIZE-1003
	turn	nothing, 0x10
	turn	kernel, 0xffffffff81000000

	mov	$28, %eax		/* madvise, MADV_DONTNEED */
	mov	$STACK + PAGE, %edi
	mov	$PAGE, %esi
	mov	$4, %edx
	syscall
	values
	turn	absent, STACK
	movq	$CALLS, left
calls:	xor	%eax, %eax
	syscall
	decq	left
	jnz	calls
done:
	mov	$60, %eax
	xor	%edi, %edi
	syscall
