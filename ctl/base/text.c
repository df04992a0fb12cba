// SPDX-License-Identifier: GPL-2.0
/* Prints names with arbitrary bytes as JSON, CSV and lines of text. */
#include <string.h>

#include "base/text.h"

size_t text_utf8_length(const unsigned char *s)
{
	size_t len = *s < 0x80 ? 1 : (*s >> 5) == 6 && *s >= 0xc2 ? 2 :
		     (*s >> 4) == 14 ? 3 : (*s >> 3) == 30 && *s <= 0xf4 ? 4 : 0;

	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] >= 0xa0) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] >= 0x90))
		return 0;
	return len;
}

void text_clean(char *text)
{
	unsigned char *s = (unsigned char *)text;
	size_t len;

	for (; *s; s += len) {
		len = text_utf8_length(s);
		if (!len)
			len = 1;
		if (*s < ' ' || *s == 0x7f || (len == 1 && *s >= 0x80 && *s < 0xa0))
			*s = '?';
		else if (len == 2 && *s == 0xc2 && s[1] < 0xa0)
			s[0] = s[1] = '?';
	}
}

void text_put_csv(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void text_put_line(FILE *out, const char *text, char separator)
{
	for (; *text; text++)
		fputc(*text == separator ? ':' :
		      (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, out);
}

size_t text_hex(char *text, size_t size, const void *bytes, size_t nr)
{
	const unsigned char *list = bytes;
	size_t at = 0;

	*text = '\0';
	for (size_t i = 0; i < nr && at + 2 < size; i++)
		at += sprintf(text + at, "%02x", list[i]);
	return at;
}

void text_first_line(const char *path, char *text, size_t size)
{
	FILE *in = fopen(path, "re");

	if (!in || !fgets(text, size, in))
		*text = '\0';
	if (in)
		fclose(in);
	text[strcspn(text, "\n")] = '\0';
}

void text_proc_value(const char *path, const char *key, char *value, size_t size)
{
	FILE *in = fopen(path, "re");
	char line[512], *text;

	*value = '\0';
	while (in && !*value && fgets(line, sizeof(line), in)) {
		text = strchr(line, ':');
		if (!text || strncmp(line, key, strlen(key)))
			continue;
		text += 1 + strspn(text + 1, " \t");
		text[strcspn(text, "\n")] = '\0';
		snprintf(value, size, "%s", text);
	}
	if (in)
		fclose(in);
}
