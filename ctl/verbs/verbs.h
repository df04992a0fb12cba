/* SPDX-License-Identifier: GPL-2.0 */
/* The verbs. */
#ifndef LBRCTL_VERBS_VERBS_H
#define LBRCTL_VERBS_VERBS_H

/* One verb each. argv[0] is the verb's name; the result is the exit status.
 * Every verb answers --help on stdout with status 0. */

int cmd_record(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_browse(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_flame(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_blocks(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_pgo(int argc, char **argv);
int cmd_push(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_archive(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_load(int argc, char **argv);
int cmd_unload(int argc, char **argv);
int cmd_regs(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_triage(int argc, char **argv);
int cmd_info(int argc, char **argv);

/* What lbrctl --version prints, to stdout. */
void version_print(void);

#endif
