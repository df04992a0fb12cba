// SPDX-License-Identifier: GPL-2.0
/*
 * The flame graph as a static picture. Colours are those of page.js; frames narrower than a
 * pixel are omitted as there. The viewer shows titles for the frame under the pointer.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/confidence.h"
#include "base/err.h"
#include "base/text.h"
#include "flame/html.h"

#define SVG_WIDTH	1200
#define SVG_ROW		17
#define SVG_TOP		34
#define SVG_LETTER	7.2	/* of 12 pixels, monospaced: 0.6 of that */
#define SVG_CHANCE	0.05

struct svg {
	FILE *out;
	const struct flame *flame;
	enum out_flame_mode mode;
	double *x;		/* left edge of each node */
	uint32_t levels;	/* maximum depth of the drawn frames */
};

static double svg_width(const struct svg *s, uint32_t node)
{
	const struct flame_node *n = &s->flame->nodes[node];
	const struct flame_node *root = &s->flame->nodes[0];
	double all = root->total[0], part = n->total[0];

	if (s->mode == OUT_FLAME_DIFF) {
		all = root->total[1];
		part = n->total[1];
	} else if (s->mode == OUT_FLAME_HOT_COLD) {
		all += root->total[1];
		part += n->total[1];
	}
	return all > 0 ? part / all * SVG_WIDTH : 0;
}

/* Nodes are sorted callers first, so one pass places all. */
static void svg_place(struct svg *s)
{
	const struct flame *f = s->flame;

	for (size_t i = 0; i < f->nr_nodes; i++) {
		const struct flame_node *n = &f->nodes[i];
		double x = s->x[i];

		for (uint32_t c = 0; c < n->nr_children; c++) {
			s->x[n->first_child + c] = x;
			x += svg_width(s, n->first_child + c);
		}
		if (svg_width(s, i) >= 1 && n->depth + 1 > s->levels)
			s->levels = n->depth + 1;
	}
}

static struct share_sum svg_sum(const struct flame_node *n, unsigned int side)
{
	return (struct share_sum){ n->total[side], n->total_squares[side] };
}

/* The colour of a frame that has grown, shrunk, or changed by chance. */
static const char *svg_change(const struct svg *s, uint32_t node)
{
	const struct flame_node *n = &s->flame->nodes[node];
	const struct flame_node *root = &s->flame->nodes[0];
	struct share_sum before = svg_sum(root, 0), after = svg_sum(root, 1);
	struct share_change change = { .before = svg_sum(n, 0), .after = svg_sum(n, 1) };

	share_compare(&change, before, after);
	if (change.p >= SVG_CHANCE)
		return "#d9d7d2";
	return share_of(change.after, after) > share_of(change.before, before) ?
	       "#ee6352" : "#6f9ceb";
}

static const char *svg_colour(const struct svg *s, uint32_t node)
{
	static const char *const kinds[FLAME_NR_KINDS] = {
		[FLAME_USER] = "#f8b45a", [FLAME_KERNEL] = "#84b4ea",
		[FLAME_JIT] = "#7fcb8d", [FLAME_INLINED] = "#7fc9c6",
		[FLAME_INFERRED] = "#c7a4e0",
		[FLAME_TASK] = "#d0ccc8", [FLAME_MARK] = "#aba9a6",
	};
	uint32_t entry = s->flame->nodes[node].entry;

	if (s->mode == OUT_FLAME_DIFF)
		return svg_change(s, node);
	if (s->mode == OUT_FLAME_HOT_COLD)
		return "#f5823d";
	return kinds[node ? flame_kind(s->flame->entries[entry]) : FLAME_TASK];
}

