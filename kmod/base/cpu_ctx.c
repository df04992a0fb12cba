// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of each CPU's state, in a file of its own so that every file may use it.
 * cpu.h describes the fields and their writers.
 */
#include <linux/percpu.h>

#include "cpu/cpu.h"

DEFINE_PER_CPU(struct ls_cpu_ctx, ls_cpu_ctx);
