/* SPDX-License-Identifier: GPL-2.0 */
/* The code in a flame graph page. */
#ifndef LBRCTL_VERBS_FLAME_CODE_H
#define LBRCTL_VERBS_FLAME_CODE_H

#include "flame/html.h"
#include "verbs/options.h"

/* Disassembles the functions with most samples of the event, whose capture has been read before: it prints no warning,
 * and what has no code here is left out. Returns 0, or -1 with a message; call flame_code_free() in both cases. */
int flame_code_read(struct flame_codes *codes, const struct options_reading *reading, const char *event);
void flame_code_free(struct flame_codes *codes);

#endif
