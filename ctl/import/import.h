/* SPDX-License-Identifier: GPL-2.0 */
/* A text of `perf script` becomes an archive: a capture, and files with the names that the text has. */
#ifndef LBRCTL_IMPORT_IMPORT_H
#define LBRCTL_IMPORT_IMPORT_H

/* text: a file, or "-". Prints what was imported. Returns 0, or -1 with a message; then there is no output. */
int import_text(const char *text, const char *output);

#endif
