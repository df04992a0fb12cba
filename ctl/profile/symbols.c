// SPDX-License-Identifier: GPL-2.0
/* Finds the functions at a place, with those inlined there. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/hash.h"
#include "object/demangle.h"
#include "object/kallsyms.h"
#include "profile/symbols.h"

/* The kernel, its modules, and what it compiles lie in the last 2 GiB of the address space
 * (Documentation/arch/x86/x86_64/mm.rst). */
#define KERNEL_CODE	0xffffffff80000000ULL

/* A function of a file; places of a function without a known start have start 0. */
struct function {
	struct symbols_function public;
	uint32_t file;
	const char *spelling;		/* name of an inlined function, which alone identifies
					 * it; belongs to the file */
};

struct lookup {
	struct place place;
	uint32_t first, nr;		/* frames */
	uint32_t capture;		/* valid for this capture only; 0: for all */
};

struct symbols {
	struct maps *maps;
	struct symbols_options options;
	struct function **functions;	/* each allocated, so they stay put */
	size_t max_functions;
	struct hash function_index;
	struct lookup *lookups;
	size_t max_lookups;
	struct hash lookup_index;
	struct symbols_frame *frames;
	size_t nr_frames, max_frames;
	uint32_t capture;		/* number of the capture */
	bool settled;			/* what is stored is valid for this capture */
	struct kernel *kernel;
	uint32_t kernel_capture;	/* the capture it was loaded for; 0: not tried */
	uint64_t kernel_state;		/* then */
	const char *kernel_note;
	struct function out_of_memory;
};

static uint64_t function_key(uint32_t file, uint64_t start, bool known,
			     const char *spelling)
{
	uint64_t key = hash_add(hash_add(hash_u64(file), start), known);

	for (; spelling && *spelling; spelling++)
		key = hash_add(key, (unsigned char)*spelling);
	return key;
}

/* The function at a place, before it has a number. Strings are borrowed. */
struct found {
	uint64_t start;
	const char *name;		/* NULL: known only by its bounds */
	const char *object;
	bool known, inlined;
};

/* Returns a number that changes with the kernel's code, but for what it makes at run time. */
static uint64_t kernel_state(const struct maps_kernel *kernel)
{
	uint64_t state = hash_add(kernel->mappings, kernel->address);

	for (size_t i = 0; i < kernel->build_id_size; i++)
		state = hash_add(state, kernel->build_id[i]);
	return state;
}

static void kernel_load(struct symbols *s)
{
	const struct maps_kernel *where = maps_kernel(s->maps);
	const struct machine *machine = maps_machine(s->maps);

	s->kernel_capture = s->capture;
	s->kernel_state = kernel_state(where);
	kernel_close(s->kernel);
	s->kernel = NULL;
	if (!where->build_id_size)
		s->kernel_note = "the capture does not name its kernel";
	else if (!kernel_is_here(machine, where->build_id, where->build_id_size))
		s->kernel_note = "the capture comes from another kernel than the running one";
	else
		s->kernel = kernel_open(machine, where->build_id, where->build_id_size,
					where->known ? where->symbol : NULL, where->address,
					&s->kernel_note);
	if (s->kernel)
		s->kernel_note = NULL;
}

static struct found find_kernel(struct symbols *s, uint64_t addr)
{
	const struct kernel_symbol *symbol = NULL;
	struct found found = { 0 };

	found.object = maps_kernel_name(s->maps, addr);
	/* Code in no mapping, at an address that is new, may be that of BPF, made since. */
	if (!s->kernel_capture || (!found.object && addr >= KERNEL_CODE &&
				   s->kernel_capture != s->capture))
		kernel_load(s);
	if (s->kernel)
		symbol = kernel_symbol(s->kernel, addr);
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

/* Names code that a program made at run time. */
static void find_made(struct symbols *s, struct place p, const struct maps_file *file,
		      struct found *found)
{
	const struct perfmap *map = maps_perfmap(s->maps, p.file);
	const struct jitdump_code *code = file->jitdump ?
		jitdump_find(file->jitdump, p.addr) : NULL;
	const struct perfmap_function *function = map ? perfmap_find(map, p.addr) : NULL;

