/* SPDX-License-Identifier: GPL-2.0 */
/* 20000 times 100 instructions, 98 of them nops of one byte, and four more. */
	.globl _start
_start:
	mov $20000, %ecx
1:	.rept 98
	nop
	.endr
	dec %ecx
	jnz 1b
	mov $60, %eax
	xor %edi, %edi
	syscall

	.section .note.GNU-stack,"",@progbits
