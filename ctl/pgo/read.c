// SPDX-License-Identifier: GPL-2.0
/* Adds up the branches of several captures of one build. */
#include "pgo/check.h"

/* Adds one capture more. */
static int add(struct counts *n, struct counts_query query, const char *file)
{
	struct counts more;
	int err;

	query.input = file;
	query.like = n;
	err = counts_read(&more, &query);
	if (err) {
		n->failure = more.failure;
		n->tally = more.tally;
	} else {
		err = counts_merge(n, &more);
	}
	counts_free(&more);
	return err;
}

int pgo_read(struct counts *n, const struct counts_query *query, char **files, int nr)
{
	struct counts_query first = *query;
	int err;

	first.input = files[0];
	err = counts_read(n, &first);
	for (int i = 1; !err && i < nr; i++)
		err = add(n, *query, files[i]);
	return err;
}
