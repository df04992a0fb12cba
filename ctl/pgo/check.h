/* SPDX-License-Identifier: GPL-2.0 */
/* What the branches of captures are worth as a profile of one object, for a compiler. */
#ifndef LBRCTL_PGO_CHECK_H
#define LBRCTL_PGO_CHECK_H

#include "export/counts.h"
#include "profile/symbols.h"

/* Functions that together have this part of the object's samples are hot. */
#define PGO_HOT			0.90
/* Fewer entries say nothing. */
#define PGO_ENTRIES_MIN		1000
/* Where more of an object's branches contradict its code, another file ran. */
#define PGO_CONTRADICTED_MAX	0.05
/* With less in common, the halves of a profile are mostly chance. */
#define PGO_STABILITY_MIN	0.80
/* What is recommended instead. */
#define PGO_STABILITY_WANTED	0.90

enum pgo_verdict {
	PGO_USEFUL,
	PGO_UNREADABLE, PGO_NO_BRANCHES, PGO_WITHOUT_CODE, PGO_OTHER_BUILD, PGO_NO_RUNS,
				/* as enum counts_failure */
	PGO_CONTRADICTED,	/* too many branches contradict the code */
	PGO_FEW,		/* too few entries */
	PGO_UNSTABLE,		/* the halves differ too much */
};

struct pgo_function {
	const char *name;	/* owned by the symbols */
	uint64_t samples;
	uint64_t executions;	/* of the runs that begin in it */
};

/* Initialize with 0. */
struct pgo_check {
	struct counts counts;	/* of all captures */
	struct symbols *symbols;
	struct pgo_function *functions;	/* of the object; those with most samples first */
	size_t nr_functions;
	size_t nr_hot;		/* the first of them */
	uint64_t samples;	/* of the object */
	double stability;	/* 0 to 1; NAN: no branches */
	double contradicted;	/* the part of the object's branches that contradict its code */
	enum pgo_verdict verdict;
};

/* Adds up the branches of nr captures, of the object of the first one that the query names; its
 * input is not used. Returns 0, or -1 with a message; counts_free() in both cases. The counts then
 * have the tally and the failure of the capture that failed. */
int pgo_read(struct counts *counts, const struct counts_query *query, char **files, int nr);

/* Reads and judges captures. Returns 0; -1 with a message if they are refused (verdict says why),
 * or cannot be judged. pgo_check_free() in both cases. */
int pgo_check(struct pgo_check *check, const struct counts_query *query, char **files, int nr);
void pgo_check_free(struct pgo_check *check);

/* Print what pgo_check() found, whatever it returned. */
void pgo_print_text(const struct pgo_check *check);
void pgo_print_json(const struct pgo_check *check);

#endif
