/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_REPORT_VERDICTS_H
#define LBRCTL_REPORT_VERDICTS_H

/* A capture of more bytes takes seconds to read, for which nobody who stops a recording
 * waits. */
#define VERDICTS_BYTES_MAX	(1LL << 30)

/* Says on stderr, in one line, what the call stacks of a capture are worth, as report
 * does; nothing if it has none. What cannot be read was said. */
void verdicts_print(const char *path);

#endif
