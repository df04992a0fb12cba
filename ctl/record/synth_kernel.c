// SPDX-License-Identifier: GPL-2.0
/* Writes side records for the kernel and its modules. */
#include <errno.h>
#include <libkmod.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "record/synth.h"

/* The names that perf writes and expects: the mapping is named after its reference symbol, the
 * build id after the symbol table. */
#define SYNTH_KERNEL_MMAP	"[kernel.kallsyms]_text"
#define SYNTH_KERNEL_BUILDID	"[kernel.kallsyms]"

/* The name in a line of kallsyms, ADDRESS TYPE NAME; "" for another line. */
static const char *synth_kernel_name(const char *line)
{
	const char *type = strchr(line, ' ');

	return type && type[1] && type[2] == ' ' ? type + 3 : "";
}

/* Addresses of the running kernel's code; 0 if they are hidden from us. */
struct synth_text {
	uint64_t start, end;
};

/* Returns the bytes from _text to _etext, which the kernel registers as a part of its memory
 * (setup_arch() in arch/x86/kernel/setup.c); 0: not shown to us. */
static uint64_t synth_kernel_size(void)
{
	FILE *file = fopen("/proc/iomem", "re");
	unsigned long long first, last;
	uint64_t size = 0;
	char line[256];

	if (!file)
		return 0;
	while (!size && fgets(line, sizeof(line), file))
		if (strstr(line, " : Kernel code\n") &&
		    sscanf(line, "%llx-%llx", &first, &last) == 2 && last > first)
			size = last - first + 1;
	fclose(file);
	return size;
}

/* The name of _text is one of the first. Up to that of _etext the kernel composes a hundred
 * thousand names, which takes longer than all else at the start of a recording. */
static struct synth_text synth_kernel_find(void)
{
	struct synth_text text = { 0 };
	uint64_t size = synth_kernel_size();
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512];

	if (!file) {
		err_warn("opening /proc/kallsyms: %s; samples in the kernel will have no names",
			 strerror(errno));
		return text;
	}
	while ((!text.start || !text.end) && fgets(line, sizeof(line), file)) {
		const char *name = synth_kernel_name(line);

		if (!strcmp(name, "_text\n"))
			text.start = strtoull(line, NULL, 16);
		else if (!strcmp(name, "_etext\n"))
			text.end = strtoull(line, NULL, 16);
		if (text.start && size)
			text.end = text.start + size;
	}
	fclose(file);
	if (!text.start || text.end <= text.start)
		err_warn("/proc/kallsyms shows no addresses: samples in the "
			 "kernel will have no names");
	return text;
}

static int synth_kernel_buildid(struct synth *synth, const char *notes,
				const char *name)
{
	struct buildid id = buildid_notes(notes);

	return buildid_table_add(synth->buildids, &id, PERF_RECORD_MISC_KERNEL,
				 name);
}

static int synth_module(struct synth *synth, struct kmod_ctx *kmod, char *line)
{
	char name[64], notes[128], file[128], state[16];
	struct kmod_module *module = NULL;
	unsigned long long addr;
	unsigned int size;
	const char *path = NULL;
	int err;

	if (sscanf(line, "%63s %u %*s %*s %15s %llx", name, &size, state,
		   &addr) != 4 || !addr)
		return 0;
	snprintf(file, sizeof(file), "[%s]", name);
	if (kmod && !kmod_module_new_from_name(kmod, name, &module))
		path = kmod_module_get_path(module);
	if (!path)
		path = file;
	snprintf(notes, sizeof(notes),
		 "/sys/module/%s/notes/.note.gnu.build-id", name);
	err = synth_mmap(synth, addr, size, 0, path);
	if (!err)
		err = synth_kernel_buildid(synth, notes, path);
	kmod_module_unref(module);
	return err;
}

static int synth_modules(struct synth *synth)
{
	struct kmod_ctx *kmod = kmod_new(NULL, NULL);
	FILE *file = fopen("/proc/modules", "re");
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	while (file && !err && getline(&line, &size, file) > 0)
		err = synth_module(synth, kmod, line);
	free(line);
	if (file)
		fclose(file);
	kmod_unref(kmod);
	return err;
}

int synth_kernel(struct synth *synth)
{
	/* The code of a running kernel does not move: later files of a rotation have it from
	 * here. */
	static struct synth_text text;

	if (!text.start)
		text = synth_kernel_find();
	if (!text.start || text.end <= text.start)
		return 0;
	if (synth_mmap(synth, text.start, text.end - text.start, text.start,
		       SYNTH_KERNEL_MMAP) ||
	    synth_kernel_buildid(synth, "/sys/kernel/notes",
				 SYNTH_KERNEL_BUILDID))
		return -1;
	return synth_modules(synth);
}
