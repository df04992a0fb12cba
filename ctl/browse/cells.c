// SPDX-License-Identifier: GPL-2.0
/* Text in the cells of a terminal. */
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

#include "browse/cells.h"

struct cells_char {
	const char *bytes;
	size_t length, width;
};

/* Unicode's controls of direction print nothing and reorder what stands around them. */
static bool turns(wchar_t c)
{
	return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

static struct cells_char next_char(const char **text)
{
	struct cells_char c = { .bytes = *text };
	mbstate_t state = { 0 };
	wchar_t wide;
	size_t length = mbrtowc(&wide, *text, strlen(*text), &state);
	int width = length == (size_t)-1 || length == (size_t)-2 ? -1 : wcwidth(wide);

	if (width < 0 || turns(wide)) {
		*text += width < 0 ? 1 : length;
		return (struct cells_char){ "?", 1, 1 };
	}
	c.length = length;
	c.width = width;
	*text += length;
	return c;
}

size_t cells_of(const char *text)
{
	size_t cells = 0;

	while (*text)
		cells += next_char(&text).width;
	return cells;
}

void cells_put(FILE *out, const char *text, size_t from, size_t width)
{
	size_t at = 0;

	while (*text) {
		const struct cells_char c = next_char(&text);

		if (at + c.width > from + width)
			return;
		if (at >= from)
			fwrite(c.bytes, 1, c.length, out);
		else if (at + c.width > from)
			fputc(' ', out);	/* the second half of a wide character */
		at += c.width;
	}
}

void cells_pad(FILE *out, const char *text, size_t width)
{
	const size_t cells = cells_of(text);

	if (cells <= width) {
		cells_put(out, text, 0, width);
		fprintf(out, "%*s", (int)(width - cells), "");
	} else {
		/* Half of a wide character may be missing. */
		cells_put(out, text, 0, width - 3);
		fprintf(out, "...");
	}
}