static void svg_title(const struct svg *s, uint32_t node, const char *name)
{
	const struct flame_node *n = &s->flame->nodes[node];
	const struct flame_node *root = &s->flame->nodes[0];
	double share[2];

	for (unsigned int i = 0; i < 2; i++)
		share[i] = root->total[i] ? 100.0 * n->total[i] / root->total[i] : 0;
	fputs("<title>", s->out);
	out_flame_put_text(s->out, name);
	switch (s->mode) {
	case OUT_FLAME_DIFF:
		fprintf(s->out, ": %.2f %% before, %.2f %% after</title>", share[0],
			share[1]);
		break;
	case OUT_FLAME_HOT_COLD:
		fprintf(s->out, ": %.6f s on the CPU, %.6f s off it</title>",
			n->total[0] * 1e-9, n->total[1] * 1e-9);
		break;
	case OUT_FLAME_SINGLE:
		fprintf(s->out, ": %" PRIu64 " samples, %.2f %%</title>",
			n->total_samples[0], share[0]);
		break;
	}
}

/* Prints as much of the name as fits, in whole characters. */
static void svg_name(const struct svg *s, const char *name, double x, double y,
		     double width)
{
	size_t room = (width - 6) / SVG_LETTER, at = 0, nr = 0, cut = 0, len;
	char *part;

	if (width < 6 + 3 * SVG_LETTER)
		return;
	while (name[at] && nr <= room) {
		len = text_utf8_length((const unsigned char *)name + at);
		at += len ? len : 1;
		if (++nr + 1 == room)
			cut = at;
	}
	part = strndup(name, nr > room ? cut : at);
	if (!part)
		err_short_of_memory();
	fprintf(s->out, "<text x=\"%.2f\" y=\"%.2f\">", x + 3, y + 12);
	out_flame_put_text(s->out, part ? part : "");
	fprintf(s->out, "%s</text>", nr > room ? "…" : "");
	free(part);
}

static void svg_frame(const struct svg *s, uint32_t node)
{
	const struct flame_node *n = &s->flame->nodes[node];
	const char *name = node ? s->flame->entries[n->entry]->name : "all";
	double width = svg_width(s, node), x = s->x[node], cold = 0;
	double y = SVG_TOP + (s->levels - 1.0 - n->depth) * SVG_ROW;

	if (s->mode == OUT_FLAME_HOT_COLD && n->total[1])
		cold = n->total[1] / ((double)n->total[0] + n->total[1]);
	fputs("<g>", s->out);
	svg_title(s, node, name);
	fprintf(s->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%d\""
		" fill=\"%s\"/>", x, y, fmax(width - 0.6, 0.6), SVG_ROW - 1,
		svg_colour(s, node));
	if (cold > 0)
		fprintf(s->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
			"height=\"%d\" fill=\"#7fb0e6\"/>",
			x + (width - 0.6) * (1 - cold), y,
			fmax((width - 0.6) * cold, 0), SVG_ROW - 1);
	svg_name(s, name, x, y, width);
	fputs("</g>\n", s->out);
}

static void svg_write(struct svg *s)
{
	svg_place(s);
	fprintf(s->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%u\" viewBox=\"0 0 %d %u\" role=\"img\" "
		"font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" "
		"font-size=\"12\">\n<title>", SVG_WIDTH,
		SVG_TOP + s->levels * SVG_ROW + 6, SVG_WIDTH,
		SVG_TOP + s->levels * SVG_ROW + 6);
	out_flame_put_title(s->out, s->flame, s->mode);
	fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fcfbf9\"/>\n"
	      "<text x=\"3\" y=\"20\" font-size=\"14\">", s->out);
	out_flame_put_title(s->out, s->flame, s->mode);
	fputs("</text>\n", s->out);
	for (uint32_t n = 0;;) {
		if (svg_width(s, n) >= 1)
			svg_frame(s, n);
		n = flame_next(s->flame, n);
		if (!n)
			break;
	}
	fputs("</svg>\n", s->out);
}

int out_flame_write_svg(const struct flame *flame, enum out_flame_mode mode,
			const char *path)
{
	struct svg svg = { .flame = flame, .mode = mode };
	struct atomic_file file;

	svg.x = calloc(flame->nr_nodes, sizeof(*svg.x));
	if (!svg.x)
		return err_fail("out of memory");
	if (atomic_file_open(&file, path)) {
		free(svg.x);
		return -1;
	}
	svg.out = file.stream;
	svg_write(&svg);
	free(svg.x);
	return atomic_file_commit(&file);
}
