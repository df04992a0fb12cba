/* SPDX-License-Identifier: GPL-2.0 */
/* libc's <errno.h> asks for the real one by this name. */
#include_next <linux/errno.h>
