/* SPDX-License-Identifier: GPL-2.0 */
/* Writes JSON (RFC 8259) as a stream, without storing it. */
#ifndef LBRCTL_BASE_JSON_H
#define LBRCTL_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_LEVELS	16	/* maximum depth of nesting */

/*
 * A writer of one value. Each function below adds one element: with a key to an object, with
 * the key NULL to an array or as the value itself. The writer adds commas, quotes and
 * escapes. An element that is not allowed at its place is a bug, and asserted. Errors of the
 * stream stay with the stream.
 */
struct json {
	FILE *out;
	unsigned int level;	/* objects and arrays that are open */
	bool line;		/* the next element begins a line */
	struct json_level {
		bool object;
		bool filled;	/* it has an element already */
	} levels[JSON_LEVELS];
};

static inline struct json json_to(FILE *out)
{
	return (struct json){ .out = out };
}

/* Opens the object that a verb prints, as lbrctl-json(7) has it: "version" and "verb". */
void json_head(struct json *json, const char *verb);

/* Ends the line of the complete value. */
void json_end(struct json *json);

void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
/* Closes the object or array that was opened last. */
void json_close(struct json *json);

/* Begins a new line before the next element, for people who read a long file. */
void json_line(struct json *json);

void json_null(struct json *json, const char *key);
void json_bool(struct json *json, const char *key, bool value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_signed(struct json *json, const char *key, int64_t value);

/* A number rounded to `decimals` decimals, all of which are written: 0.500000. NaN and
 * infinite values become null. */
void json_fixed(struct json *json, const char *key, double value, int decimals);

/* A number rounded to `digits` significant digits; JSON_EXACT: as few digits as reading back
 * the same value needs. */
#define JSON_EXACT	17
void json_real(struct json *json, const char *key, double value, int digits);

/* A string. NULL becomes null; invalid UTF-8 becomes U+FFFD; "<" is escaped, so that the text
 * can stand in HTML. */
void json_text(struct json *json, const char *key, const char *value);

/* An address as a string, "0x1f": many readers cannot hold 64 bits in a number of JSON. */
void json_hex(struct json *json, const char *key, uint64_t value);

/* Opens a string that the caller writes to json->out, up to json_string_close(); the text
 * must need no escape. */
void json_string_open(struct json *json, const char *key);
void json_string_close(struct json *json);

#endif
