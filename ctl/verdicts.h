/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_VERDICTS_H
#define LBRCTL_VERDICTS_H

/* Says on stderr, in one line, what the call stacks of a capture are worth, as far as its
 * first VERDICTS_MOST samples tell; nothing if it has none. What cannot be read was
 * said. */
#define VERDICTS_MOST	4000
void verdicts_print(const char *path);

#endif
