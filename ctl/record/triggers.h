/* SPDX-License-Identifier: GPL-2.0 */
/* Parses the --trigger options of a recording. */
#ifndef LBRCTL_RECORD_TRIGGERS_H
#define LBRCTL_RECORD_TRIGGERS_H

#include "module/triggers.h"

/* Adds the trigger that text describes; text must outlive the list. Returns 0, or -1 with the
 * reason in why. */
int triggers_add(struct triggers *triggers, const char *text, char *why,
		 size_t size);

/* Closes the files that the triggers have opened. */
void triggers_close(struct triggers *triggers);

#endif
