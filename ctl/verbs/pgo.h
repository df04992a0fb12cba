/* SPDX-License-Identifier: GPL-2.0 */
/* The verbs of lbrctl pgo. */
#ifndef LBRCTL_VERBS_PGO_H
#define LBRCTL_VERBS_PGO_H

/* As the verbs in verbs.h. */
int pgo_record(int argc, char **argv);
int pgo_check_files(int argc, char **argv);
int pgo_export(int argc, char **argv);

#endif
