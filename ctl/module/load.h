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
	char version[64], source[32];
	char loaded_version[64], loaded_source[32];
};

/* Returns 0 or -1 with a message. */
int module_state(struct module_state *state);

/* What is wrong with the loaded module. */
enum module_age {
	MODULE_CURRENT,
	MODULE_OTHER,		/* same version as the installed one, built from other source */
	MODULE_OLDER,		/* older than the installed one; it may refuse what lbrctl asks for */
};

/* text: a sentence about it, without a full stop. */
enum module_age module_age(const struct module_state *state, char *text, size_t size);

/* Prints that as a warning, with the remedy; once in a process. */
void module_warn_outdated(void);

/* Writes the DKMS command that builds and installs the module for the kernel of that release.
 * again: DKMS has built it already, and has to sign it now, which it does when it builds. Without
 * source for DKMS the text says where the module comes from. Returns whether there is source. */
bool module_remedy(const char *release, bool again, char *text, size_t size);

/* Unloads the module. Returns 0, 1 if it was not loaded, or -1 with a message. */
int module_unload(const char *name);

#endif
