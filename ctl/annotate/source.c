// SPDX-License-Identifier: GPL-2.0
/* Reads source files, each once. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "annotate/source.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/text.h"
#include "machine/machine.h"

/* Limits for hostile debug information, which may name any file: bytes of all files, and their
 * number. */
#define LARGEST		(64 << 20)
#define MOST		1000

struct source {
	char *name, *text;
	char **lines;
	size_t nr, max;
};

struct sources {
	struct machine *machine;
	struct source list[MOST];
	struct hash index;
	off_t bytes;		/* bytes of all texts */
};

struct sources *sources_new(struct machine *machine)
{
	struct sources *s = calloc(1, sizeof(*s));

	if (s)
		s->machine = machine_hold(machine);
	return s;
}

void sources_free(struct sources *s)
{
	for (size_t i = 0; s && i < s->index.used; i++) {
		free(s->list[i].name);
		free(s->list[i].text);
		free(s->list[i].lines);
	}
	if (s) {
		machine_drop(s->machine);
		hash_free(&s->index);
	}
	free(s);
}

static char *trimmed(char *line)
{
	size_t length;

	line += strspn(line, " \t\f\v");
	length = strlen(line);
	while (length && strchr(" \t\r\f\v", line[length - 1]))
		line[--length] = '\0';
	for (char *c = line; *c; c++)
		if (*c == '\t')
			*c = ' ';
	text_clean(line);
	return line;
}

static void source_read(struct sources *all, struct source *s)
{
	FILE *in = machine_source(all->machine, s->name);
	struct stat st;
	char *rest;
	size_t size;

	if (!in)
		return;
	if (!fstat(fileno(in), &st) && st.st_size > 0 && st.st_size < LARGEST - all->bytes)
		s->text = malloc(st.st_size + 1);
	if (s->text) {
		size = fread(s->text, 1, st.st_size, in);
		s->text[size] = '\0';
		all->bytes += size;
	}
	fclose(in);
	rest = s->text;
	while (rest && !room_for(&s->lines, s->nr + 1, &s->max, sizeof(*s->lines)))
		s->lines[s->nr++] = trimmed(strsep(&rest, "\n"));
}

const char *sources_line(struct sources *s, const char *file, uint32_t line)
{
	uint64_t hash = hash_text(file);
	struct source *new;

	if (hash_reserve(&s->index))
		return NULL;
	hash_for_each(i, &s->index, hash)
		if (!strcmp(s->list[i].name, file))
			return line && line <= s->list[i].nr ? s->list[i].lines[line - 1] : NULL;
	if (s->index.used == MOST)
		return NULL;
	new = &s->list[s->index.used];
	new->name = strdup(file);
	if (!new->name)
		return NULL;
	source_read(s, new);
	hash_put(&s->index, hash);
	return line && line <= new->nr ? new->lines[line - 1] : NULL;
}
