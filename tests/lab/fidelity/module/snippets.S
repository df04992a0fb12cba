/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code whose instructions and branches are known by construction.
 *
 * Each snippet is a function of an MSR and a value: it writes the value (which
 * starts something), runs its body, writes 0 (which stops it) and returns. The
 * four instructions that stop it still run while whatever was started is on.
 */
#include <linux/linkage.h>
#include <asm/asm.h>

.macro ENTER name
	.globl \name
	.type \name, @function
\name:
	mov %edi, %ecx
	mov %esi, %eax
	mov %rsi, %rdx
	shr $32, %rdx
	wrmsr
.endm

.macro STOP
	mov %edi, %ecx
	xor %eax, %eax
	xor %edx, %edx
	wrmsr
.endm

/* Exported to C: label as an address */
.macro L name
	.globl \name
\name:
.endm

/*
 * What is called directly: objtool, which some kernels run on the whole module, gives up
 * on a call of anything else, and then no return of the module is known to the kernel.
 */
.macro F name
	.type \name, @function
	L \name
.endm

.text

/* 64 instructions of one byte */
ENTER snip_nops
L nops_body
	.rept 64
	nop
	.endr
	STOP
	ret

/* 1 + 2 * 100 instructions, 100 branches, 99 of them taken */
ENTER snip_loop
	mov $100, %eax
L loop_top
	dec %eax
L loop_jnz
	jnz loop_top
L loop_end
	STOP
	ret

/* one branch of every kind; the order is that of branches.c's table */
ENTER snip_kinds
	cmp %eax, %eax
L k_jcc
	je k_jcc_to
	nop
L k_jcc_to
	jne k_jcc_to
L k_call
	call k_callee
L k_called
	lea k_icallee(%rip), %r8
L k_icall
	call *%r8
L k_icalled
	lea k_ijmp_to(%rip), %r8
L k_ijmp
	jmp *%r8
	nop
L k_ijmp_to
	nop
L k_jmp
	jmp k_jmp_to
	nop
L k_jmp_to
	mov %cs, %r9d
	push %r9
	lea k_lret_to(%rip), %r8
	push %r8
L k_lret
	lretq
L k_lret_to
	mov %rsp, %r8
	mov %ss, %r10d
	push %r10
	push %r8
	pushf
	push %r9
	lea k_iret_to(%rip), %r8
	push %r8
L k_iret
	iretq
L k_iret_to
	STOP
	ret
F k_callee
	ret
L k_icallee
	ret

/* an indirect jump that takes two targets in turn, six times in all: */
ENTER snip_alternate
	mov $6, %eax
	lea a_even(%rip), %r8
	lea a_odd(%rip), %r9
L a_ijmp
	jmp *%r8
L a_even
	nop
L a_odd
	xchg %r8, %r9
	dec %eax
	jnz a_ijmp
	STOP
	ret

/* a fault that the kernel resumes behind */
ENTER snip_fault
	mov $0x30f, %ecx
L f_fault
	rdmsr
L f_resume
	STOP
	ret
	_ASM_EXTABLE(f_fault, f_resume)

/* calls and returns; stops in the innermost function */
ENTER snip_stack
L s_call_a
	call s_a
	ret
F s_a
L s_call_b
	call s_b
L s_call_next
	call s_next
F s_next
	pop %rax
	lea s_c(%rip), %rax
L s_call_c
	call *%rax
	ret
F s_b
	ret
L s_c
	STOP
	ret

/* the same, with the returns */
ENTER snip_balanced
	call bal_a
	STOP
	ret
F bal_a
	call bal_b
	call bal_b
	ret
F bal_b
	ret

/* recursion 40 deep, stopped at the bottom; the outermost call is another */
ENTER snip_deep
	mov $40, %r8d
	call r_f
	ret
F r_f
	dec %r8d
	jz 1f
L r_call
	call r_f
	ret
1:	STOP
	ret

/* one return more than calls */
ENTER snip_underflow
	lea u_to(%rip), %r8
	push %r8
	ret
u_to:
	STOP
	ret

.section .note.GNU-stack,"",@progbits
