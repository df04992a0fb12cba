// SPDX-License-Identifier: GPL-2.0
/* Names functions by the namespaces, classes and functions around their declarations. */
#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/search.h"
#include "object/scopes.h"

/* Limits far above any real file, which bound the cost of a hostile one. */
#define SCOPES_DEPTH		512		/* of nested scopes */
#define SCOPES_FUNCTIONS	16		/* around a function, each declared in another one */
#define SCOPES_ORIGINS		8		/* from an inlined function to its declaration */
#define SCOPES_NAME		4096		/* bytes of a name */
#define SCOPES_MARKS		(1U << 22)	/* of one file */

/* The children of a scope between two that are known. */
#define SCOPES_STRIDE		16

/* A class without a name, such as that of a lambda expression. */
struct unnamed {
	const void *die;
	uint64_t place;			/* line and column of its declaration */
	bool lambda;
};

/* A DIE whose children were looked at. DIEs are known by their address in the file's data, which grows from
 * child to child. */
struct scope {
	const void *die;
	const void **marks;		/* one of SCOPES_STRIDE children */
	size_t nr, max;
	struct unnamed *unnamed;	/* in it, by place */
	size_t nr_unnamed, max_unnamed;
};

struct named {
	const void *die;		/* of the declaration */
	char *name;
};

struct scopes {
	size_t nr_marks;
	struct scope *list;
	size_t max;
	struct hash index;		/* of list, by die */
	struct named *names;
	size_t max_names;
	struct hash name_index;		/* of names, by die */
};

/* A name that is being made. */
struct name {
	char text[SCOPES_NAME];
	size_t len;
};

static void name_put(struct name *name, const char *text)
{
	size_t len = strnlen(text, sizeof(name->text) - 1 - name->len);

	memcpy(name->text + name->len, text, len);
	name->text[name->len += len] = '\0';
}

static uint64_t key_of(const void *die)
{
	return hash_u64((uintptr_t)die);
}

static const char *own_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));

	return name && *name ? name : NULL;
}

static uint64_t number_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, attribute, &attr), &value) ? 0 : value;
}

static bool is_class(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type;
}

