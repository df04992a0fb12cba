/* SPDX-License-Identifier: GPL-2.0 */
/* The line about call stacks that ends a recording. */
#ifndef LBRCTL_REPORT_STACKS_LINE_H
#define LBRCTL_REPORT_STACKS_LINE_H

/* Prints the call-stack verdicts of the capture at `path` to stderr in one line; nothing if
 * it has no samples. An unreadable capture prints the reason. */
void stacks_line_print(const char *path);

#endif
