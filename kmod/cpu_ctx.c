// SPDX-License-Identifier: GPL-2.0
/*
 * The state of each CPU: its memory alone, so that every file may use it.  cpu.h
 * describes its fields, with who writes them.
 */
#include <linux/percpu.h>

#include "cpu.h"

DEFINE_PER_CPU(struct cpu_ctx, ls_cpu_ctx);
