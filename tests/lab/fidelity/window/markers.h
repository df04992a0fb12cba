/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The meter's markers for assembler: OPEN and CLOSE are three instructions each, of
 * which the two before the CPUID of CLOSE are in the window: a window has EMPTY
 * instructions more than its body.
 */
#define EMPTY 2
#define METER_LEAF 0x4c425253
#define METER_CLOSE 0x80000000

.macro OPEN number
	mov $METER_LEAF, %eax
	mov $\number, %ecx
	cpuid
.endm

.macro CLOSE number
	mov $METER_LEAF, %eax
	mov $(METER_CLOSE + \number), %ecx
	cpuid
.endm
