/* SPDX-License-Identifier: GPL-2.0 */
/* As user.S, in the kernel, with functions of known length and register accesses. */
#include "markers.h"

#define GLOBAL_CTRL 0x38f

.macro FUNCTION name
	.globl \name
	.type \name, @function
\name:
.endm

	.text
/* 51 and 501 instructions a call */
FUNCTION window_short
	.rept 50
	nop
	.endr
	ret
FUNCTION window_long
	.rept 500
	nop
	.endr
	ret

FUNCTION windows_of_the_kernel
	push %rbx

	/* 101: nothing */
	OPEN 101
	CLOSE 101

	/* 102: 1 + 7 * (1 + 501 + 1 + 51 + 2) */
	OPEN 102
	mov $7, %r8d
1:	call window_long
	call window_short
	dec %r8d
	jnz 1b
	CLOSE 102

	/* 103: 1 + 3 RDMSR + 2 WRMSR + 1 + 1 RDPMC, which read and write what is there */
	OPEN 103
	mov $GLOBAL_CTRL, %ecx
	rdmsr
	rdmsr
	rdmsr
	wrmsr
	wrmsr
	xor %ecx, %ecx
	rdpmc
	CLOSE 103

	pop %rbx
	ret

	.section .note.GNU-stack,"",@progbits
