/* SPDX-License-Identifier: GPL-2.0 */
/* Names in files: they are whatever a program was called, and become nothing else. */
#ifndef LBRCTL_BASE_TEXT_H
#define LBRCTL_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Length of the UTF-8 sequence at s, or 0 when it is none (RFC 3629). */
size_t text_utf8_length(const unsigned char *s);

/* With its quotes (RFC 4180). */
void text_put_csv(FILE *out, const char *text);

/* Replaces by '?', in place, whatever a terminal would take for a command: control
 * characters, and the bytes and UTF-8 sequences of the C1 set (ISO 6429). Each name that a
 * file tells passes through this before it is shown. */
void text_clean(char *text);

/* In a line with separators: such a character becomes a colon, control characters
 * become question marks. */
void text_put_line(FILE *out, const char *text, char separator);

/* The first line of a small file without its line end; "" if it cannot be read. */
void text_first_line(const char *path, char *text, size_t size);

/* The value of the first line "key : value" or "key: value" in a file as /proc/cpuinfo; ""
 * if there is none. */
void text_proc_value(const char *path, const char *key, char *value, size_t size);

#endif
