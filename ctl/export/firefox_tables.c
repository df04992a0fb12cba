// SPDX-License-Identifier: GPL-2.0
/* The tables of one thread of a Firefox profile. Each is an object of columns. */
#include <stdlib.h>

#include "base/grow.h"
#include "export/firefox_tables.h"

#define FIREFOX_FAILED		(-2LL)
#define FIREFOX_MARK		(1ULL << 40)	/* key of a mark: this, and the verdict */
#define FIREFOX_LIBRARY		1		/* type of a resource */

static uint64_t frame_key(const struct firefox_frame *f)
{
	return hash_u64(f->key << 8 ^ f->depth);
}

static uint64_t stack_key(const struct firefox_stack *s)
{
	return hash_u64((uint64_t)(s->prefix + 1) << 32 ^ s->frame);
}

void firefox_tables_begin(struct firefox_tables *t)
{
	strings_free(&t->strings);
	t->strings = (struct strings){ .failed = t->strings.failed };
	hash_empty(&t->func_index);
	hash_empty(&t->frame_index);
	hash_empty(&t->stack_index);
	t->nr_resources = 0;
}

void firefox_tables_free(struct firefox_tables *t)
{
	strings_free(&t->strings);
	hash_free(&t->func_index);
	hash_free(&t->frame_index);
	hash_free(&t->stack_index);
	free(t->funcs);
	free(t->frames);
	free(t->stacks);
	free(t->resources);
}

/* The number of the file's resource. There are few files. */
static int64_t resource(struct firefox_tables *t, uint32_t file)
{
	for (size_t i = 0; i < t->nr_resources; i++)
		if (t->resources[i] == file)
			return i;
	if (room_for(&t->resources, t->nr_resources + 1, &t->max_resources,
		     sizeof(*t->resources)))
		return FIREFOX_FAILED;
	t->resources[t->nr_resources] = file;
	return t->nr_resources++;
}

/* The number of a function; the arguments are used if it is new. */
static int64_t func(struct firefox_tables *t, uint64_t key, const char *name, const char *source,
		    int64_t resource)
{
	if (resource == FIREFOX_FAILED || hash_reserve(&t->func_index))
		return FIREFOX_FAILED;
	hash_for_each(i, &t->func_index, hash_u64(key))
		if (t->funcs[i].key == key)
			return i;
	if (room_for(&t->funcs, t->func_index.used + 1, &t->max_funcs, sizeof(*t->funcs)))
		return FIREFOX_FAILED;
	t->funcs[t->func_index.used] = (struct firefox_func){
		.key = key, .name = strings_number(&t->strings, name), .resource = resource,
		.file = source ? (int64_t)strings_number(&t->strings, source) : FIREFOX_NONE };
	return hash_put(&t->func_index, hash_u64(key));
}

static int64_t frame(struct firefox_tables *t, const struct firefox_frame *new)
{
	if (hash_reserve(&t->frame_index))
		return FIREFOX_FAILED;
	hash_for_each(i, &t->frame_index, frame_key(new))
		if (t->frames[i].key == new->key && t->frames[i].depth == new->depth)
			return i;
	if (room_for(&t->frames, t->frame_index.used + 1, &t->max_frames, sizeof(*t->frames)))
		return FIREFOX_FAILED;
	t->frames[t->frame_index.used] = *new;
	return hash_put(&t->frame_index, frame_key(new));
}

/* Replaces *stack by that of the frame called from it. Returns 0, or -1 when memory is short. */
static int call(struct firefox_tables *t, int64_t *stack, const struct firefox_frame *called)
{
	struct firefox_stack new = { .prefix = *stack };
	int64_t number = frame(t, called);

	if (number < 0 || hash_reserve(&t->stack_index))
		return -1;
	new.frame = number;
	hash_for_each(i, &t->stack_index, stack_key(&new)) {
		if (t->stacks[i].prefix != new.prefix || t->stacks[i].frame != new.frame)
			continue;
		*stack = i;
		return 0;
	}
	if (room_for(&t->stacks, t->stack_index.used + 1, &t->max_stacks, sizeof(new)))
		return -1;
	t->stacks[t->stack_index.used] = new;
	*stack = hash_put(&t->stack_index, stack_key(&new));
	return 0;
}

/* The functions of one recorded frame: the function itself, then those inlined there. */
static int calls(struct firefox_tables *t, int64_t *stack, const struct stacks_frame *recorded)
{
	int64_t number = locations_number(t->locations, recorded);
	const struct symbols_frame *list;
	const struct location *l;
	size_t nr;

	if (number < 0)
		return -1;
	l = &t->locations->list[number];
	list = locations_frames(t->locations, l, &nr);
	for (size_t i = 0; i < nr; i++) {
		const struct symbols_function *f =
			symbols_function(t->analysis->symbols, list[i].function);
		int64_t of = func(t, list[i].function, f->name, list[i].file,
				  resource(t, l->place.file));
		struct firefox_frame new = {
			.key = number, .depth = i, .func = of,
			.address = l->function_only ? -1 : (int64_t)l->place.addr,
			.line = list[i].line && !l->function_only ? list[i].line : FIREFOX_NONE,
			.category = f->kernel ? FIREFOX_KERNEL : FIREFOX_USER };

		if (of < 0 || call(t, stack, &new))
			return -1;
	}
	return 0;
}

