/* SPDX-License-Identifier: GPL-2.0 */
/* The browser, for the verbs that open it. */
#ifndef LBRCTL_VERBS_BROWSE_H
#define LBRCTL_VERBS_BROWSE_H

struct options_reading;

/* Shows a capture on the terminal until the user quits. Returns the exit status, with a message. */
int browse_reading(struct options_reading *reading);

#endif
