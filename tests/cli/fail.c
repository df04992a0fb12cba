// SPDX-License-Identifier: GPL-2.0
/*
 * For LD_PRELOAD: with FAIL=CALL:N:ERRNO the Nth such call of the program's own code, from 1,
 * fails; with -SIGNAL for ERRNO the program gets that signal there. CALL is one of the
 * functions below, or "memory", which is malloc() and similar ones. The number of calls is
 * written to the file FAIL_COUNT. Calls of libraries are not counted.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t nr, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static uintptr_t begin, end;
static unsigned long made, nr;
static char call[32];
static int error;

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
	const char *text = getenv("FAIL");

	if (text && sscanf(text, "%31[^:]:%lu:%d", call, &nr, &error) == 3)
		dl_iterate_phdr(find_program, NULL);
}

__attribute__((destructor)) static void stop(void)
{
	const char *path = getenv("FAIL_COUNT");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%lu\n", made);
	fclose(file);
}

static int fails(const char *name, void *caller)
{
	if ((uintptr_t)caller < begin || (uintptr_t)caller >= end || strcmp(name, call) ||
	    ++made != nr)
		return 0;
	if (error < 0) {
		raise(-error);
		return 0;	/* it is blocked */
	}
	errno = error;
	return 1;
}

#define FAILS(name)	fails(name, __builtin_return_address(0))

void *malloc(size_t size)
{
	return FAILS("memory") ? NULL : __libc_malloc(size);
}

void *calloc(size_t many, size_t size)
{
	return FAILS("memory") ? NULL : __libc_calloc(many, size);
}

void *realloc(void *old, size_t size)
{
	return FAILS("memory") ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t many, size_t size)
{
	return FAILS("memory") ? NULL : __libc_realloc(old, many * size);
}

static char *copy(const char *text, size_t len)
{
	char *to = __libc_malloc(len + 1);

	if (to)
		*(char *)mempcpy(to, text, len) = '\0';
	return to;
}

char *strdup(const char *text)
{
	return FAILS("memory") ? NULL : copy(text, strlen(text));
}

char *strndup(const char *text, size_t len)
{
	return FAILS("memory") ? NULL : copy(text, strnlen(text, len));
}

int asprintf(char **to, const char *format, ...)
{
	va_list arguments;
	int len;

	if (FAILS("memory"))
		return -1;
	va_start(arguments, format);
	len = vasprintf(to, format, arguments);
	va_end(arguments);
	return len;
}

/* Arguments are words here, the largest number that any of these functions has. The callee
 * reads its own. */
typedef long words(long, long, long, long, long, long, long);

#define CALL(name, failed)	CALL_AS(name, #name, failed)
#define CALL_AS(name, as, failed)	CALL_BY(name, as, failed, dlsym(RTLD_NEXT, #name))
#define CALL_BY(name, as, failed, lookup)					\
words call_##name __asm__(#name);						\
long call_##name(long a, long b, long c, long d, long e, long f, long g)	\
{										\
	static words *real;							\
										\
	if (FAILS(as))								\
		return failed;							\
	if (!real)								\
		real = (words *)lookup;						\
	return real(a, b, c, d, e, f, g);					\
}

/* These have no errno: they return its negative. */
CALL(kmod_module_insert_module, -error)
CALL(kmod_module_new_from_name, -error)
CALL(kmod_module_new_from_path, -error)
CALL(kmod_module_probe_insert_module, -error)
CALL(kmod_module_remove_module, -error)
CALL(nl_send_auto, -error)

/* These functions cannot fail: the module returns this number instead. */
CALL(nla_get_u32, error)
CALL(nla_get_u64, error)

CALL_AS(cs_malloc, "memory", 0)
CALL_AS(open_memstream, "memory", 0)

CALL(access, -1)
CALL(dlopen, 0)
CALL_BY(dlsym, "dlsym", 0, dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"))
CALL(epoll_create1, -1)
CALL(epoll_ctl, -1)
CALL(fallocate, -1)
CALL(fclose, -1)
CALL(flock, -1)
CALL(fflush, -1)
CALL(fopen, 0)
CALL(fork, -1)
CALL(fstat, -1)
CALL(fsync, -1)
CALL(fts_open, 0)
CALL(ftruncate, -1)
CALL(genl_connect, -1)
CALL(ioctl, -1)
CALL(kill, -1)
CALL(kmod_new, 0)
CALL(linkat, -1)
CALL(memfd_create, -1)
CALL(mkdtemp, 0)
CALL(mmap, -1)
CALL(nl_socket_alloc, 0)
CALL(open, -1)
CALL(opendir, 0)
CALL(pipe2, -1)
CALL(poll, -1)
CALL(pread, -1)
CALL(read, -1)
CALL(rename, -1)
CALL(setenv, -1)
CALL(signalfd, -1)
CALL(socketpair, -1)
CALL(syscall, -1)
CALL(timerfd_create, -1)
CALL(uname, -1)
CALL(unlink, -1)
CALL(wait4, -1)
CALL(waitpid, -1)
CALL(write, -1)
