/* SPDX-License-Identifier: GPL-2.0 */
/* The test has one CPU. */
#define DEFINE_PER_CPU(type, name)	type name
#define this_cpu_read(name)		(name)
#define this_cpu_write(name, value)	((name) = (value))
