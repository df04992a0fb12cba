// SPDX-License-Identifier: GPL-2.0
/* Demangles C++ and Rust names, and chooses among names of one address. */
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "object/demangle.h"

/* perf's order of preference (choose_best_symbol() in tools/perf/util/symbol.c),
 * so that both tools print the same. */
int names_prefer(const struct names_rank *a, const struct names_rank *b)
{
	size_t la, lb;

	if (a->sized != b->sized)
		return a->sized ? -1 : 1;
	if (a->weak != b->weak)
		return a->weak ? 1 : -1;
	if (a->local != b->local)
		return a->local ? 1 : -1;
	la = strspn(a->name, "_");
	lb = strspn(b->name, "_");
	if (la != lb)
		return la < lb ? -1 : 1;
	la = strlen(a->name);
	lb = strlen(b->name);
	if (la != lb)
		return la > lb ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Bounds the output: a hostile mangled name can expand without limit. */
#define NAMES_LONGEST	4096

char *names_clean(const char *name)
{
	char *out = strndup(name, NAMES_LONGEST);

	if (out)
		text_clean(out);
	return out;
}

char *names_demangle(const char *name)
{
	char *plain = NULL, *out;

	if ((!strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2)) &&
	    strlen(name) < NAMES_LONGEST)
		plain = cplus_demangle(name, DMGL_NO_OPTS);
	out = names_clean(plain && strlen(plain) < NAMES_LONGEST ? plain : name);
	free(plain);
	return out;
}
