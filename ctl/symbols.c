// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "kernel.h"
#include "names.h"
#include "symbols.h"

/* A function of a file; places of one without a known start share start 0. */
struct function {
	struct symbols_function public;
	uint32_t file;
};

struct lookup {
	struct place place;
	uint32_t function;
};

struct symbols {
	struct maps *maps;
	struct function **functions;	/* each allocated, so they stay put */
	size_t max_functions;
	struct hash function_index;
	struct lookup *lookups;
	size_t max_lookups;
	struct hash lookup_index;
	struct kernel *kernel;
	bool kernel_tried;
	const char *kernel_note;
	struct function out_of_memory;
};

static uint64_t function_key(uint32_t file, uint64_t start, bool known)
{
	return hash_add(hash_add(hash_u64(file), start), known);
}

static uint64_t function_hash(const void *ctx, size_t i)
{
	const struct function *f = ((const struct symbols *)ctx)->functions[i];

	return function_key(f->file, f->public.start, f->public.known);
}

static uint64_t lookup_hash(const void *ctx, size_t i)
{
	struct place p = ((const struct symbols *)ctx)->lookups[i].place;

	return hash_add(hash_u64(p.file), p.addr);
}

/* What a place is in, before it has a number. Strings are borrowed. */
struct found {
	uint64_t start;
	const char *name;		/* NULL: known only by its bounds */
	const char *object;
	bool known;
};

static void kernel_load(struct symbols *s)
{
	const struct maps_kernel *where = maps_kernel(s->maps);

	s->kernel_tried = true;
	if (!where->build_id_size)
		s->kernel_note = "the capture does not say which kernel it is of";
	else if (!kernel_is_running(where->build_id, where->build_id_size))
		s->kernel_note = "the capture is of another kernel than the one that runs here";
	else
		s->kernel = kernel_open(where->known ? where->symbol : NULL,
					where->address, &s->kernel_note);
	if (s->kernel)
		s->kernel_note = NULL;
}

static struct found find_kernel(struct symbols *s, uint64_t addr)
{
	const struct kernel_symbol *symbol = NULL;
	struct found found = { 0, NULL, NULL, false };

	if (!s->kernel_tried)
		kernel_load(s);
	if (s->kernel)
		symbol = kernel_symbol(s->kernel, addr);
	found.object = maps_kernel_name(s->maps, addr);
	if (symbol) {
		found.start = symbol->start;
		found.name = symbol->name;
		found.known = true;
		if (symbol->module && !found.object)
			found.object = symbol->module;
	}
	if (!found.object)
		found.object = "[kernel.kallsyms]";
	return found;
}

static struct found find_user(struct symbols *s, struct place p)
{
	const struct maps_file *file = maps_file(s->maps, p.file);
	const struct object_symbol *symbol;
	struct found found = { 0, NULL, file->path, false };
	struct object_range range;

	if (!file->object)
		return found;
	found.name = object_plt(file->object, p.addr, &range);
	if (found.name) {
		found.start = range.start;
		found.known = true;
		return found;
	}
	symbol = object_symbol(file->object, p.addr);
	if (symbol) {
		found.start = symbol->start;
		found.name = symbol->name;
		found.known = true;
	} else if (object_function(file->object, p.addr, &range)) {
		found.start = range.start;
		found.known = true;
	}
	return found;
}

/* "module" of kallsyms is shown as perf shows it: "[module]". */
static char *object_name(const struct found *found, bool kernel)
{
	char *name = NULL;
	int len;

	if (!found->object)
		return strdup("[unknown]");
	if (!kernel || *found->object == '[' || *found->object == '/')
		return names_demangle(found->object);
	len = asprintf(&name, "[%s]", found->object);
	return len < 0 ? NULL : name;
}

