// SPDX-License-Identifier: GPL-2.0
/* Formats lines of text. */
#include <stdarg.h>
#include <stdio.h>

#include "base/lines.h"
#include "base/text.h"

void lines_say(const struct lines *lines, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_clean(text);
	lines->line(lines->ctx, text);
}
