// SPDX-License-Identifier: GPL-2.0
/* Finds inlined functions and source lines in DWARF. */
#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/search.h"
#include "object/inlines.h"
#include "object/scopes.h"

/* Limits far above any real file, which bound the cost of a hostile one. */
#define INLINES_DEPTH	512		/* of nested blocks */
#define INLINES_SPANS	(1U << 22)	/* of one unit, function or file */

/* A piece of code that belongs to a DIE; in order of start, outer ones first. */
struct span {
	uint64_t low, high;
	uint64_t reach;			/* largest high of the list up to here */
	uint32_t die;
};

struct die {
	Dwarf_Die die;
	uint32_t outer;			/* number of the enclosing DIE, + 1; 0: none */
	struct dies *inside;		/* NULL: not read yet */
};

/* The units of a file, the functions of a unit, or the inlined functions of a function. Outer
 * DIEs come before the DIEs in them. */
struct dies {
	struct die *list;
	size_t nr, max;
	struct span *spans;
	size_t nr_spans, max_spans;
};

struct inlines {
	struct dies units;
	struct scopes *scopes;
	bool split;			/* files that the file names may be read */
};

static void dies_free(struct dies *dies)
{
	for (size_t i = 0; i < dies->nr; i++) {
		if (!dies->list[i].inside)
			continue;
		dies_free(dies->list[i].inside);
		free(dies->list[i].inside);
	}
	free(dies->list);
	free(dies->spans);
}

static bool spans_add(struct dies *dies, uint64_t low, uint64_t high)
{
	/* Code that the linker discarded begins at 0 or at the end of the address space. */
	if (!low || high <= low)
		return true;
	if (dies->nr_spans == INLINES_SPANS)
		return false;
	if (room_for(&dies->spans, dies->nr_spans + 1, &dies->max_spans, sizeof(*dies->spans)))
		return false;
	dies->spans[dies->nr_spans++] = (struct span){ low, high, 0, dies->nr };
	return true;
}

/* Adds a DIE if it has code. Returns its number + 1, or `outer` if it has none. *full: the
 * limit is reached. */
static uint32_t dies_add(struct dies *dies, Dwarf_Die *die, uint32_t outer,
			 bool *full)
{
	size_t before = dies->nr_spans;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while (!*full && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		*full = !spans_add(dies, low, high);
	if (dies->nr_spans == before)
		return outer;
	if (room_for(&dies->list, dies->nr + 1, &dies->max, sizeof(*dies->list))) {
		*full = true;
		dies->nr_spans = before;
		return outer;
	}
	dies->list[dies->nr++] = (struct die){ *die, outer, NULL };
	return dies->nr;
}

static int span_compare(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->die < b->die ? -1 : a->die > b->die;
}

static void dies_sort(struct dies *dies)
{
	uint64_t reach = 0;

	if (dies->nr_spans)
		qsort(dies->spans, dies->nr_spans, sizeof(*dies->spans),
		      span_compare);
	for (size_t i = 0; i < dies->nr_spans; i++) {
		if (dies->spans[i].high > reach)
			reach = dies->spans[i].high;
		dies->spans[i].reach = reach;
	}
}

/* Returns the innermost DIE that has code at vaddr, or NULL. */
static struct die *dies_find(const struct dies *dies, uint64_t vaddr)
{
	size_t nr = search_front(dies->nr_spans, i, dies->spans[i].low <= vaddr);

	while (nr-- > 0 && dies->spans[nr].reach > vaddr)
		if (vaddr < dies->spans[nr].high)
			return &dies->list[dies->spans[nr].die];
	return NULL;
}

struct walk {
	struct dies *dies;
	bool within_function;
	bool full;
	Dwarf_Off last;			/* offset of the current DIE */
};

/* Whether the wanted DIEs can be below a DIE with this tag. */
static bool walk_goes_into(const struct walk *walk, int tag)
{
	switch (tag) {
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return walk->within_function;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:	/* enumerations of Rust have methods */
		return !walk->within_function;
	default:
		return false;
	}
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, uint32_t outer,
			  unsigned int depth)
{
	int wanted = walk->within_function ? DW_TAG_inlined_subroutine :
					     DW_TAG_subprogram;
	Dwarf_Die die;

	if (depth == INLINES_DEPTH || dwarf_child(parent, &die))
		return;
	do {
		Dwarf_Off offset = dwarf_dieoffset(&die);
		uint32_t inner = outer;
		int tag = dwarf_tag(&die);

		/* A sibling at a lower offset is a loop, or repeats the tree. */
		if (offset <= walk->last)
			walk->full = true;
		walk->last = offset;
		if (tag == wanted && !walk->full)
			inner = dies_add(walk->dies, &die, outer, &walk->full);
		if (walk_goes_into(walk, tag) && !walk->full)
			walk_children(walk, &die, inner, depth + 1);
	} while (!walk->full && !dwarf_siblingof(&die, &die));
}

/* Replaces a unit by what stands of it in a file of its own (-gsplit-dwarf), if that is here. libdw finds it. */
static void take_split(Dwarf_Die *unit)
{
	Dwarf_Die split;
	uint8_t type;

	if (!dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) &&
	    type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid)
		*unit = split;
}

