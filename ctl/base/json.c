// SPDX-License-Identifier: GPL-2.0
/* Writes JSON. */
#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/text.h"

static void json_quote(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	fputc('"', out);
	while (*s) {
		size_t len = text_utf8_length(s);

		if (!len) {
			fputs("\\ufffd", out);
			len = 1;
		} else if (*s < ' ' || *s == '"' || *s == '\\' || *s == '<') {
			fprintf(out, "\\u%04x", *s);
		} else {
			fwrite(s, 1, len, out);
		}
		s += len;
	}
	fputc('"', out);
}

/* Writes the comma, line end or key before an element. */
static void json_element(struct json *j, const char *key)
{
	struct json_level *level = j->level ? &j->levels[j->level - 1] : NULL;

	assert(!key == !(level && level->object));
	if (level && level->filled)
		fputc(',', j->out);
	if (level)
		level->filled = true;
	if (j->line)
		fputc('\n', j->out);
	j->line = false;
	if (!key)
		return;
	json_quote(j->out, key);
	fputc(':', j->out);
}

static void json_open(struct json *j, const char *key, bool object)
{
	json_element(j, key);
	assert(j->level < JSON_LEVELS);
	j->levels[j->level++] = (struct json_level){ .object = object };
	fputc(object ? '{' : '[', j->out);
}

void json_object(struct json *j, const char *key)
{
	json_open(j, key, true);
}

void json_array(struct json *j, const char *key)
{
	json_open(j, key, false);
}

void json_close(struct json *j)
{
	assert(j->level);
	j->line = false;
	fputc(j->levels[--j->level].object ? '}' : ']', j->out);
}

void json_head(struct json *j, const char *verb)
{
	json_object(j, NULL);
	json_unsigned(j, "version", 1);
	json_text(j, "verb", verb);
}

void json_end(struct json *j)
{
	assert(!j->level);
	fputc('\n', j->out);
}

void json_line(struct json *j)
{
	j->line = true;
}

void json_null(struct json *j, const char *key)
{
	json_element(j, key);
	fputs("null", j->out);
}

void json_bool(struct json *j, const char *key, bool value)
{
	json_element(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_unsigned(struct json *j, const char *key, uint64_t value)
{
	json_element(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void json_signed(struct json *j, const char *key, int64_t value)
{
	json_element(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void json_fixed(struct json *j, const char *key, double value, int decimals)
{
	if (!isfinite(value)) {
		json_null(j, key);
		return;
	}
	json_element(j, key);
	fprintf(j->out, "%.*f", decimals, value);
}

void json_real(struct json *j, const char *key, double value, int digits)
{
	char text[32];
	/* This many digits distinguish each decimal number from its neighbours. */
	int least = digits == JSON_EXACT ? DBL_DIG : digits;

	if (!isfinite(value)) {
		json_null(j, key);
		return;
	}
	json_element(j, key);
	do
		snprintf(text, sizeof(text), "%.*g", least, value);
	while (least++ < digits && strtod(text, NULL) != value);
	fputs(text, j->out);
}

void json_text(struct json *j, const char *key, const char *value)
{
	if (!value) {
		json_null(j, key);
		return;
	}
	json_element(j, key);
	json_quote(j->out, value);
}

void json_hex(struct json *j, const char *key, uint64_t value)
{
	json_element(j, key);
	fprintf(j->out, "\"0x%" PRIx64 "\"", value);
}

void json_string_open(struct json *j, const char *key)
{
	json_element(j, key);
	fputc('"', j->out);
}

void json_string_close(struct json *j)
{
	fputc('"', j->out);
}
