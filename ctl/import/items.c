// SPDX-License-Identifier: GPL-2.0
/* Finds the samples in a text of `perf script`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/err.h"
#include "base/grow.h"
#include "base/tempfile.h"
#include "import/items.h"

#define ITEMS_LINE_MAX	(1 << 20)	/* bytes */
#define ITEMS_BLOCK_MAX	(1 << 24)
/* perf script pads addresses to ADDRESS_WIDTH columns. A word of ADDRESS_DIGITS hexadecimal digits is an address. */
#define ADDRESS_WIDTH	16
#define ADDRESS_DIGITS	8

/* What may follow a frame in its line. */
static const char *const behind[] = { " insn: ", " => ", " ilen: " };

struct line {
	char *text;
	size_t room;
};

struct items {
	char *path;
	FILE *in;
	struct line first, next;	/* the first line of the item; and that of the next, which ends a sample, */
	struct text_head head;		/* parsed, if has_head */
	bool has_head;
	struct line line;		/* the line that was read last */
	char *block;			/* the other lines of the sample, each with its NUL */
	size_t size, room;
	uint64_t nr_lines, strange, first_strange;
};

static bool is_blank(const char *line)
{
	return !line[strspn(line, " \t")];
}

static int copy(struct items *items, FILE *out)
{
	char buffer[1 << 16];
	size_t got;

	while ((got = fread(buffer, 1, sizeof(buffer), items->in)))
		if (fwrite(buffer, 1, got, out) != got)
			return temporary_failed(items->path);
	return ferror(items->in) ? err_errno("reading %s", items->path) : 0;
}

/* A pipe becomes a file. */
static int make_seekable(struct items *items)
{
	FILE *file;

	if (!fseeko(items->in, 0, SEEK_SET))
		return 0;
	file = temporary_open(items->path);
	if (!file)
		return -1;
	if (copy(items, file) || fseeko(file, 0, SEEK_SET)) {
		fclose(file);
		return -1;
	}
	if (items->in != stdin)
		fclose(items->in);
	items->in = file;
	return 0;
}

struct items *items_open(const char *path)
{
	struct items *items = calloc(1, sizeof(*items));
	struct stat status;

	if (!items) {
		err_fail("out of memory");
		return NULL;
	}
	items->path = strdup(strcmp(path, "-") ? path : "the standard input");
	items->in = strcmp(path, "-") ? fopen(path, "re") : stdin;
	/* The output is for those who may read the text. Who may read a pipe's data is not known. */
	if (items->in && !fstat(fileno(items->in), &status))
		atomic_file_limit(S_ISREG(status.st_mode) ? status.st_mode : 0600, status.st_gid);
	if (!items->path || !items->in)
		err_errno("opening %s", path);
	else if (!make_seekable(items))
		return items;
	items_close(items);
	return NULL;
}

int items_rewind(struct items *items)
{
	items->has_head = false;
	items->nr_lines = items->strange = 0;
	return fseeko(items->in, 0, SEEK_SET) ? err_errno("reading %s again", items->path) : 0;
}

/* Reads a line without its end. 1: there is one; 0: the end; -1: a message. */
static int read_line(struct items *items)
{
	struct line *line = &items->line;
	size_t size = 0;
	int c;

	items->nr_lines++;
	while ((c = getc_unlocked(items->in)) != EOF && c != '\n') {
		if (!c)
			return err_fail("%s: line %" PRIu64 " has a zero byte: this is no text of 'perf script'; 'lbrctl report' reads captures",
					items->path, items->nr_lines);
		if (size == ITEMS_LINE_MAX)
			return err_fail("%s: line %" PRIu64 " has more than %d bytes: this is no text of 'perf script'", items->path,
					items->nr_lines, ITEMS_LINE_MAX);
		if (room_for(&line->text, size + 2, &line->room, 1))
			return err_fail("out of memory");
		line->text[size++] = c;
	}
	if (c == EOF && (ferror(items->in) || !size))
		return ferror(items->in) ? err_errno("reading %s", items->path) : 0;
	if (room_for(&line->text, size + 1, &line->room, 1))
		return err_fail("out of memory");
	line->text[size - (size && line->text[size - 1] == '\r')] = '\0';
	return 1;
}

