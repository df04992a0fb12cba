// SPDX-License-Identifier: GPL-2.0
/* Says which share of the samples has no names, why, and what helps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json.h"
#include "base/lines.h"
#include "machine/package.h"
#include "object/debugfile.h"
#include "profile/tally.h"
#include "profile/unnamed.h"

#define UNNAMED_FILES	3	/* files named in a line, and lines of files */
#define UNNAMED_LEAST	.005	/* share of a file with a line */

int unnamed_add(struct unnamed *u, struct symbols *symbols, struct place place, uint64_t weight)
{
	if (symbols_function(symbols, symbols_find(symbols, place))->named)
		return 0;
	if (room_for(&u->weights, (size_t)place.file + 1, &u->max, sizeof(*u->weights)))
		return -1;
	if (place.file >= u->nr)
		u->nr = place.file + 1;
	u->weights[place.file] = tally_sum(u->weights[place.file], weight);
	return 0;
}

void unnamed_free(struct unnamed *u)
{
	free(u->weights);
}

static double share(const struct unnamed *u, size_t file, uint64_t all)
{
	return file < u->nr && all ? (double)u->weights[file] / all : 0;
}

/* "; 58.40% of the samples", or nothing. */
static const char *share_text(double part, char text[48])
{
	*text = '\0';
	if (part > 0)
		snprintf(text, 48, "%.2f%% of the samples; ", 100 * part);
	return text;
}

/* The files that are missing here: they belong to another host or an ended container, or were
 * removed. */
static void say_missing(const struct unnamed *u, const struct maps *maps, uint64_t all,
			const struct lines *p)
{
	char text[512] = "", more[40] = "", part[48];
	size_t nr = 0, at = 0;
	double sum = 0;

	for (size_t i = MAPS_FIRST_FILE; i < maps_nr_files(maps); i++) {
		const struct maps_file *file = maps_file(maps, i);

		if (!file->asked || !maps_file_is_missing(file))
			continue;
		sum += share(u, i, all);
		if (nr++ < UNNAMED_FILES && at < sizeof(text))
			at += snprintf(text + at, sizeof(text) - at, "%s%s", nr > 1 ? ", " : "",
				       file->path);
	}
	if (nr > UNNAMED_FILES)
		snprintf(more, sizeof(more), " and %zu other files", nr - UNNAMED_FILES);
	if (nr)
		lines_say(p, "Not found: %s%s: %s functions have no names (%scopy %s here, or use --symfs FOLDER)",
			  text, more, nr > 1 ? "their" : "its", share_text(sum, part),
			  nr > 1 ? "them" : "it");
}

/* Returns the file that follows `last` in falling order of shares (last 0: the first one), or 0
 * after the last one. */
static size_t next_file(const struct unnamed *u, size_t last)
{
	size_t next = 0;

	for (size_t i = MAPS_FIRST_FILE; i < u->nr; i++) {
		if (!u->weights[i] || (last && (u->weights[i] > u->weights[last] ||
						(u->weights[i] == u->weights[last] && i <= last))))
			continue;
		if (!next || u->weights[i] > u->weights[next])
			next = i;
	}
	return next;
}

/* The reason in JSON; NULL: the file has symbols, but not there. */
static const char *reason(const struct maps *maps, size_t i)
{
	const struct maps_file *file = i < MAPS_FIRST_FILE ? NULL : maps_file(maps, i);

	if (!file)
		return i == MAPS_KERNEL ? "kernel" : "no mapping";
	if (file->jitdump || file->state == OBJECT_NO_FILE)
		return "no file";
	switch (file->state) {
	case OBJECT_MISSING:
		return "not found";
	case OBJECT_MISMATCH:
		return "another build";
	case OBJECT_OK:
		return object_has_symtab(file->object) ? NULL : "no symbols";
	default:
		return "no ELF file";
	}
}

static void say_file(const struct maps *maps, size_t i, double part, const struct lines *p)
{
	const struct maps_file *file = maps_file(maps, i);
	const char *why = reason(maps, i);
	char command[512];

	if (!why)
		return;
	if (!strcmp(why, "no symbols")) {
		package_debug(maps_machine(maps), file->path, command, sizeof(command));
		lines_say(p, "No symbols: %.2f%% of the samples are in functions without names of %s: %s%s",
			  100 * part, file->path, command,
			  debugfile_asks() ? "" : ", or use --debuginfod");
	} else if (!strcmp(why, "another build")) {
		lines_say(p, "Another build: %.2f%% of the samples are in %s, and the file here is not the recorded one: use --symfs FOLDER",
			  100 * part, file->path);
	} else if (!strcmp(why, "no ELF file")) {
		lines_say(p, "No ELF file: %.2f%% of the samples are in %s; names of code inside of other files, such as an APK or a zip, are not read",
			  100 * part, file->path);
	} else if (!strcmp(why, "no file")) {
		lines_say(p, "No file: %.2f%% of the samples are in code that was made at run time: let the program write /tmp/perf-PID.map or a jitdump",
			  100 * part);
	}
}

static void say_moved(const struct maps *maps, const struct lines *p)
{
	for (size_t i = MAPS_FIRST_FILE; i < maps_nr_files(maps); i++)
		if (maps_file(maps, i)->asked && maps_file(maps, i)->moved)
			lines_say(p, "Moved code: %s runs a copy of its code in memory without a file; the names are those of the file",
				  maps_file(maps, i)->path);
}

void unnamed_lines(const struct unnamed *u, const struct maps *maps, const struct symbols *symbols,
		   uint64_t all, const struct lines *p)
{
	const char *note = symbols_kernel_note(symbols);
	double part = share(u, MAPS_KERNEL, all);
	size_t i = 0;

	say_missing(u, maps, all, p);
	say_moved(maps, p);
	if (note && part > 0)
		lines_say(p, "Kernel addresses have no names: %s (%.2f%% of the samples)", note,
			  100 * part);
	else if (note)
		lines_say(p, "Kernel addresses have no names: %s", note);
	for (size_t nr = 0; nr < UNNAMED_FILES && (i = next_file(u, i)); nr++)
		if (share(u, i, all) >= UNNAMED_LEAST)
			say_file(maps, i, share(u, i, all), p);
}

void unnamed_put_json(const struct unnamed *u, const struct maps *maps, uint64_t all,
		      struct json *j)
{
	json_array(j, "without_names");
	for (size_t i = 0; i < u->nr; i++) {
		if (!u->weights[i])
			continue;
		json_object(j, NULL);
		json_text(j, "object", i < MAPS_FIRST_FILE ? NULL : maps_file(maps, i)->path);
		json_text(j, "reason", reason(maps, i));
		json_unsigned(j, "weight", u->weights[i]);
		json_fixed(j, "share", share(u, i, all), 6);
		json_close(j);
	}
	json_close(j);
}
