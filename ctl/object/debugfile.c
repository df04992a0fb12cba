// SPDX-License-Identifier: GPL-2.0
/* Finds separate debug files. */
#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/text.h"
#include "machine/archive.h"
#include "machine/machine.h"
#include "object/debugfile.h"
#include "object/tables.h"

#define DEBUGFILE_DIRECTORY	"/usr/lib/debug"
#define DEBUGFILE_ID_MAX	64		/* bytes of a build id */
#define DEBUGFILE_EMBEDDED_MAX	(64U << 20)	/* bytes of an unpacked .gnu_debugdata */

struct id {
	const void *bytes;
	size_t size;			/* 0: absent, or too short to name a file */
};

/* libdebuginfod. It loads curl, so it is loaded only if a server may be asked. */
static struct {
	void *client;
	int (*find)(void *client, const unsigned char *id, int id_size,
		    char **path);
} server;

static struct id build_id(Elf *elf)
{
	struct id id = { NULL, 0 };
	ssize_t size = dwelf_elf_gnu_build_id(elf, &id.bytes);

	if (size > 1 && size <= DEBUGFILE_ID_MAX)
		id.size = size;
	return id;
}

static bool has_id(Elf *elf, struct id id)
{
	struct id own = build_id(elf);

	return own.size == id.size && !memcmp(own.bytes, id.bytes, id.size);
}

bool debugfile_has(Elf *elf, const char *section)
{
	GElf_Shdr shdr;

	return object_section(elf, section, &shdr) &&
	       shdr.sh_type != SHT_NOBITS && shdr.sh_size;
}

/* Takes the descriptor if it is an ELF file, and, if id is given, has that build id. */
static bool take(struct debugfile *file, int fd, const struct id *id)
{
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);

	if (elf && elf_kind(elf) == ELF_K_ELF && (!id || has_id(elf, *id))) {
		file->fd = fd;
		file->elf = elf;
		return true;
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return false;
}

/* Searches the archive, the process's file system, and that of lbrctl. */
static bool find_by_id(struct debugfile *file, struct id id, const struct machine *m, uint32_t pid)
{
	const unsigned char *bytes = id.bytes;
	char path[64 + 2 * DEBUGFILE_ID_MAX];
	int at;

	if (!id.size)
		return false;
	at = sprintf(path, DEBUGFILE_DIRECTORY "/.build-id/%02x/", bytes[0]);
	at += text_hex(path + at, sizeof(path) - at, bytes + 1, id.size - 1);
	strcpy(path + at, ".debug");
	return take(file, machine_file_by_id(m, id.bytes, id.size, ARCHIVE_DEBUG), &id) ||
	       take(file, machine_file(m, pid, path), &id) ||
	       (pid && take(file, machine_file(m, 0, path), &id));
}

/* The checksum of .gnu_debuglink is zlib's. */
static bool has_checksum(int fd, uint32_t want)
{
	unsigned char buffer[1 << 16];
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, buffer, sizeof(buffer), at)) > 0) {
		crc = crc32(crc, buffer, got);
		at += got;
	}
	return !got && crc == want;
}

/* Searches as gdb does: beside the file, in .debug, and at its place below /usr/lib/debug. */
static bool find_by_link(struct debugfile *file, Elf *elf, const struct machine *m, uint32_t pid,
			 const char *path)
{
	static const char *const places[][2] = {
		{ "", "" }, { "", ".debug/" }, { DEBUGFILE_DIRECTORY, "" },
	};
	GElf_Word crc;
	const char *name = dwelf_elf_gnu_debuglink(elf, &crc);
	const char *base = strrchr(path, '/');
	size_t directory = base ? base + 1 - path : 0;

	if (!name || !*name || strchr(name, '/'))
		return false;
	for (size_t i = 0; i < 3; i++) {
		char *whole;
		int fd;

		if (asprintf(&whole, "%s%.*s%s%s", places[i][0], (int)directory,
			     path, places[i][1], name) < 0) {
			err_short_of_memory();
			return false;
		}
		fd = machine_file(m, pid, whole);
		free(whole);
		if (fd >= 0 && !has_checksum(fd, crc))
			close(fd);
		else if (take(file, fd, NULL))
			return true;
	}
	return false;
}

