/* SPDX-License-Identifier: GPL-2.0 */
/* Loads and unloads the kernel module. */
#ifndef LBRCTL_MODULE_LOAD_H
#define LBRCTL_MODULE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#define MODULE_NAME	"lbrscope"
#define MODULE_RELOAD	"lbrctl unload && lbrctl load"	/* replaces the loaded module by the
							 * installed one */

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
	/* MODULE_VERSION and the kernel's checksum of the source, of the installed module and
	 * of the loaded one. "": not known, or the module is older than its versions. */
	char version[32], source[32];
	char loaded_version[32], loaded_source[32];
};

/* Returns 0 or -1 with a message. */
int module_state(struct module_state *state);

/* Whether the loaded module is older than the installed one, or has the same version and was
 * built from other source. text: a sentence about it, without a full stop. */
bool module_outdated(const struct module_state *state, char *text, size_t size);

/* Prints that as a warning, with the remedy. */
void module_warn_outdated(void);

/* Unloads the module. Returns 0, 1 if it was not loaded, or -1 with a message. */
int module_unload(const char *name);

#endif
