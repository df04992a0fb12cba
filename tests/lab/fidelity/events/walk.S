/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk(msr, value, list): writes the value, which starts something; goes through
 * a list of addresses that ends with 0, loading from each, or storing to it if
 * the address is odd; writes 0, which stops it. ../machine.py knows what each
 * instruction does; walk_insns has their addresses.
 */
#include <linux/linkage.h>

.macro I nr:req insn:vararg
	.globl w\nr
w\nr:	\insn
.endm

.text
	.globl walk
	.type walk, @function
walk:
	mov %rdx, %r8
	mov %edi, %ecx
	mov %esi, %eax
	mov %rsi, %rdx
	shr $32, %rdx
	wrmsr
I 0	mov (%r8), %rax
I 1	test %rax, %rax
I 2	jz w12
I 3	test $1, %al
I 4	jnz w8
I 5	mov (%rax), %r9
I 6	add $8, %r8
I 7	jmp w0
I 8	mov %r9, -1(%rax)
I 9	nop
I 10	nop
I 11	jmp w6
I 12	mov %edi, %ecx
I 13	xor %eax, %eax
I 14	xor %edx, %edx
I 15	wrmsr
I 16	ret

.section .rodata
	.globl walk_insns
walk_insns:
	.irp nr, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
	.quad w\nr
	.endr

.section .note.GNU-stack,"",@progbits
