/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Windows of the lab machine's meter, for programs and modules that run in it:
 *
 *	meter_open(7);
 *	what is to be measured
 *	meter_close(7);
 *
 * `lab run --meter FILE` then has a line "window VCPU SEQ 7 closed KERNEL USER RDMSR
 * WRMSR RDPMC PMIS" for each time that it was closed. All counts that ran on this
 * virtual CPU in between, interrupts and other tasks as well, but not the two CPUIDs;
 * what loads their registers does. An empty window tells how much that is.
 *
 * A marker is CPUID with a leaf that no CPU will ever use: it needs neither a driver
 * nor a privilege, and does nothing anywhere else. Numbers are below 2^31. Windows of
 * different numbers may overlap; a task that is moved to another CPU in between leaves
 * one line "unopened" there and one "left" here, with no use: pin it (taskset).
 */
#ifndef LAB_METER_H
#define LAB_METER_H

#define METER_LEAF 0x4c425253u
#define METER_CLOSE 0x80000000u

static inline void meter_mark(unsigned int word)
{
	unsigned int leaf = METER_LEAF;

	__asm__ volatile("cpuid" : "+a" (leaf), "+c" (word) : : "ebx", "edx", "memory");
}

static inline void meter_open(unsigned int number)
{
	meter_mark(number);
}

static inline void meter_close(unsigned int number)
{
	meter_mark(number | METER_CLOSE);
}

#endif
