/* SPDX-License-Identifier: GPL-2.0 */
/* Switches the branch records on again after a debug exception. */
#ifndef LBRSCOPE_DEBUG_H
#define LBRSCOPE_DEBUG_H

/* Context: process, may sleep.  Called at START and STOP of a session. */
void ls_debug_start(void);
void ls_debug_stop(void);

#endif