static void note_strange(struct items *items, uint64_t line)
{
	if (!items->strange++)
		items->first_strange = line;
}

/* If the line begins an item, keeps it as the next one's. */
static bool take_head(struct items *items)
{
	struct line line = items->line;

	if (!text_head(line.text, &items->head))
		return false;
	items->line = items->next;
	items->next = line;
	items->has_head = true;
	return true;
}

/* Looks for the next item. 1, 0 or -1 as read_line(). */
static int find_head(struct items *items)
{
	int ret = 1;

	while (!items->has_head && (ret = read_line(items)) > 0)
		if (!take_head(items) && *items->line.text != '#' && !is_blank(items->line.text))
			note_strange(items, items->nr_lines);
	return ret;
}

static int keep_line(struct items *items)
{
	const size_t size = strlen(items->line.text) + 1;

	if (room_for(&items->block, items->size + size, &items->room, 1))
		return err_fail("out of memory");
	memcpy(items->block + items->size, items->line.text, size);
	items->size += size;
	return 0;
}

/* Keeps the lines up to the next item, or to an empty line. */
static int keep_lines(struct items *items)
{
	int ret;

	items->size = 0;
	while ((ret = read_line(items)) > 0) {
		if (is_blank(items->line.text) || take_head(items))
			return 0;
		if (items->size > ITEMS_BLOCK_MAX)
			return err_fail("%s: line %" PRIu64 ": a sample has more than %d bytes", items->path, items->nr_lines,
					ITEMS_BLOCK_MAX);
		if (keep_line(items))
			return -1;
	}
	return ret;
}

/* Takes the branches off the end of a text. */
static int cut_branches(struct items *items, struct item *item, char *text)
{
	struct perf_branch_entry branch;
	const char *at;

	for (char *blank = strstr(text, " 0x"); blank; blank = strstr(blank + 1, " 0x")) {
		at = blank;
		if (!text_branch(&at, &branch))
			continue;
		for (at = blank; text_branch(&at, &branch); item->branches[item->nr_branches++] = branch)
			if (item->nr_branches == ITEMS_BRANCHES_MAX)
				return err_fail("%s: line %" PRIu64 ": the sample before it has more than %d branches",
						items->path, items->nr_lines, ITEMS_BRANCHES_MAX);
		*blank = '\0';
		return 0;
	}
	return 0;
}

/* Takes branches and a frame from a text. *known: it was one of these. */
static int take_text(struct items *items, struct item *item, char *text, bool *known)
{
	const size_t before = item->nr_branches;
	struct text_frame frame;

	*known = false;
	if (cut_branches(items, item, text))
		return -1;
	if (text_frame(text, &frame)) {
		if (item->nr_frames == ITEMS_FRAMES_MAX)
			return err_fail("%s: line %" PRIu64 ": the stack before it has more than %d frames", items->path,
					items->nr_lines, ITEMS_FRAMES_MAX);
		item->frames[item->nr_frames++] = frame;
		*known = true;
	}
	*known |= item->nr_branches > before;
	return 0;
}

/* Takes what follows the event. It is a frame only of a sample without a chain, which else is an address (-F addr) or the data
 * of a tracepoint; an address of the data comes before that of the frame. */