/* Adds a frame that stands for a mark. */
static int call_mark(struct firefox_tables *t, int64_t *stack, unsigned int mark,
		     const char *name)
{
	struct firefox_frame frame = { .key = FIREFOX_MARK + mark, .address = -1,
				       .line = FIREFOX_NONE };
	char text[32];
	int64_t of;

	snprintf(text, sizeof(text), "[%s]", name);
	of = func(t, frame.key, text, NULL, FIREFOX_NONE);
	frame.func = of;
	return of < 0 ? -1 : call(t, stack, &frame);
}

int64_t firefox_tables_stack(struct firefox_tables *t, const struct analysis *a,
			     const struct trace *trace)
{
	int64_t stack = FIREFOX_NONE;

	if (!trace->whole &&
	    call_mark(t, &stack, trace->verdict, stacks_verdict_name(trace->verdict)))
		return FIREFOX_FAILED;
	for (size_t i = trace->nr; i-- > 0;)
		if (calls(t, &stack, &a->traces.frames[trace->first + i]))
			return FIREFOX_FAILED;
	return stack;
}

static void put_number(struct json *j, int64_t number, int64_t null)
{
	if (number == null)
		json_null(j, NULL);
	else
		json_signed(j, NULL, number);
}

/* A column of a table: the field of each row, or null where it has that value. */
#define COLUMN(j, key, nr, value, null)				\
	do {							\
		json_array(j, key);				\
		for (size_t i = 0; i < (nr); i++)		\
			put_number(j, value, null);		\
		json_close(j);					\
	} while (0)
#define NEVER	INT64_MIN

static void put_frames(const struct firefox_tables *t, struct json *j)
{
	const struct firefox_frame *list = t->frames;
	size_t nr = t->frame_index.used;

	json_object(j, "frameTable");
	json_unsigned(j, "length", nr);
	COLUMN(j, "address", nr, list[i].address, NEVER);
	COLUMN(j, "inlineDepth", nr, list[i].depth, NEVER);
	COLUMN(j, "category", nr, list[i].category, NEVER);
	COLUMN(j, "subcategory", nr, 0, NEVER);
	COLUMN(j, "func", nr, list[i].func, NEVER);
	COLUMN(j, "nativeSymbol", nr, FIREFOX_NONE, FIREFOX_NONE);
	COLUMN(j, "innerWindowID", nr, FIREFOX_NONE, FIREFOX_NONE);
	COLUMN(j, "implementation", nr, FIREFOX_NONE, FIREFOX_NONE);
	COLUMN(j, "line", nr, list[i].line, FIREFOX_NONE);
	COLUMN(j, "column", nr, FIREFOX_NONE, FIREFOX_NONE);
	json_close(j);
}

static void put_false(struct json *j, const char *key, size_t nr)
{
	json_array(j, key);
	for (size_t i = 0; i < nr; i++)
		json_bool(j, NULL, false);
	json_close(j);
}

static void put_funcs(const struct firefox_tables *t, struct json *j)
{
	const struct firefox_func *list = t->funcs;
	size_t nr = t->func_index.used;

	json_object(j, "funcTable");
	json_unsigned(j, "length", nr);
	COLUMN(j, "name", nr, list[i].name, NEVER);
	put_false(j, "isJS", nr);
	put_false(j, "relevantForJS", nr);
	COLUMN(j, "resource", nr, list[i].resource, NEVER);	/* -1: none */
	COLUMN(j, "fileName", nr, list[i].file, FIREFOX_NONE);
	COLUMN(j, "lineNumber", nr, FIREFOX_NONE, FIREFOX_NONE);
	COLUMN(j, "columnNumber", nr, FIREFOX_NONE, FIREFOX_NONE);
	json_close(j);
}

/* Takes the names of the files into the strings: call it before these are written. */
static void put_resources(struct firefox_tables *t, struct json *j)
{
	size_t nr = t->nr_resources;

	json_object(j, "resourceTable");
	json_unsigned(j, "length", nr);
	COLUMN(j, "lib", nr, t->libs[t->resources[i]], FIREFOX_NONE);
	COLUMN(j, "name", nr, strings_number(&t->strings, locations_path(t->locations,
							    t->resources[i])), NEVER);
	COLUMN(j, "host", nr, FIREFOX_NONE, FIREFOX_NONE);
	COLUMN(j, "type", nr, FIREFOX_LIBRARY, NEVER);
	json_close(j);
}

void firefox_tables_put(struct firefox_tables *t, struct json *j)
{
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize" };
	size_t nr = t->stack_index.used;

	json_line(j);
	put_frames(t, j);
	json_line(j);
	put_funcs(t, j);
	json_line(j);
	put_resources(t, j);
	json_object(j, "nativeSymbols");
	json_unsigned(j, "length", 0);
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		json_array(j, symbols[i]);
		json_close(j);
	}
	json_close(j);
	json_line(j);
	json_object(j, "stackTable");
	json_unsigned(j, "length", nr);
	COLUMN(j, "frame", nr, t->stacks[i].frame, NEVER);
	COLUMN(j, "prefix", nr, t->stacks[i].prefix, FIREFOX_NONE);
	COLUMN(j, "category", nr, t->frames[t->stacks[i].frame].category, NEVER);
	COLUMN(j, "subcategory", nr, 0, NEVER);
	json_close(j);
	json_line(j);
	json_array(j, "stringArray");
	for (size_t i = 0; i < t->strings.index.used; i++)
		json_text(j, NULL, t->strings.list[i]);
	json_close(j);
}
