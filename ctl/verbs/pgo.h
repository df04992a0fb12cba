/* SPDX-License-Identifier: GPL-2.0 */
/* The verbs of lbrctl pgo. */
#ifndef LBRCTL_VERBS_PGO_H
#define LBRCTL_VERBS_PGO_H

#include "verbs/options.h"

/* The rows of which captured branches are meant. at: a struct counts_query of the type. */
#define PGO_ROWS(type, at) \
	{ "event", 'e', "EVENT", \
	  "only samples of this event", \
	  options_text, part_of(type, at event, const char *) }, \
	{ "object", 0, "PATH", \
	  "the object, by its path or the end of it (the one with most branches)", \
	  options_text, part_of(type, at object, const char *) }, \
	OPTIONS_SYMFS_ROW

/* As the verbs in verbs.h. */
int pgo_record(int argc, char **argv);
int pgo_check_files(int argc, char **argv);
int pgo_export(int argc, char **argv);

#endif