/* Reads the DIEs of a unit or a function; NULL when memory is short. */
static struct dies *look_into(struct die *die, bool function)
{
	struct walk walk = { .within_function = function };

	if (die->inside)
		return die->inside;
	die->inside = walk.dies = calloc(1, sizeof(*walk.dies));
	if (!walk.dies) {
		err_short_of_memory();
		return NULL;
	}
	walk.last = dwarf_dieoffset(&die->die);
	walk_children(&walk, &die->die, 0, 0);
	dies_sort(walk.dies);
	return walk.dies;
}

static const char *die_text(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute attr;
	const char *text =
		dwarf_formstring(dwarf_attr_integrate(die, attribute, &attr));

	return text && *text ? text : NULL;
}

static const char *die_name(struct inlines *inlines, Dwarf_Die *die)
{
	const char *name = die_text(die, DW_AT_linkage_name);

	if (!name)
		name = die_text(die, DW_AT_MIPS_linkage_name);
	return name ? name : scopes_name(inlines->scopes, die);
}

static Dwarf_Word die_number(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, attribute, &attr), &value) ? 0 :
	       value;
}

/* Reads the place where an inlined function was called. */
static void call_line(Dwarf_Die *unit, Dwarf_Die *call,
		      struct inlines_frame *frame)
{
	Dwarf_Word file = die_number(call, DW_AT_call_file);
	Dwarf_Files *files;
	size_t nr;

	frame->line = die_number(call, DW_AT_call_line);
	if (frame->line && !dwarf_getsrcfiles(unit, &files, &nr) && file < nr)
		frame->file = dwarf_filesrc(files, file, NULL, NULL);
}

static void code_line(Dwarf_Die *unit, uint64_t vaddr,
		      struct inlines_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, vaddr);
	int number;

	if (!line || dwarf_lineno(line, &number) || number <= 0)
		return;
	frame->line = number;
	frame->file = dwarf_linesrc(line, NULL, NULL);
}

size_t inlines_at(struct inlines *inlines, uint64_t vaddr, bool lines,
		  struct inlines_frame frames[INLINES_MAX])
{
	struct die *unit = dies_find(&inlines->units, vaddr), *function, *call;
	struct dies *functions, *calls;
	size_t nr = 0;

	if (!unit)
		return 0;
	if (inlines->split && !unit->inside)
		take_split(&unit->die);
	functions = look_into(unit, false);
	if (!functions)
		return 0;
	memset(&frames[0], 0, sizeof(*frames));
	if (lines)
		code_line(&unit->die, vaddr, &frames[0]);
	function = dies_find(functions, vaddr);
	calls = function ? look_into(function, true) : NULL;
	call = calls ? dies_find(calls, vaddr) : NULL;
	while (call && nr < INLINES_MAX - 1) {
		frames[nr++].name = die_name(inlines, &call->die);
		memset(&frames[nr], 0, sizeof(*frames));
		if (lines)
			call_line(&unit->die, &call->die, &frames[nr]);
		call = call->outer ? &calls->list[call->outer - 1] : NULL;
	}
	if (function)
		frames[nr].name = die_name(inlines, &function->die);
	return nr + 1;
}

struct inlines *inlines_new(Dwarf *dwarf, bool split)
{
	struct inlines *inlines = calloc(1, sizeof(*inlines));
	Dwarf_CU *cu = NULL;
	bool full = false;
	Dwarf_Die die;

	if (!inlines) {
		err_short_of_memory();
		return NULL;
	}
	inlines->split = split;
	inlines->scopes = scopes_new();
	if (!inlines->scopes) {
		free(inlines);
		return NULL;
	}
	while (!full && !dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL))
		dies_add(&inlines->units, &die, 0, &full);
	dies_sort(&inlines->units);
	return inlines;
}

void inlines_free(struct inlines *inlines)
{
	if (!inlines)
		return;
	dies_free(&inlines->units);
	scopes_free(inlines->scopes);
	free(inlines);
}
