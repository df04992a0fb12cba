/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_DEBUG_H
#define LBRSCOPE_DEBUG_H

/* While a session runs; may sleep. */
void ls_debug_start(void);
void ls_debug_stop(void);

#endif