int debugfile_ask(const char *urls)
{
	void *library, *(*begin)(void);

	if (urls && setenv("DEBUGINFOD_URLS", urls, true))
		return err_errno("--debuginfod");
	if (!getenv("DEBUGINFOD_URLS") || !*getenv("DEBUGINFOD_URLS"))
		return err_fail("--debuginfod: no server given: use --debuginfod=URL or set "
				"DEBUGINFOD_URLS");
	library = dlopen("libdebuginfod.so.1", RTLD_NOW);
	if (!library)
		return err_fail("--debuginfod: %s: install libdebuginfod1",
				dlerror());
	begin = (void *(*)(void))dlsym(library, "debuginfod_begin");
	server.find = (int (*)(void *, const unsigned char *, int, char **))
		dlsym(library, "debuginfod_find_debuginfo");
	server.client = begin && server.find ? begin() : NULL;
	return server.client ? 0 :
	       err_fail("--debuginfod: libdebuginfod.so.1 cannot be initialised");
}

bool debugfile_asks(void)
{
	return server.client;
}

static bool find_by_server(struct debugfile *file, struct id id)
{
	char *path = NULL;
	int fd;

	if (!server.client || !id.size)
		return false;
	fd = server.find(server.client, id.bytes, id.size, &path);
	free(path);
	return take(file, fd, &id);
}

struct debugfile debugfile_find(Elf *elf, const struct machine *m, uint32_t pid, const char *path)
{
	struct debugfile file = { -1, NULL, NULL };
	struct id id = build_id(elf);

	if (!find_by_id(&file, id, m, pid) &&
	    !(path && find_by_link(&file, elf, m, pid, path)))
		find_by_server(&file, id);
	return file;
}

/* Unpacks the whole section; NULL if it is damaged, or larger than any real one. */
static void *unpack(const void *packed, size_t size, size_t *unpacked)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	size_t max = 1 << 20, room = 0;
	lzma_ret ret = LZMA_OK;
	uint8_t *out = NULL;

	if (lzma_stream_decoder(&stream, DEBUGFILE_EMBEDDED_MAX, 0) != LZMA_OK)
		return NULL;
	stream.next_in = packed;
	stream.avail_in = size;
	for (; ret == LZMA_OK && max <= DEBUGFILE_EMBEDDED_MAX; max *= 2) {
		if (room_for(&out, max, &room, 1))
			break;
		stream.next_out = out + stream.total_out;
		stream.avail_out = max - stream.total_out;
		ret = lzma_code(&stream, LZMA_FINISH);
	}
	*unpacked = stream.total_out;
	lzma_end(&stream);
	if (ret == LZMA_STREAM_END)
		return out;
	free(out);
	return NULL;
}

struct debugfile debugfile_embedded(Elf *elf)
{
	struct debugfile file = { -1, NULL, NULL };
	GElf_Shdr shdr;
	Elf_Scn *scn = object_section(elf, ".gnu_debugdata", &shdr);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	size_t size;

	if (!data || !data->d_buf)
		return file;
	file.image = unpack(data->d_buf, data->d_size, &size);
	if (file.image)
		file.elf = elf_memory(file.image, size);
	if (!file.elf || elf_kind(file.elf) != ELF_K_ELF)
		debugfile_close(&file);
	return file;
}

bool debugfile_supplement(Dwarf *dwarf, const struct machine *m, uint32_t pid,
			  struct debugfile *file, Dwarf **supplement)
{
	const char *name;
	struct id id = { NULL, 0 };
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id.bytes);

	*supplement = NULL;
	if (!size)
		return true;
	if (size < 2 || size > DEBUGFILE_ID_MAX)
		return false;
	id.size = size;
	if (!find_by_id(file, id, m, pid) &&
	    !(*name == '/' && take(file, machine_file(m, pid, name), &id)))
		return false;
	*supplement = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (*supplement)
		dwarf_setalt(dwarf, *supplement);
	return *supplement;
}

void debugfile_close(struct debugfile *file)
{
	elf_end(file->elf);
	free(file->image);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct debugfile){ -1, NULL, NULL };
}
