/* SPDX-License-Identifier: GPL-2.0 */
/* Names of the kernel's and its modules' functions, from /proc/kallsyms: of the running kernel, so
 * they are valid only for captures of this kernel, or the copy in an archive. */
#ifndef LBRCTL_OBJECT_KALLSYMS_H
#define LBRCTL_OBJECT_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct kernel;
struct machine;

/* True if the machine's running kernel has this build id; false if size is 0. */
bool kernel_is_running(const struct machine *machine, const uint8_t *build_id, size_t size);

/* True if the names of the kernel with this build id can be loaded: it is running, or the
 * archive has them. */
bool kernel_is_here(const struct machine *machine, const uint8_t *build_id, size_t size);

/* Opens these names as /proc/kallsyms has them; NULL with errno. */
FILE *kernel_file(const struct machine *machine, const uint8_t *build_id, size_t size);

/* Loads the names of the kernel with this build id, of the archive if that has them, else of the
 * running kernel. `symbol` (such as "_text") lay at `address` when the capture was made. If
 * it lies elsewhere now, the machine was booted again: the kernel's own names are moved by
 * the difference, those of modules are left out. symbol NULL: nothing has moved. Returns NULL
 * with the reason in *why, a constant string. */
struct kernel *kernel_open(const struct machine *machine, const uint8_t *build_id, size_t size,
			   const char *symbol, uint64_t address, const char **why);
void kernel_close(struct kernel *kernel);

struct kernel_symbol {
	uint64_t start;
	const char *name;
	const char *module;	/* NULL: the kernel itself */
};

/* Returns the symbol at or before addr, or NULL. Valid until kernel_close(). */
const struct kernel_symbol *kernel_symbol(const struct kernel *kernel,
					  uint64_t addr);

#endif
