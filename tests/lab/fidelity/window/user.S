/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Windows whose instructions are known by construction, to the last one, in user mode.
 * window.test has the numbers. With an argument it changes the CPU within a window,
 * and no more.
 */
#include "markers.h"

#define SYS_getpid 39
#define SYS_exit 60
#define SYS_sched_setaffinity 203

.macro EXIT
	mov $SYS_exit, %eax
	xor %edi, %edi
	syscall
.endm

/* 6 instructions in user mode */
.macro PIN mask
	movl $\mask, mask(%rip)
	mov $SYS_sched_setaffinity, %eax
	xor %edi, %edi
	mov $8, %esi
	lea mask(%rip), %rdx
	syscall
.endm

.macro NOPS n
	.rept \n
	nop
	.endr
.endm

	.globl _start
_start:
	cmpl $1, (%rsp)
	jne moves

	/* 1: nothing */
	OPEN 1
	CLOSE 1

	/* 2: 1000 */
	OPEN 2
	NOPS 1000
	CLOSE 2

	/* 3: 1 + 2 * 1000000 */
	OPEN 3
	mov $1000000, %r8d
1:	dec %r8d
	jnz 1b
	CLOSE 3

	/* 4: 4, the copy being one; the first touches new pages */
	OPEN 4
	lea bytes(%rip), %rsi
	lea copy(%rip), %rdi
	mov $100000, %ecx
	rep movsb
	CLOSE 4

	/* 5 with 6 in it: 10 + 3 + 20 + 3 + 30, and 20 */
	OPEN 5
	NOPS 10
	OPEN 6
	NOPS 20
	CLOSE 6
	NOPS 30
	CLOSE 5

	/* 7 and 8 overlap: 10 + 3 + 20, and 20 + 3 + 30 */
	OPEN 7
	NOPS 10
	OPEN 8
	NOPS 20
	CLOSE 7
	NOPS 30
	CLOSE 8

	/* 9: 1 + 100 * 4 here, and a lot in the kernel */
	OPEN 9
	mov $100, %ebp
1:	mov $SYS_getpid, %eax
	syscall
	dec %ebp
	jnz 1b
	CLOSE 9

	/* 10: 40, opened again, 50; 11 was never opened */
	OPEN 10
	NOPS 40
	OPEN 10
	NOPS 50
	CLOSE 10
	CLOSE 11

	/* 16 windows may be open; this is the 17th */
	.irp n, 20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36
	OPEN \n
	.endr
	.irp n, 20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36
	CLOSE \n
	.endr
	EXIT

moves:
	PIN 1
	OPEN 12
	PIN 2
	CLOSE 12
	/* and the usual course of things where it is now */
	OPEN 13
	NOPS 60
	CLOSE 13
	EXIT

	.bss
	.balign 8
mask:	.skip 8
bytes:	.skip 100000
copy:	.skip 100000

	.section .note.GNU-stack,"",@progbits
