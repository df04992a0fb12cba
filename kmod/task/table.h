/* SPDX-License-Identifier: GPL-2.0 */
/* The size of the task table. */
#ifndef LBRSCOPE_TASK_TABLE_H
#define LBRSCOPE_TASK_TABLE_H

#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/types.h>

/*
 * The scheduler walks a bucket of the task table with the run queue locked, so buckets must
 * stay short with any number of tasks.  A task takes more than 24 KiB of the machine's
 * memory (its stack and its task_struct).  With a bucket for each 128 KiB, a machine full
 * of tasks has five of them in a bucket, and one with as many as Linux allows by default
 * has one (set_max_threads() of kernel/fork.c).  There are never more than PID_MAX_LIMIT
 * tasks, which is four for each bucket of the largest table.
 *
 * The table has its final size from the beginning, so that nothing moves while the
 * scheduler walks it.
 */
#define TASK_BUCKET_MEMORY	(128UL << 10)
#define TASK_BITS_MIN		8
#define TASK_BITS_MAX		20

/* Returns: the binary logarithm of the number of buckets, on a machine with this many bytes. */
static inline u32 ls_task_table_bits(u64 memory)
{
	return clamp_t(u32, order_base_2(memory / TASK_BUCKET_MEMORY), TASK_BITS_MIN,
		       TASK_BITS_MAX);
}

#endif
