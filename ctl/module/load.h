/* SPDX-License-Identifier: GPL-2.0 */
/* Loads and unloads the kernel module. */
#ifndef LBRCTL_MODULE_LOAD_H
#define LBRCTL_MODULE_LOAD_H

#include <stdbool.h>

#define MODULE_NAME	"lbrscope"

/*
 * Loads the module of that name and its dependencies, or that file, if the name contains a
 * slash or ends in .ko. Returns 1 if it was already loaded, 0 if it is loaded now, -1 with a
 * message.
 */
int module_load(const char *name);

/* The state of the module for the running kernel. */
struct module_state {
	bool loaded;
	bool installed;
	char built_for[96];	/* if installed: the release of the kernel that it is built for */
	char signer[96];	/* "": it is not signed */
};

/* Returns 0 or -1 with a message. */
int module_state(struct module_state *state);

/* Unloads the module. Returns 0, 1 if it was not loaded, or -1 with a message. */
int module_unload(const char *name);

#endif
