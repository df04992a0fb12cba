/* SPDX-License-Identifier: GPL-2.0 */
/* The fields that script prints, with perf's names. */
#ifndef LBRCTL_SCRIPT_FIELDS_H
#define LBRCTL_SCRIPT_FIELDS_H

enum script_field {
	SCRIPT_COMM = 1 << 0, SCRIPT_PID = 1 << 1, SCRIPT_TID = 1 << 2, SCRIPT_CPU = 1 << 3,
	SCRIPT_TIME = 1 << 4, SCRIPT_PERIOD = 1 << 5, SCRIPT_EVENT = 1 << 6, SCRIPT_IP = 1 << 7,
	SCRIPT_SYM = 1 << 8, SCRIPT_SYMOFF = 1 << 9, SCRIPT_DSO = 1 << 10, SCRIPT_BRSTACK = 1 << 11,
};

/* The layout of perf script without options. */
#define SCRIPT_FIELDS	(SCRIPT_COMM | SCRIPT_TID | SCRIPT_CPU | SCRIPT_TIME | SCRIPT_PERIOD | \
			 SCRIPT_EVENT | SCRIPT_IP | SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO)

/* Parses a list of fields: "comm,ip,sym" replaces *fields, "+pid,-period" changes it. Returns 0,
 * or -1 with a message. */
int script_fields_parse(const char *list, unsigned int *fields);

#endif
