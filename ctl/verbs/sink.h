/* SPDX-License-Identifier: GPL-2.0 */
/* Options of record for its files: the functions of the rows, see struct options_option. */
#ifndef LBRCTL_VERBS_SINK_H
#define LBRCTL_VERBS_SINK_H

/* options: a struct record_options. */
int sink_compression(const char *verb, const char *level, void *options);
int sink_max_size(const char *verb, const char *size, void *options);
int sink_switch(const char *verb, const char *when, void *options);
int sink_keep(const char *verb, const char *files, void *options);

#endif
