// SPDX-License-Identifier: GPL-2.0
/*
 * The flame graph page: page.html, linked in as bytes. Its marks are replaced by page.css,
 * the page*.js and the data.
 *
 * The data is JSON inside a script element, in which only "<" could end the element: it is
 * written as \u003c. It is a list of graphs, one for each event. The tree of a graph is a string
 * in that: base64 of numbers of 7 bits a byte, lowest first, which a browser decodes many times
 * faster than JSON. For each node, callers first:
 *
 *   distance up from the node before it to its caller, 0 when that node is its caller
 *   its entry + 1, 0 for the root
 *   for each side: the samples that ended in it; and if samples have different weights
 *   (sides[].each is 0), the sum of their weights, and the sum of the squares of the
 *   weights (which shares scatter by: confidence.h), as a multiple of sides[].square
 *   if data.concluded: the part of its total that is concluded
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "flame/html.h"

extern const char _binary_page_html_start[], _binary_page_html_end[];
extern const char _binary_page_css_start[], _binary_page_css_end[];
extern const char _binary_page_tree_js_start[], _binary_page_tree_js_end[];
extern const char _binary_page_table_js_start[], _binary_page_table_js_end[];
extern const char _binary_page_search_js_start[], _binary_page_search_js_end[];
extern const char _binary_page_view_js_start[], _binary_page_view_js_end[];
extern const char _binary_page_js_start[], _binary_page_js_end[];

static const char *const side_names[][2] = {
	[OUT_FLAME_SINGLE] = { "", "" },
	[OUT_FLAME_HOT_COLD] = { "On-CPU", "Off-CPU" },
	[OUT_FLAME_DIFF] = { "Before", "After" },
};

void out_flame_put_text(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t len = text_utf8_length(s);

		if (!len || (*s < ' ' && *s != '\t')) {
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

/* Prints the names of the events: "a, b". */
static void put_events(FILE *out, const struct flame *first)
{
	for (const struct flame *f = first; f; f = f->next) {
		if (f != first)
			fputs(", ", out);
		out_flame_put_text(out, f->sides[f->nr_sides - 1].analysis->event);
	}
}

void out_flame_put_title(FILE *out, const struct flame *f,
			 enum out_flame_mode mode)
{
	const struct analysis *a = f->sides[f->nr_sides - 1].analysis;
	const char *command = samples_info(a->samples)->cmdline;

	if (mode == OUT_FLAME_HOT_COLD)
		fputs("on and off the CPU", out);
	else
		put_events(out, f);
	if (mode == OUT_FLAME_DIFF)
		fputs(", before and after", out);
	if (command) {
		fputs(" – ", out);
		out_flame_put_text(out, command);
	}
}

static void put_summary_line(void *out, const char *text)
{
	fputs("<li>", out);
	out_flame_put_text(out, text);
	fputs("</li>\n", out);
}

static void put_event_summary(FILE *out, const struct flame *f,
			      enum out_flame_mode mode)
{
	fputs("<div class=\"summaries\">\n", out);
	for (unsigned int i = 0; i < f->nr_sides; i++) {
		fputs("<div>", out);
		if (f->nr_sides > 1)
			fprintf(out, "<h2>%s</h2>", side_names[mode][i]);
		fputs("<ul class=\"summary\">\n", out);
		analysis_summary(f->sides[i].analysis, put_summary_line, out);
		fputs("</ul></div>\n", out);
	}
	fputs("</div>\n", out);
}

static void put_summary(FILE *out, const struct flame *f, enum out_flame_mode mode)
{
	for (; f; f = f->next)
		put_event_summary(out, f, mode);
}

/* Encodes three bytes as four letters (RFC 4648). */
struct base64 {
	FILE *out;
	unsigned char bytes[3];
	unsigned int nr;
};

static void base64_flush(struct base64 *b)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t v = b->bytes[0] << 16 | b->bytes[1] << 8 | b->bytes[2];

	if (!b->nr)
		return;
	for (unsigned int i = 0; i < 4; i++)
		putc_unlocked(i <= b->nr ? letters[v >> (18 - 6 * i) & 63] : '=',
			      b->out);
	memset(b->bytes, 0, sizeof(b->bytes));
	b->nr = 0;
}

static void put_number(struct base64 *b, uint64_t number)
{
	do {
		b->bytes[b->nr++] = (number & 127) | (number > 127 ? 128 : 0);
		if (b->nr == 3)
			base64_flush(b);
		number >>= 7;
	} while (number);
}

/* The weight of each sample of a side; 0: it varies. */
static double side_each(const struct flame_side *side)
{
	return side->each ? side->each : side->analysis->period;
}

/* The unit that the squares are rounded to, a small part of their mean. */
static double side_square(const struct flame_side *side)
{
	const struct analysis *a = side->analysis;

	return a->nr_samples ? a->squares_sum / a->nr_samples / 64 : 0;
}

static bool has_concluded(const struct flame *f)
{
	return f->nr_sides == 1 && (f->sides[0].analysis->unwound ||
				    f->sides[0].analysis->stitched);
}

