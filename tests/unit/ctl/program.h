/* SPDX-License-Identifier: GPL-2.0 */
/* Small programs compiled while the test runs, and the output of binutils about them. */
#ifndef ANALYSIS_PROGRAM_H
#define ANALYSIS_PROGRAM_H

#include <unistd.h>

#include "object/object.h"
#include "test.h"

static char program_dir[64];

/* Runs a shell command in the test's own directory; it must succeed. */
__attribute__((format(printf, 1, 2)))
static inline void run(const char *fmt, ...)
{
	char command[2048];
	va_list ap;
	int at;

	at = snprintf(command, sizeof(command), "cd %s && ", program_dir);
	va_start(ap, fmt);
	vsnprintf(command + at, sizeof(command) - at, fmt, ap);
	va_end(ap);
	if (system(command))
		fail_msg("failed: %s", command);
}

static inline const char *program_path(const char *name)
{
	static char path[1024];

	snprintf(path, sizeof(path), "%s/%s", program_dir, name);
	return path;
}

static inline void program_write(const char *name, const char *text)
{
	FILE *out = fopen(program_path(name), "w");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static inline struct object *program_open(const char *name)
{
	enum object_state state;
	struct object *o = object_open(NULL, 0, program_path(name), NULL, 0, &state);

	assert_non_null(o);
	assert_int_equal(state, OBJECT_OK);
	return o;
}

static inline int program_setup(void **state)
{
	(void)state;
	strcpy(program_dir, "/tmp/analysis_test.XXXXXX");
	assert_non_null(mkdtemp(program_dir));
	return 0;
}

static inline int program_teardown(void **state)
{
	(void)state;
	run("rm -r %s", program_dir);
	return 0;
}

struct truth {
	uint64_t addr, size;
	char type, name[128];
};

/* The functions that nm lists with a size, by address. */
static inline size_t truth_symbols(const char *program, struct truth *list,
				   size_t max)
{
	FILE *in;
	size_t nr = 0;
	char line[512];

	run("nm -nS %s | grep -i ' [tw] ' > %s.nm", program, program);
	snprintf(line, sizeof(line), "%s.nm", program);
	in = fopen(program_path(line), "r");
	assert_non_null(in);
	while (nr < max && fgets(line, sizeof(line), in)) {
		struct truth *t = &list[nr];

		if (sscanf(line, "%lx %lx %c %127s", &t->addr, &t->size,
			   &t->type, t->name) == 4)
			nr++;
	}
	fclose(in);
	return nr;
}

/* Returns the symbol with a name. */
static inline struct truth truth_of(const char *program, const char *name)
{
	static struct truth list[8192];
	size_t nr = truth_symbols(program, list, NR(list));

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(list[i].name, name))
			return list[i];
	fail_msg("%s has no %s", program, name);
	return list[0];
}

#endif