/* Blocks of a function are no part of a name. */
static bool is_block(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Goes on to the first child, or to the next one if there is one. One that does not lie behind *last is a
 * loop, or repeats the tree. */
static bool next_child(Dwarf_Die *parent, Dwarf_Die *child, bool first, const void **last)
{
	if ((first ? dwarf_child(parent, child) : dwarf_siblingof(child, child)) ||
	    (const void *)child->addr <= *last)
		return false;
	*last = child->addr;
	return true;
}

static int mark_children(struct scopes *s, Dwarf_Die *parent, struct scope *scope)
{
	const void *last = parent->addr;
	Dwarf_Die child;

	for (size_t i = 0; next_child(parent, &child, !i, &last); i++) {
		if (i % SCOPES_STRIDE)
			continue;
		if (s->nr_marks == SCOPES_MARKS ||
		    room_for(&scope->marks, scope->nr + 1, &scope->max, sizeof(*scope->marks)))
			return -1;
		s->nr_marks++;
		scope->marks[scope->nr++] = child.addr;
	}
	return 0;
}

/* Returns the DIE's scope, or NULL when memory is short. The next call may move it. */
static struct scope *scope_of(struct scopes *s, Dwarf_Die *die)
{
	struct scope *scope;

	if (hash_reserve(&s->index))
		return NULL;
	hash_for_each(i, &s->index, key_of(die->addr))
		if (s->list[i].die == die->addr)
			return &s->list[i];
	if (room_for(&s->list, s->index.used + 1, &s->max, sizeof(*s->list)))
		return NULL;
	scope = &s->list[s->index.used];
	*scope = (struct scope){ .die = die->addr };
	hash_put(&s->index, key_of(die->addr));
	return mark_children(s, die, scope) ? NULL : scope;
}

/* Finds the child of a scope that is the target, or that has it inside. */
static bool child_towards(struct scopes *s, Dwarf_Die *parent, const void *target,
			  Dwarf_Die *child)
{
	const struct scope *scope = scope_of(s, parent);
	size_t before = scope ? search_front(scope->nr, i, scope->marks[i] <= target) : 0;
	Dwarf_Die next;

	if (!before || !dwarf_die_addr_die(dwarf_cu_getdwarf(parent->cu), (void *)scope->marks[before - 1],
					   child))
		return false;
	next = *child;
	for (unsigned int i = 1; i < SCOPES_STRIDE && !dwarf_siblingof(&next, &next) &&
	     (const void *)next.addr <= target; i++)
		*child = next;
	return true;
}

static bool is_lambda(Dwarf_Die *class)
{
	const void *last = class->addr;
	Dwarf_Die child;

	for (bool first = true; next_child(class, &child, first, &last); first = false) {
		const char *name = dwarf_tag(&child) == DW_TAG_subprogram ? own_name(&child) : NULL;

		if (name && !strcmp(name, "operator()"))
			return true;
	}
	return false;
}

static int add_unnamed(struct scope *scope, Dwarf_Die *class)
{
	if (room_for(&scope->unnamed, scope->nr_unnamed + 1, &scope->max_unnamed,
		     sizeof(*scope->unnamed)))
		return -1;
	scope->unnamed[scope->nr_unnamed++] = (struct unnamed){
		.die = class->addr, .lambda = is_lambda(class),
		.place = number_of(class, DW_AT_decl_line) << 32 |
			 (uint32_t)number_of(class, DW_AT_decl_column) };
	return 0;
}

/* Finds the classes without a name in a scope and its blocks. */
static int find_unnamed(struct scope *scope, Dwarf_Die *in, const void **last, unsigned int depth)
{
	Dwarf_Die child;
	int err = 0;

	for (bool first = true; !err && next_child(in, &child, first, last); first = false) {
		int tag = dwarf_tag(&child);

		if (is_block(tag) && depth < SCOPES_DEPTH)
			err = find_unnamed(scope, &child, last, depth + 1);
		else if (is_class(tag) && !own_name(&child))
			err = add_unnamed(scope, &child);
	}
	return err;
}

static int unnamed_compare(const void *x, const void *y)
{
	const struct unnamed *a = x, *b = y;

	if (a->lambda != b->lambda)
		return a->lambda ? 1 : -1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->die < b->die ? -1 : a->die > b->die;
}

/* Names a class without a name by its number among those of its kind in the scope around it. */
static void put_unnamed(struct scopes *s, Dwarf_Die *around, Dwarf_Die *class, struct name *name)
{
	struct scope *scope = scope_of(s, around);
	const void *last = around->addr;
	size_t i = 0, first = 0;
	char text[48];

	if (scope && !scope->unnamed && !find_unnamed(scope, around, &last, 0) && scope->nr_unnamed)
		qsort(scope->unnamed, scope->nr_unnamed, sizeof(*scope->unnamed), unnamed_compare);
	while (scope && i < scope->nr_unnamed && scope->unnamed[i].die != class->addr)
		i++;
	if (!scope || i == scope->nr_unnamed)
		return name_put(name, "{unnamed type}");
	while (scope->unnamed[first].lambda != scope->unnamed[i].lambda)
		first++;
	snprintf(text, sizeof(text), "{%s#%zu}", scope->unnamed[i].lambda ? "lambda" : "unnamed type",
		 i - first + 1);
	name_put(name, text);
}

/* Replaces an inlined function, or a function that has code, by its declaration. */
static void go_to_declaration(Dwarf_Die *die)
{
	static const unsigned int origins[] = { DW_AT_abstract_origin, DW_AT_specification };
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	for (unsigned int i = 0; i < SCOPES_ORIGINS; i++) {
		bool found = false;

		for (size_t n = 0; n < sizeof(origins) / sizeof(*origins) && !found; n++)
			found = dwarf_formref_die(dwarf_attr(die, origins[n], &attr), &origin);
		if (!found)
			return;
		*die = origin;
	}
}

static void put_name(struct scopes *s, Dwarf_Die *die, unsigned int functions, struct name *name);

/* Adds a scope of a name. around: the one that it is in, no block. */
static void put_scope(struct scopes *s, Dwarf_Die *around, Dwarf_Die *die, unsigned int functions,
		      struct name *name)
{
	const char *own = own_name(die);
	int tag = dwarf_tag(die);

	if (tag == DW_TAG_subprogram) {
		/* What is around its declaration stands in its name. */
		name->len = 0;
		put_name(s, die, functions + 1, name);
	} else if (tag == DW_TAG_namespace) {
		name_put(name, own ? own : "(anonymous namespace)");
	} else if (is_class(tag) && !own) {
		put_unnamed(s, around, die, name);
	} else if (is_class(tag) || tag == DW_TAG_enumeration_type) {
		name_put(name, own ? own : "{unnamed type}");
	} else {
		return;
	}
	name_put(name, "::");
}

static void put_name(struct scopes *s, Dwarf_Die *die, unsigned int functions, struct name *name)
{
	Dwarf_Die declared = *die, at, around, next;
	const char *own = own_name(die);

	go_to_declaration(&declared);
	if (functions < SCOPES_FUNCTIONS && dwarf_diecu(&declared, &at, NULL, NULL)) {
		around = at;
		for (unsigned int depth = 0; depth < SCOPES_DEPTH; depth++, at = next) {
			if (!child_towards(s, &at, declared.addr, &next) || next.addr == declared.addr)
				break;
			put_scope(s, &around, &next, functions, name);
			if (!is_block(dwarf_tag(&next)))
				around = next;
		}
	}
	name_put(name, own ? own : "{unnamed}");
}

static bool is_cxx(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a:			/* C++17 and C++20; elfutils 0.188 has no names for them */
	case 0x2b:
		return true;
	default:
		return false;
	}
}

static const char *remember(struct scopes *s, const void *declaration, const char *text)
{
	char *name = strdup(text);

	if (!name || room_for(&s->names, s->name_index.used + 1, &s->max_names, sizeof(*s->names))) {
		free(name);
		return NULL;
	}
	s->names[s->name_index.used] = (struct named){ declaration, name };
	hash_put(&s->name_index, key_of(declaration));
	return name;
}

const char *scopes_name(struct scopes *s, Dwarf_Die *function)
{
	Dwarf_Die declared = *function;
	struct name name = { .len = 0 };

	if (!own_name(function) || !is_cxx(function))
		return own_name(function);
	go_to_declaration(&declared);
	if (hash_reserve(&s->name_index))
		return NULL;
	hash_for_each(i, &s->name_index, key_of(declared.addr))
		if (s->names[i].die == declared.addr)
			return s->names[i].name;
	put_name(s, function, 0, &name);
	return remember(s, declared.addr, name.text);
}

struct scopes *scopes_new(void)
{
	struct scopes *s = calloc(1, sizeof(*s));

	if (!s)
		err_short_of_memory();
	return s;
}

void scopes_free(struct scopes *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->index.used; i++) {
		free(s->list[i].marks);
		free(s->list[i].unnamed);
	}
	for (size_t i = 0; i < s->name_index.used; i++)
		free(s->names[i].name);
	hash_free(&s->index);
	hash_free(&s->name_index);
	free(s->list);
	free(s->names);
	free(s);
}
