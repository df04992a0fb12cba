/* SPDX-License-Identifier: GPL-2.0 */
/* The unbound workqueue. */
#ifndef LBRSCOPE_COMPAT_WORKQUEUE_H
#define LBRSCOPE_COMPAT_WORKQUEUE_H

#include <linux/workqueue.h>

/* Renamed; kernels that have both names complain about the use of the old one. */
#ifdef COMPAT_HAS_DFL_WQ
#define compat_unbound_wq	system_dfl_wq
#else
#define compat_unbound_wq	system_unbound_wq
#endif

#endif
