// SPDX-License-Identifier: GPL-2.0
/*
 * The flame graph page: page.html, linked in as bytes. Its marks are replaced by page.css, the
 * page*.js and the data (data.h).
 */
#include <string.h>

#include "base/atomic_file.h"
#include "base/err.h"
#include "base/text.h"
#include "flame/data.h"
#include "flame/html.h"
#include "flame/packed.h"

extern const char _binary_page_html_start[], _binary_page_html_end[];
extern const char _binary_page_css_start[], _binary_page_css_end[];
extern const char _binary_page_data_js_start[], _binary_page_data_js_end[];
extern const char _binary_page_model_js_start[], _binary_page_model_js_end[];
extern const char _binary_page_trees_js_start[], _binary_page_trees_js_end[];
extern const char _binary_page_time_js_start[], _binary_page_time_js_end[];
extern const char _binary_page_filter_js_start[], _binary_page_filter_js_end[];
extern const char _binary_page_table_js_start[], _binary_page_table_js_end[];
extern const char _binary_page_search_js_start[], _binary_page_search_js_end[];
extern const char _binary_page_function_js_start[], _binary_page_function_js_end[];
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
	const struct lines lines = { put_summary_line, out };

	fputs("<div class=\"summaries\">\n", out);
	for (unsigned int i = 0; i < f->nr_sides; i++) {
		const struct analysis *a = f->sides[i].analysis;

		fputs("<div>", out);
		if (f->nr_sides > 1)
			fprintf(out, "<h2>%s</h2>", side_names[mode][i]);
		fputs("<ul class=\"summary\">\n", out);
		analysis_head(a, "", &lines);
		fputs("</ul>\n<details><summary>more</summary>\n<ul class=\"summary\">\n", out);
		analysis_details(a, &lines);
		analysis_notes(a, &lines);
		fputs("</ul></details></div>\n", out);
	}
	fputs("</div>\n", out);
}

static int put_title(FILE *out, const struct flame_data *data)
{
	out_flame_put_title(out, data->first, data->mode);
	return 0;
}

static int put_summary(FILE *out, const struct flame_data *data)
{
	for (const struct flame *f = data->first; f; f = f->next)
		put_event_summary(out, f, data->mode);
	return 0;
}

static void put_part(const char *start, const char *end, FILE *out)
{
	fwrite(start, 1, end - start, out);
}

static int put_style(FILE *out, const struct flame_data *data)
{
	(void)data;
	put_part(_binary_page_css_start, _binary_page_css_end, out);
	return 0;
}

static int put_script(FILE *out, const struct flame_data *data)
{
	(void)data;
	put_part(_binary_page_data_js_start, _binary_page_data_js_end, out);
	put_part(_binary_page_model_js_start, _binary_page_model_js_end, out);
	put_part(_binary_page_trees_js_start, _binary_page_trees_js_end, out);
	put_part(_binary_page_time_js_start, _binary_page_time_js_end, out);
	put_part(_binary_page_filter_js_start, _binary_page_filter_js_end, out);
	put_part(_binary_page_table_js_start, _binary_page_table_js_end, out);
	put_part(_binary_page_function_js_start, _binary_page_function_js_end, out);
	put_part(_binary_page_search_js_start, _binary_page_search_js_end, out);
	put_part(_binary_page_view_js_start, _binary_page_view_js_end, out);
	put_part(_binary_page_js_start, _binary_page_js_end, out);
	return 0;
}

static int put_data(FILE *out, const struct flame_data *data)
{
	FILE *packed = packed_open(out);

	if (!packed)
		return err_fail("not enough memory for the page");
	flame_data_put(packed, data);
	fclose(packed);		/* an error of `out` stays there */
	return 0;
}

/* Returns 0, or -1 with a message. */
static int put_page(FILE *out, const struct flame_data *data)
{
	static const struct {
		const char *mark;
		int (*put)(FILE *out, const struct flame_data *data);
	} marks[] = {
		{ "@TITLE@", put_title }, { "@STYLE@", put_style },
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
			if (marks[i].put(out, data))
				return -1;
			at += len;
			break;
		}
		if (at < end && !marks[i].mark)
			fputc(*at++, out);
	}
	return 0;
}

int out_flame_write(const struct flame *f, enum out_flame_mode mode, const struct flame_codes *codes,
		    const char *path)
{
	struct flame_data data;
	struct atomic_file file;
	int ret = flame_data_make(&data, f, mode);

	data.codes = codes;
	if (ret)
		err_fail("not enough memory for the page");
	else
		ret = atomic_file_open(&file, path);
	if (!ret) {
		ret = put_page(file.stream, &data);
		if (ret)
			atomic_file_abort(&file);
		else
			ret = atomic_file_commit(&file);
	}
	flame_data_free(&data);
	return ret;
}
