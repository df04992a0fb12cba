// SPDX-License-Identifier: GPL-2.0
/*
 * For LD_PRELOAD: of the memory that the program's own code asks for, the FAIL_ALLOC-th time,
 * from 1, there is none. How often it has asked is written to the file FAIL_ALLOC_COUNT. What
 * libraries do without memory is theirs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t nr, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static uintptr_t begin, end;
static unsigned long asked, fails;

/* The first object is the program. */
static int find_program(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			begin = info->dlpi_addr + p->p_vaddr;
			end = begin + p->p_memsz;
		}
	}
	return 1;
}

__attribute__((constructor)) static void start(void)
{
	const char *text = getenv("FAIL_ALLOC");

	fails = text ? strtoul(text, NULL, 10) : 0;
	dl_iterate_phdr(find_program, NULL);
}

__attribute__((destructor)) static void stop(void)
{
	const char *path = getenv("FAIL_ALLOC_COUNT");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%lu\n", asked);
	fclose(file);
}

static int refused(void *caller)
{
	if ((uintptr_t)caller < begin || (uintptr_t)caller >= end || ++asked != fails)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t nr, size_t size)
{
	return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(nr, size);
}

void *realloc(void *old, size_t size)
{
	return refused(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}
