// SPDX-License-Identifier: GPL-2.0
/* What analyses of successive captures of one machine share. */
#include <stdlib.h>

#include "base/err.h"
#include "profile/library.h"

/* Each file holds a descriptor, of which a process has 1024 by default. */
#define LIBRARY_MORE_FILES	200
/* Results about code and names: some hundred bytes each. */
#define LIBRARY_RESULTS		(1U << 18)

struct library {
	struct recorded *recorded;
	struct symbols *symbols;	/* NULL until the first analysis asks for them */
	size_t first_files;		/* number of files after the first analysis; 0: none yet */
};

static void library_empty(struct library *l)
{
	symbols_free(l->symbols);
	recorded_free(l->recorded);
	*l = (struct library){ 0 };
}

static bool is_large(struct library *l)
{
	size_t nr = maps_nr_files(recorded_maps(l->recorded));

	if (!l->first_files)
		l->first_files = nr;
	return nr > l->first_files + LIBRARY_MORE_FILES ||
	       recorded_nr_answers(l->recorded) > LIBRARY_RESULTS ||
	       (l->symbols && symbols_nr(l->symbols) > LIBRARY_RESULTS);
}

struct recorded *library_recorded(struct library *l)
{
	static const struct perfdata_info unknown;

	/* Symbols exist once a capture was read. */
	if (l->symbols && is_large(l))
		library_empty(l);
	if (!l->recorded)
		l->recorded = recorded_new(&unknown, "captures");
	return l->recorded;
}

struct symbols *library_symbols(struct library *l, const struct symbols_options *options)
{
	if (l->symbols)
		symbols_begin(l->symbols, options->targets);
	else
		l->symbols = symbols_new(recorded_maps(l->recorded), options);
	return l->symbols;
}

struct library *library_new(void)
{
	struct library *l = calloc(1, sizeof(*l));

	if (!l)
		err_fail("not enough memory for the analysis");
	return l;
}

void library_free(struct library *l)
{
	if (!l)
		return;
	library_empty(l);
	free(l);
}