static int take_rest(struct items *items, struct item *item, uint64_t line)
{
	static const char digits[] = "0123456789abcdef";
	char *rest = item->head.rest, *next, *end;
	bool padded, known;

	if (cut_branches(items, item, rest) || item->is_chain)
		return item->is_chain ? 0 : -1;
	for (;;) {
		char *at = rest + strspn(rest, " \t");

		end = at + strspn(at, digits);
		next = end + strspn(end, " \t");
		padded = end > at && end - rest >= ADDRESS_WIDTH;
		if (end == at || end == next || strspn(next, digits) < ADDRESS_DIGITS)
			break;
		rest = end;
	}
	/* Of the instruction (-F insn), and of where a branch goes. */
	for (size_t i = 0; i < sizeof(behind) / sizeof(*behind); i++)
		if (strstr(rest, behind[i]))
			*strstr(rest, behind[i]) = '\0';
	for (end = rest + strlen(rest); end > rest && (end[-1] == ' ' || end[-1] == '\t'); end--)
		end[-1] = '\0';
	known = !strstr(rest, " (/");
	/* Other fields, such as branches by name, follow the file. */
	next = strstr(rest, ") ");
	if (next && strstr(rest, "+0x") && strstr(rest, "+0x") < next && strstr(next + 2, "/-/")) {
		next[1] = '\0';
		note_strange(items, line);
	}
	if ((padded || (end > rest && end[-1] == ')') || strstr(rest, "+0x")) && take_text(items, item, rest, &known))
		return -1;
	if (!known)
		note_strange(items, line);
	return 0;
}

/* The file of an inlined function is that of the function that has its code, which follows with the same address. perf also
 * calls a function inlined that has another name in the symbol table than in DWARF, and leaves its file out. */
static void name_files(struct item *item)
{
	static char unknown[] = ITEMS_NO_FILE, kernel[] = "[kernel.kallsyms]";

	for (size_t i = item->nr_frames; i-- > 0;) {
		struct text_frame *frame = &item->frames[i];

		if (!frame->inlined && !frame->file && frame->name) {
			/* -F without dso. Positions say nothing without their file. */
			frame->file = frame->address >> 63 ? kernel : unknown;
			frame->inlined = !(frame->address >> 63);
		} else if (frame->inlined)
			frame->file = i + 1 < item->nr_frames && frame[1].address == frame->address ? frame[1].file : unknown;
	}
}

static int take_sample(struct items *items, struct item *item)
{
	const uint64_t first = items->nr_lines;
	uint64_t line = first;
	bool known;

	item->kind = ITEMS_SAMPLE;
	item->nr_frames = item->nr_branches = 0;
	if (keep_lines(items))
		return -1;
	for (size_t at = 0, next; at < items->size; at = next) {
		char *text = items->block + at;

		next = at + strlen(text) + 1;
		line++;
		if (take_text(items, item, text, &known))
			return -1;
		if (!known && *text != '#')
			note_strange(items, line);
	}
	item->is_chain = item->nr_frames > 0;
	if (take_rest(items, item, first))
		return -1;
	name_files(item);
	return 0;
}

/* Whether the line of a record of the kernel's is of use. */
static bool take_record(struct item *item)
{
	const struct text_head *head = &item->head;

	if (!strcmp(head->event, "PERF_RECORD_MMAP") || !strcmp(head->event, "PERF_RECORD_MMAP2")) {
		item->kind = ITEMS_MAPPING;
		return text_mapping(head->rest, &item->mapping) && item->mapping.has_code && item->mapping.pid >= 0 &&
		       !(item->mapping.start >> 63);
	}
	item->kind = ITEMS_LOST;
	return sscanf(head->rest, " lost %" SCNu64, &item->lost) == 1;
}

int items_next(struct items *items, struct item *item)
{
	int ret;

	while ((ret = find_head(items)) > 0) {
		struct line line = items->first;

		items->first = items->next;
		items->next = line;
		items->has_head = false;
		item->head = items->head;
		if (strncmp(item->head.event, "PERF_RECORD_", 12))
			return take_sample(items, item) ? -1 : 1;
		if (take_record(item))
			return 1;
	}
	return ret;
}

uint64_t items_strange(const struct items *items, uint64_t *first)
{
	*first = items->first_strange;
	return items->strange;
}

void items_close(struct items *items)
{
	if (!items)
		return;
	if (items->in && items->in != stdin)
		fclose(items->in);
	free(items->first.text);
	free(items->next.text);
	free(items->line.text);
	free(items->block);
	free(items->path);
	free(items);
}
