/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_MODULE_H
#define LBRCTL_MODULE_H

#define MODULE_NAME	"lbrscope"

/*
 * Loads the module of that name with what it depends on, or, where name
 * contains a slash or ends in .ko, that file. 1 when it was loaded already, 0
 * when it is now, -1 with a message.
 */
int module_load(const char *name);

/* Unloads the module. 1 when it was not loaded, 0, or -1 with a message. */
int module_unload(const char *name);

#endif