static char *function_name(const struct found *found)
{
	const char *base;
	char *path, *name = NULL;
	int len;

	if (found->name)
		return names_demangle(found->name);
	if (!found->known || !found->object)
		return strdup("[unknown]");
	path = names_demangle(found->object);
	if (!path)
		return NULL;
	base = strrchr(path, '/');
	len = asprintf(&name, "%s+0x%" PRIx64, base ? base + 1 : path,
		       found->start);
	free(path);
	return len < 0 ? NULL : name;
}

static struct function *function_new(struct place p, const struct found *found)
{
	struct function *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->file = p.file;
	f->public.kernel = p.file == MAPS_KERNEL;
	f->public.start = found->start;
	f->public.known = found->known;
	f->public.name = function_name(found);
	f->public.object = object_name(found, f->public.kernel);
	if (f->public.name && f->public.object)
		return f;
	free((char *)f->public.name);
	free((char *)f->public.object);
	free(f);
	return NULL;
}

/* Index 0 is the function that stands for "memory is short". */
static uint32_t function_number(struct symbols *s, struct place p,
				const struct found *found)
{
	struct function *f;
	size_t slot;

	if (hash_reserve(&s->function_index, function_hash, s))
		return 0;
	slot = hash_first(&s->function_index,
			  function_key(p.file, found->start, found->known));
	for (uint32_t i; (i = s->function_index.slots[slot]);
	     slot = hash_next(&s->function_index, slot)) {
		f = s->functions[i - 1];
		if (f->file == p.file && f->public.start == found->start &&
		    f->public.known == found->known)
			return i;
	}
	if (s->function_index.used == s->max_functions) {
		size_t max = s->max_functions ? 2 * s->max_functions : 256;
		struct function **list;

		list = realloc(s->functions, max * sizeof(*list));
		if (!list)
			return 0;
		s->functions = list;
		s->max_functions = max;
	}
	f = function_new(p, found);
	if (!f)
		return 0;
	s->functions[s->function_index.used] = f;
	s->function_index.slots[slot] = ++s->function_index.used;
	return s->function_index.used;
}

uint32_t symbols_find(struct symbols *s, struct place p)
{
	uint64_t key = hash_add(hash_u64(p.file), p.addr);
	struct found found;
	struct lookup *list;
	uint32_t number;
	size_t slot = 0;
	bool keep = !hash_reserve(&s->lookup_index, lookup_hash, s);

	if (keep) {
		slot = hash_first(&s->lookup_index, key);
		for (uint32_t i; (i = s->lookup_index.slots[slot]);
		     slot = hash_next(&s->lookup_index, slot)) {
			struct lookup *l = &s->lookups[i - 1];

			if (l->place.file == p.file && l->place.addr == p.addr)
				return l->function;
		}
	}
	found = p.file == MAPS_KERNEL ? find_kernel(s, p.addr) : find_user(s, p);
	number = function_number(s, p, &found);
	if (keep && s->lookup_index.used == s->max_lookups) {
		size_t max = s->max_lookups ? 2 * s->max_lookups : 1024;

		list = realloc(s->lookups, max * sizeof(*list));
		if (!list)
			return number;
		s->lookups = list;
		s->max_lookups = max;
	}
	if (keep) {
		s->lookups[s->lookup_index.used] = (struct lookup){ p, number };
		s->lookup_index.slots[slot] = ++s->lookup_index.used;
	}
	return number;
}

const struct symbols_function *symbols_function(const struct symbols *s,
						uint32_t id)
{
	return id ? &s->functions[id - 1]->public : &s->out_of_memory.public;
}

const char *symbols_kernel_note(const struct symbols *s)
{
	return s->kernel_note;
}

struct symbols *symbols_new(struct maps *maps)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->maps = maps;
	s->out_of_memory.public.name = "[out of memory]";
	s->out_of_memory.public.object = "[unknown]";
	return s;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->function_index.used; i++) {
		free((char *)s->functions[i]->public.name);
		free((char *)s->functions[i]->public.object);
		free(s->functions[i]);
	}
	free(s->functions);
	free(s->lookups);
	hash_free(&s->function_index);
	hash_free(&s->lookup_index);
	kernel_close(s->kernel);
	free(s);
}
