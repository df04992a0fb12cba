/* SPDX-License-Identifier: GPL-2.0 */
/* Loads and unloads the kernel module. */
#ifndef LBRCTL_MODULE_LOAD_H
#define LBRCTL_MODULE_LOAD_H

#include <stdbool.h>

#define MODULE_NAME	"lbrscope"

/*
 * Loads the module of that name with what it depends on, or, where name
 * contains a slash or ends in .ko, that file. 1 when it was loaded already, 0
 * when it is now, -1 with a message.
 */
int module_load(const char *name);

/* What there is of the module for the kernel that runs. */
struct module_state {
	bool loaded;
	bool installed;
	char built_for[96];	/* then: the kernel's release */
	char signer[96];	/* "": it is not signed */
};

/* Returns 0 or -1 with a message. */
int module_state(struct module_state *state);

/* Unloads the module. 1 when it was not loaded, 0, or -1 with a message. */
int module_unload(const char *name);

#endif
