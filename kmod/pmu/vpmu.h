/* SPDX-License-Identifier: GPL-2.0 */
/* Tests whether a virtual machine's counters count. */
#ifndef LBRSCOPE_VPMU_H
#define LBRSCOPE_VPMU_H

#include <linux/types.h>

/* Returns: false in a virtual machine without counters, although CPUID announces some. */
bool ls_vpmu_works(void);

#endif
