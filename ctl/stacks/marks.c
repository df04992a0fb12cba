// SPDX-License-Identifier: GPL-2.0
/* Reads the words that lbrctl adds to a sample, for facts that perf has no field for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stacks/marks.h"

#define LONGEST_TEXT	128

static const char *const ends[] = {
	[STACKS_END_ENTRY] = "entry",
	[STACKS_END_WINDOW] = "window",
	[STACKS_END_RULES] = "rules",
	[STACKS_END_NOWHERE] = "nowhere",
	[STACKS_END_LIMIT] = "limit",
	[STACKS_END_ABSENT] = "absent",
};

const char *marks_end(enum stacks_end end)
{
	return ends[end];
}

/* Returns the text behind "key=" if the word begins with that. */
static const char *value_of(const char *word, const char *key)
{
	size_t len = strlen(key);

	return !strncmp(word, key, len) && word[len] == '=' ? word + len + 1 : NULL;
}

static void read_word(const char *word, struct marks *marks)
{
	const char *value = value_of(word, "depth");

	if (value) {
		marks->has_depth = true;
		marks->depth = strtoll(value, NULL, 10);
	}
	if (!strcmp(word, "depth-unknown")) {
		marks->has_depth = true;
		marks->depth = STACKS_NO_DEPTH;
	}
	if (!strcmp(word, "crowded"))
		marks->crowded = true;
	value = value_of(word, "fp");
	if (value)
		marks->pointed = strtoul(value, NULL, 10);
	value = value_of(word, "end");
	for (size_t i = STACKS_END_ENTRY; value && i < sizeof(ends) / sizeof(*ends); i++)
		if (!strcmp(value, ends[i]))
			marks->end = i;
}

struct marks marks_read(const struct perfdata_sample *raw)
{
	struct marks marks = { .end = STACKS_END_NONE };
	char text[LONGEST_TEXT], *rest = text, *word;

	if (!raw->text || !raw->text_size)
		return marks;
	snprintf(text, sizeof(text), "%.*s", (int)raw->text_size, (const char *)raw->text);
	while ((word = strsep(&rest, " ")))
		read_word(word, &marks);
	return marks;
}
