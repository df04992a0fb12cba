/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_TASK_TABLE_H
#define LBRSCOPE_TASK_TABLE_H

#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/types.h>

/*
 * A bucket of the task table is walked with the run queue locked, so it must stay short
 * however many tasks there are.  A task takes more than 24 KiB of the machine's memory
 * (its stack and its task_struct), so that with a bucket for each 128 KiB, a machine full
 * of tasks has five of them in a bucket, and one with as many as Linux allows by default
 * has one (set_max_threads() of kernel/fork.c).  There are never more than PID_MAX_LIMIT
 * tasks, which is four for each of the most buckets.
 *
 * So the table has its size when it is made, and nothing has to move while the scheduler
 * looks into it.
 */
#define TASK_BUCKET_MEMORY	(128UL << 10)
#define TASK_BITS_MIN		8
#define TASK_BITS_MAX		20

/* The logarithm of how many buckets there are on a machine with so many bytes. */
static inline u32 ls_task_table_bits(u64 memory)
{
	return clamp_t(u32, order_base_2(memory / TASK_BUCKET_MEMORY), TASK_BITS_MIN,
		       TASK_BITS_MAX);
}

#endif