	if (code) {
		found->start = code->start;
		found->name = code->name;
	} else if (function) {
		found->start = function->start;
		found->name = function->name;
	}
	found->known = code || function;
}

static struct found find_user(struct symbols *s, struct place p)
{
	const struct maps_file *file = maps_file(s->maps, p.file);
	const struct object_symbol *symbol;
	struct found found = { .object = file->path };
	struct object_range range;

	if (!file->object) {
		find_made(s, p, file, &found);
		return found;
	}
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
	if (s->options.targets && targets_find(s->options.targets, p, &found.start)) {
		found.name = NULL;
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
		return names_clean(found->object);
	len = asprintf(&name, "[%s]", found->object);
	return len < 0 ? NULL : name;
}

static char *function_name(const struct symbols *s, const struct found *found)
{
	const char *base;
	char *path, *name = NULL;
	int len;

	if (found->name)
		return s->options.mangled ? names_clean(found->name) :
					    names_demangle(found->name);
	if (!found->known || !found->object)
		return strdup("[unknown]");
	path = names_clean(found->object);
	if (!path)
		return NULL;
	base = strrchr(path, '/');
	len = asprintf(&name, "%s+0x%" PRIx64, base ? base + 1 : path,
		       found->start);
	free(path);
	return len < 0 ? NULL : name;
}

static struct function *function_new(const struct symbols *s, struct place p,
				     const struct found *found)
{
	struct function *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->file = p.file;
	f->public.kernel = p.file == MAPS_KERNEL;
	f->public.start = found->start;
	f->public.known = found->known;
	f->public.named = found->name;
	f->public.inlined = found->inlined;
	f->spelling = found->inlined ? found->name : NULL;
	f->public.name = function_name(s, found);
	f->public.object = object_name(found, f->public.kernel);
	if (f->public.name && f->public.object)
		return f;
	free((char *)f->public.name);
	free((char *)f->public.object);
	free(f);
	return NULL;
}

static bool function_is(const struct function *f, struct place p,
			const struct found *found)
{
	return f->file == p.file && f->public.start == found->start &&
	       f->public.known == found->known &&
	       f->public.inlined == found->inlined &&
	       (!f->spelling || !strcmp(f->spelling, found->name));
}

/* Index 0 is the function that stands for "memory is short". */
static uint32_t function_number(struct symbols *s, struct place p,
				const struct found *found)
{
	uint64_t key = function_key(p.file, found->start, found->known,
				    found->inlined ? found->name : NULL);
	struct function *f;

	if (hash_reserve(&s->function_index))
		return 0;
	hash_for_each(i, &s->function_index, key)
		if (function_is(s->functions[i], p, found))
			return i + 1;
	if (room_for(&s->functions, s->function_index.used + 1, &s->max_functions, sizeof(f)))
		return 0;
	f = function_new(s, p, found);
	if (!f)
		return 0;
	s->functions[hash_put(&s->function_index, key)] = f;
	return s->function_index.used;
}

/* Appends the frames of a place. Returns their number, 0 when memory is short. The function
 * itself is named by its symbol, even if DWARF has another name. */
static uint32_t frames_add(struct symbols *s, struct place p)
{
	const struct object *object = p.file == MAPS_KERNEL ? NULL :
				      maps_file(s->maps, p.file)->object;
	struct found found = p.file == MAPS_KERNEL ? find_kernel(s, p.addr) :
						     find_user(s, p);
	struct inlines_frame inlines[INLINES_MAX];
	bool asked = object && (s->options.lines || !s->options.no_inlines);
	size_t nr = asked ? object_inlines(object, p.addr, s->options.lines, inlines) : 0;
	struct symbols_frame *frame;

	if (room_for(&s->frames, s->nr_frames + nr + 1, &s->max_frames,
		     sizeof(*s->frames)))
		return 0;
	frame = &s->frames[s->nr_frames];
	*frame = (struct symbols_frame){ .function = function_number(s, p, &found) };
	if (s->options.no_inlines && nr > 1)
		nr = 1;		/* the line is that of the instruction */
	if (nr) {
		frame->file = inlines[nr - 1].file;
		frame->line = inlines[nr - 1].line;
	}
	for (size_t i = nr; i-- > 1;) {
		struct inlines_frame *in = &inlines[i - 1];

		found = (struct found){ 0, in->name ? in->name : "[unnamed]",
					found.object, true, true };
		*++frame = (struct symbols_frame){
			function_number(s, p, &found), in->line, in->file };
	}
	return nr ? nr : 1;
}

/* Forgets all results. */
static void symbols_empty(struct symbols *s)
{
	for (size_t i = 0; i < s->function_index.used; i++) {
		free((char *)s->functions[i]->public.name);
		free((char *)s->functions[i]->public.object);
		free(s->functions[i]);
	}
	hash_empty(&s->function_index);
	hash_empty(&s->lookup_index);
	s->nr_frames = 0;
	kernel_close(s->kernel);
	s->kernel = NULL;
	s->kernel_capture = 0;
}

/* All records of the capture have been read at the first lookup. */
static void settle(struct symbols *s)
{
	if (!s->settled && s->kernel_capture &&
	    s->kernel_state != kernel_state(maps_kernel(s->maps)))
		symbols_empty(s);
	s->settled = true;
}

/* Whether the capture's call targets decide which function is there. */
static bool is_by_targets(const struct symbols *s, struct place p)
{
	const struct object *o = p.file == MAPS_KERNEL ? NULL : maps_file(s->maps, p.file)->object;
	uint64_t from;

	return s->options.targets && o && object_unclaimed(o, p.addr, &from);
}

/* Looks a place up. Returns 0, or -1 when memory is short. */
static int lookup_make(struct symbols *s, struct place p, struct lookup *l)
{
	uint32_t nr = frames_add(s, p);

	*l = (struct lookup){ p, s->nr_frames, nr, is_by_targets(s, p) ? s->capture : 0 };
	s->nr_frames += nr;
	return nr ? 0 : -1;
}

/* Returns 1 + the number of the place's lookup; 0 when memory is short. */
static uint32_t lookup_number(struct symbols *s, struct place p)
{
	uint64_t hash = hash_u64(maps_place_key(p));
	struct lookup new;

	settle(s);
	if (hash_reserve(&s->lookup_index))
		return 0;
	hash_for_each(i, &s->lookup_index, hash) {
		struct lookup *l = &s->lookups[i];

		if (!maps_same_place(l->place, p))
			continue;
		if (l->capture && l->capture != s->capture && lookup_make(s, p, l))
			return 0;
		return i + 1;
	}
	if (room_for(&s->lookups, s->lookup_index.used + 1, &s->max_lookups,
		     sizeof(*s->lookups)) || lookup_make(s, p, &new))
		return 0;
	s->lookups[hash_put(&s->lookup_index, hash)] = new;
	return s->lookup_index.used;
}

const struct symbols_frame *symbols_frames(struct symbols *s, struct place p,
					   size_t *nr)
{
	static const struct symbols_frame out_of_memory;
	uint32_t number = lookup_number(s, p);

	*nr = number ? s->lookups[number - 1].nr : 1;
	return number ? &s->frames[s->lookups[number - 1].first] : &out_of_memory;
}

uint32_t symbols_find(struct symbols *s, struct place p)
{
	size_t nr;

	return symbols_frames(s, p, &nr)->function;
}

const struct symbols_function *symbols_function(const struct symbols *s,
						uint32_t id)
{
	if (id)
		return &s->functions[id - 1]->public;
	err_short_of_memory();
	return &s->out_of_memory.public;
}

const char *symbols_kernel_note(const struct symbols *s)
{
	return s->kernel_note;
}

struct symbols *symbols_new(struct maps *maps,
			    const struct symbols_options *options)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->maps = maps;
	s->options = *options;
	s->capture = 1;
	s->out_of_memory.public.name = "[out of memory]";
	s->out_of_memory.public.object = "[unknown]";
	return s;
}

void symbols_begin(struct symbols *s, struct targets *targets)
{
	s->options.targets = targets;
	s->capture++;
	s->settled = false;
}

size_t symbols_nr(const struct symbols *s)
{
	return s->lookup_index.used + s->nr_frames;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	symbols_empty(s);
	free(s->functions);
	free(s->lookups);
	free(s->frames);
	hash_free(&s->function_index);
	hash_free(&s->lookup_index);
	free(s);
}
