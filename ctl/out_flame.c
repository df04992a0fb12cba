// SPDX-License-Identifier: GPL-2.0
/*
 * The flame graph page: flame.html, linked in as bytes, with its three marks
 * replaced. The data goes in as JSON inside a script element, in which only "<"
 * could end the element: it is written as \u003c.
 */
#include <inttypes.h>
#include <string.h>

#include "atomic_file.h"
#include "err.h"
#include "out_flame.h"
#include "text.h"

extern const char _binary_flame_html_start[], _binary_flame_html_end[];

static void put_html(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t len = text_utf8_length(s);

		if (!len) {
			fputs("&#xfffd;", out);
			len = 1;
		} else if (strchr("<>&\"'", *s)) {
			fprintf(out, "&#%u;", *s);
		} else {
			fwrite(s, 1, len, out);
		}
		s += len;
	}
}

static void put_title(FILE *out, const struct analysis *a)
{
	const char *command = samples_info(a->samples)->cmdline;

	put_html(out, a->event);
	if (command) {
		fputs(" – ", out);
		put_html(out, command);
	}
}

static void put_summary_line(void *out, const char *text)
{
	fputs("<li>", out);
	put_html(out, text);
	fputs("</li>\n", out);
}

static void put_summary(FILE *out, const struct analysis *a)
{
	analysis_summary(a, put_summary_line, out);
}

static void put_node(FILE *out, const struct profile_node *n, int64_t entry,
		     unsigned int depth)
{
	fprintf(out, "%s%" PRId64 ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		",%" PRIu64,
		depth ? ",\n" : "", entry, depth, n->total, n->total_samples,
		n->self_samples, n->unwound, n->stitched);
}

static void put_data(FILE *out, const struct analysis *a)
{
	const struct profile *p = a->profile;
	uint32_t n = 0;
	size_t depth = 0;

	fputs("{\"entries\":[", out);
	for (size_t i = 0; i < p->nr_entries; i++) {
		fputs(i ? ",\n[" : "[", out);
		text_put_json(out, p->entries[i].name);
		fputc(',', out);
		text_put_json(out, p->entries[i].object);
		fprintf(out, ",%d]", p->entries[i].kind);
	}
	fputs("],\n\"nodes\":[", out);
	put_node(out, &p->nodes[0], -1, 0);
	while ((n = profile_next(p, n, 0, &depth)))
		put_node(out, &p->nodes[n], p->nodes[n].entry, depth);
	fputs("]}", out);
}

static void put_page(FILE *out, const struct analysis *a)
{
	static const struct {
		const char *mark;
		void (*put)(FILE *out, const struct analysis *a);
	} marks[] = {
		{ "@TITLE@", put_title },
		{ "@SUMMARY@", put_summary },
		{ "@DATA@", put_data },
	};
	const char *at = _binary_flame_html_start;
	const char *end = _binary_flame_html_end;

	while (at < end) {
		const char *next = memchr(at, '@', end - at);
		bool replaced = false;

		if (!next)
			next = end;
		fwrite(at, 1, next - at, out);
		at = next;
		for (size_t i = 0; i < 3 && at < end && !replaced; i++) {
			size_t len = strlen(marks[i].mark);

			if ((size_t)(end - at) < len ||
			    memcmp(at, marks[i].mark, len))
				continue;
			marks[i].put(out, a);
			at += len;
			replaced = true;
		}
		if (at < end && !replaced)
			fputc(*at++, out);
	}
}

int out_flame_write(const struct analysis *a, const char *path)
{
	struct atomic_file file;

	if (atomic_file_open(&file, path))
		return -1;
	put_page(file.stream, a);
	return atomic_file_commit(&file);
}