static void put_tree(FILE *out, const struct flame *f)
{
	struct base64 b = { .out = out };
	const bool concluded = has_concluded(f);
	uint32_t n = 0, before = 0;

	do {
		const struct flame_node *node = &f->nodes[n];

		put_number(&b, n ? f->nodes[before].depth + 1 - node->depth : 0);
		put_number(&b, n ? node->entry + 1ULL : 0);
		for (unsigned int i = 0; i < f->nr_sides; i++) {
			const double square = side_square(&f->sides[i]);

			put_number(&b, node->self_samples[i]);
			if (side_each(&f->sides[i]))
				continue;
			put_number(&b, node->self[i]);
			put_number(&b, square ? llround(node->self_squares[i] / square) : 0);
		}
		if (concluded)
			put_number(&b, node->concluded);
		before = n;
	} while ((n = flame_next(f, n)));
	base64_flush(&b);
}

/* Tests the last object first: functions of one object usually follow each other. */
static void put_entries(struct json *j, const struct flame *f)
{
	const char *object = NULL;
	size_t nr = 0;

	json_line(j);
	json_array(j, "objects");
	for (size_t i = 0; i < f->nr_entries; i++) {
		const char *own = f->entries[i]->object ? f->entries[i]->object : "";

		if (object && !strcmp(own, object))
			continue;
		json_text(j, NULL, own);
		json_line(j);
		object = own;
	}
	json_close(j);
	json_line(j);
	json_array(j, "entries");
	object = NULL;
	for (size_t i = 0; i < f->nr_entries; i++) {
		const struct profile_entry *e = f->entries[i];
		const char *own = e->object ? e->object : "";

		nr += !object || strcmp(own, object);
		object = own;
		json_array(j, NULL);
		json_text(j, NULL, e->name);
		json_unsigned(j, NULL, nr - 1);
		json_unsigned(j, NULL, flame_kind(e));
		json_close(j);
		json_line(j);
	}
	json_close(j);
}

static void put_graph(struct json *j, FILE *out, const struct flame *f, enum out_flame_mode mode)
{
	static const char *const modes[] = { "single", "hotcold", "diff" };

	json_object(j, NULL);
	json_text(j, "event", f->sides[f->nr_sides - 1].analysis->event);
	json_text(j, "mode", modes[mode]);
	json_unsigned(j, "nodes", f->nr_nodes);
	json_bool(j, "concluded", has_concluded(f));
	json_array(j, "sides");
	for (unsigned int i = 0; i < f->nr_sides; i++) {
		json_object(j, NULL);
		json_real(j, "each", side_each(&f->sides[i]), JSON_EXACT);
		json_real(j, "square", side_square(&f->sides[i]), JSON_EXACT);
		json_bool(j, "ns", mode == OUT_FLAME_HOT_COLD ||
				   f->sides[i].analysis->offcpu);
		json_close(j);
	}
	json_close(j);
	put_entries(j, f);
	json_line(j);
	json_string_open(j, "tree");
	put_tree(out, f);
	json_string_close(j);
	json_close(j);
}

static void put_data(FILE *out, const struct flame *f, enum out_flame_mode mode)
{
	struct json json = json_to(out);

	json_array(&json, NULL);
	for (; f; f = f->next)
		put_graph(&json, out, f, mode);
	json_close(&json);
}

static void put_part(const char *start, const char *end, FILE *out)
{
	fwrite(start, 1, end - start, out);
}

static void put_style(FILE *out, const struct flame *f, enum out_flame_mode mode)
{
	(void)f;
	(void)mode;
	put_part(_binary_page_css_start, _binary_page_css_end, out);
}

static void put_script(FILE *out, const struct flame *f,
		       enum out_flame_mode mode)
{
	(void)f;
	(void)mode;
	put_part(_binary_page_tree_js_start, _binary_page_tree_js_end, out);
	put_part(_binary_page_table_js_start, _binary_page_table_js_end, out);
	put_part(_binary_page_search_js_start, _binary_page_search_js_end, out);
	put_part(_binary_page_view_js_start, _binary_page_view_js_end, out);
	put_part(_binary_page_js_start, _binary_page_js_end, out);
}

static void put_page(FILE *out, const struct flame *f, enum out_flame_mode mode)
{
	static const struct {
		const char *mark;
		void (*put)(FILE *out, const struct flame *f,
			    enum out_flame_mode mode);
	} marks[] = {
		{ "@TITLE@", out_flame_put_title }, { "@STYLE@", put_style },
		{ "@SUMMARY@", put_summary }, { "@DATA@", put_data },
		{ "@SCRIPT@", put_script }, { NULL, NULL },
	};
	const char *at = _binary_page_html_start;
	const char *end = _binary_page_html_end, *next;
	size_t i;

	while (at < end) {
		next = memchr(at, '@', end - at);
		if (!next)
			next = end;
		fwrite(at, 1, next - at, out);
		at = next;
		for (i = 0; at < end && marks[i].mark; i++) {
			size_t len = strlen(marks[i].mark);

			if ((size_t)(end - at) < len ||
			    memcmp(at, marks[i].mark, len))
				continue;
			marks[i].put(out, f, mode);
			at += len;
			break;
		}
		if (at < end && !marks[i].mark)
			fputc(*at++, out);
	}
}

int out_flame_write(const struct flame *f, enum out_flame_mode mode,
		    const char *path)
{
	struct atomic_file file;

	if (atomic_file_open(&file, path))
		return -1;
	put_page(file.stream, f, mode);
	return atomic_file_commit(&file);
}
