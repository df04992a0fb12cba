/* SPDX-License-Identifier: GPL-2.0 */
/* Reserves the counters from the kernel and gives them back. */
#ifndef LBRSCOPE_OWN_H
#define LBRSCOPE_OWN_H

#include <linux/types.h>

int ls_own_claim(void);
void ls_own_release(void);
bool ls_own_traced(void);

#endif
