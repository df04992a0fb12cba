// SPDX-License-Identifier: GPL-2.0
/* The build ids of a capture. */
#include <fcntl.h>
#include <gelf.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/grow.h"
#include "object/buildid.h"

#define BUILDID_NOTES_MAX	65536	/* bytes of /sys/kernel/notes */

/* Finds the build id in a block of notes; false if it has none. */
static bool buildid_find(Elf_Data *data, struct buildid *id)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((char *)data->d_buf + name, "GNU", 4) ||
		    !note.n_descsz || note.n_descsz > BUILDID_MAX)
			continue;
		id->size = note.n_descsz;
		memcpy(id->bytes, (char *)data->d_buf + desc, note.n_descsz);
		return true;
	}
	return false;
}

bool buildid_same(const void *own, size_t own_size, const uint8_t *recorded, size_t size)
{
	static const uint8_t zeros[3];

	return own_size <= size && size - own_size <= sizeof(zeros) && !memcmp(own, recorded, own_size) &&
	       !memcmp(zeros, recorded + own_size, size - own_size);
}

struct buildid buildid_file(const char *path)
{
	struct buildid id = {};
	Elf_Data *data;
	size_t nr, i;
	GElf_Phdr ph;
	Elf *elf;
	int fd;

	/* O_NONBLOCK, because the name of a mapping may be that of a fifo now. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return id;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &nr))
		nr = 0;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(elf, ph.p_offset, ph.p_filesz,
					    ph.p_align == 8 ? ELF_T_NHDR8 :
							      ELF_T_NHDR);
		if (data && buildid_find(data, &id))
			break;
	}
	elf_end(elf);
	close(fd);
	return id;
}

struct buildid buildid_stream(FILE *in)
{
	static _Alignas(GElf_Nhdr) char notes[BUILDID_NOTES_MAX];
	struct buildid id = {};
	Elf_Data data = {
		.d_buf = notes, .d_type = ELF_T_NHDR, .d_version = EV_CURRENT,
	};

	if (in) {
		data.d_size = fread(notes, 1, sizeof(notes), in);
		buildid_find(&data, &id);
		fclose(in);
	}
	return id;
}

struct buildid buildid_notes(const char *path)
{
	return buildid_stream(fopen(path, "re"));
}

/* The tree holds copies of the entries: the array moves as it grows. */
static int buildid_compare(const void *a, const void *b)
{
	const struct buildid_entry *x = a, *y = b;
	int diff = strcmp(x->name, y->name);

	return diff ? diff : memcmp(&x->id, &y->id, sizeof(x->id));
}

static int buildid_append(struct buildid_table *table,
			  const struct buildid_entry *entry)
{
	if (room_for(&table->entries, table->nr + 1, &table->max, sizeof(*entry)))
		return -1;
	table->entries[table->nr++] = *entry;
	return 0;
}

int buildid_table_add(struct buildid_table *table, const struct buildid *id,
		      uint16_t cpumode, const char *name)
{
	struct buildid_entry key = { *id, cpumode, (char *)name }, *entry;

	if (!id->size || tfind(&key, &table->index, buildid_compare))
		return 0;
	entry = malloc(sizeof(*entry));
	key.name = strdup(name);
	if (!entry || !key.name)
		goto nomem;
	*entry = key;
	if (!tsearch(entry, &table->index, buildid_compare))
		goto nomem;
	if (!buildid_append(table, entry))
		return 0;
	tdelete(entry, &table->index, buildid_compare);
nomem:
	free(entry);
	free(key.name);
	return err_fail("out of memory");
}

void buildid_table_free(struct buildid_table *table)
{
	size_t i;

	tdestroy(table->index, free);
	for (i = 0; i < table->nr; i++)
		free(table->entries[i].name);
	free(table->entries);
	memset(table, 0, sizeof(*table));
}
