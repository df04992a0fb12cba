/* SPDX-License-Identifier: GPL-2.0 */
/* Prints names that come from files. They may contain any bytes, and must never act as commands
 * or syntax. */
#ifndef LBRCTL_BASE_TEXT_H
#define LBRCTL_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Length of the UTF-8 sequence at s, or 0 if it is invalid (RFC 3629). */
size_t text_utf8_length(const unsigned char *s);

/* Prints a CSV field with its quotes (RFC 4180). */
void text_put_csv(FILE *out, const char *text);

/* Replaces by '?', in place, every byte that could act as a command for a terminal: control
 * characters, and the bytes and UTF-8 sequences of the C1 set (ISO 6429). Each name from a
 * file passes through this before it is shown. */
void text_clean(char *text);

/* Prints a name into a line with separators: the separator in a name becomes a colon, control
 * characters become question marks. */
void text_put_line(FILE *out, const char *text, char separator);

/* Writes bytes as pairs of hexadecimal digits, as many as fit. Returns the length. */
size_t text_hex(char *text, size_t size, const void *bytes, size_t nr);

/* Reads the first line of a small file without its line end; "" if it cannot be read. */
void text_first_line(const char *path, char *text, size_t size);

/* Reads the value of the first line "key : value" or "key: value" in a file such as
 * /proc/cpuinfo; "" without such a line. */
void text_proc_value(const char *path, const char *key, char *value, size_t size);

#endif
