// SPDX-License-Identifier: GPL-2.0
/* Learns where the functions of a text are. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "import/places.h"
#include "import/relate.h"

/* Made-up addresses: below those of mapped files and behind those of programs without PIE; and of modules. */
#define PLACES_FIRST	(1ULL << 36)
#define PLACES_LAST	(1ULL << 46)
#define PLACES_MODULES	0xffffffff80000000ULL
#define PLACES_GAP	(1ULL << 20)
#define PLACES_MAPPINGS_MAX	256	/* of a file in a process, each of which is looked at for a frame */

static uint64_t page_of(uint64_t position)
{
	return position & ~(uint64_t)(PLACES_PAGE - 1);
}

static uint64_t file_hash(const char *path, uint64_t owner)
{
	return hash_add(hash_text(path), owner);
}

static struct places_file *find_file(const struct places *p, const char *path, uint64_t owner)
{
	hash_for_each(i, &p->file_index, file_hash(path, owner))
		if (p->files[i].owner == owner && !strcmp(p->files[i].path, path))
			return &p->files[i];
	return NULL;
}

struct buildid places_id(uint64_t hash)
{
	struct buildid id = { .size = BUILDID_MAX };

	for (unsigned int i = 0; i < BUILDID_MAX; i++) {
		hash = hash_u64(hash + i);
		id.bytes[i] = hash;
	}
	return id;
}

static bool begins(const char *path, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(path, list[i], strlen(list[i])))
			return true;
	return false;
}

/* Whether perf names code of the kernel or of a module so. */
static bool is_kernels(const char *path, uint64_t position)
{
	static const char *const others[] = { "[vdso]", "[vsyscall]", "[heap]", "[stack", "[anon", "[uprobes]" };
	const size_t length = strlen(path);

	return position >= PLACES_KERNEL || (length > 3 && !strcmp(path + length - 3, ".ko")) ||
	       (*path == '[' && !begins(path, others, sizeof(others) / sizeof(*others)));
}

bool places_is_made(const char *path)
{
	static const char *const made[] = {
		"/tmp/perf-", "//anon", "/anon_hugepage", "/SYSV", "/dev/zero", "[heap]", "[stack", "[anon" };

	return begins(path, made, sizeof(made) / sizeof(*made));
}

/* Finds or makes the file. Returns NULL, with a message, when memory is short. */
static struct places_file *file_of(struct places *p, const char *path, uint64_t owner, uint64_t position)
{
	struct places_file *file = find_file(p, path, owner);
	char *copy;

	if (file)
		return file;
	copy = strdup(path);
	if (!copy || hash_reserve(&p->file_index) ||
	    room_for(&p->files, p->file_index.used + 1, &p->max_files, sizeof(*p->files))) {
		free(copy);
		err_fail("out of memory");
		return NULL;
	}
	file = &p->files[hash_put(&p->file_index, file_hash(path, owner))];
	*file = (struct places_file){ .owner = owner, .path = copy, .kernel = is_kernels(path, position),
				      .made = places_is_made(path), .code.begin = UINT64_MAX };
	if (owner)
		file->id = places_id(file_hash(path, owner));
	return file;
}

static uint64_t mapping_hash(int32_t pid, uint32_t file)
{
	return hash_add(hash_u64((uint32_t)pid), file);
}

/* Finds or makes the mapping. Returns NULL, with a message, when memory is short. */
static struct places_mapping *mapping_of(struct places *p, int32_t pid, uint32_t file)
{
	hash_for_each(i, &p->mapping_index, mapping_hash(pid, file))
		if (p->mappings[i].pid == pid && p->mappings[i].file == file)
			return &p->mappings[i];
	if (hash_reserve(&p->mapping_index) ||
	    room_for(&p->mappings, p->mapping_index.used + 1, &p->max_mappings, sizeof(*p->mappings))) {
		err_fail("out of memory");
		return NULL;
	}
	p->mappings[p->mapping_index.used] = (struct places_mapping){ .pid = pid, .file = file };
	return &p->mappings[hash_put(&p->mapping_index, mapping_hash(pid, file))];
}

int places_map(struct places *p, const struct text_mapping *text)
{
	const struct places_file *file = file_of(p, text->path, 0, 0);
	struct places_mapping *m;

	if (!file)
		return -1;
	if (file->made)
		return 0;
	m = mapping_of(p, text->pid, file - p->files);
	/* Code made at run time may have any number of mappings of one name; the oldest are given up. */
	if (m && m->nr == PLACES_MAPPINGS_MAX)
		memmove(m->list, m->list + 1, --m->nr * sizeof(*m->list));
	if (!m || room_for(&m->list, m->nr + 1, &m->max, sizeof(*m->list)))
		return m ? err_fail("out of memory") : -1;
	m->list[m->nr] = *text;
	m->list[m->nr++].path = NULL;
	return 0;
}

/* The mapping of the text that covers a position, or an address; NULL: none. */
static const struct text_mapping *covering(const struct places_mapping *m, uint64_t at, bool is_address)
{
	for (size_t i = m->nr; i-- > 0;) {
		const uint64_t begin = is_address ? m->list[i].start : m->list[i].offset;

		if (at >= begin && at - begin < m->list[i].size)
			return &m->list[i];
	}
	return NULL;
}

/* Where a text says that a frame is: a file, and a position in it. */
struct named {
	struct places_file *file;	/* NULL: memory is short, with a message */
	struct places_mapping *mapping;
	const struct text_mapping *text;	/* NULL: it does not tell the address */
	uint64_t position;
};

/* Whether the number at a frame is an address. No file has 2^40 bytes. */
static bool is_address(struct places *p, const struct item *item, const struct places_file *file,
		       const struct text_frame *frame)
{
	p->has_addresses |= item->is_chain && frame->name && !file->made && frame->address >> 40;
	return !item->is_chain || file->made || p->has_addresses;
}

/* A process that executes another program has other mappings, and another name. */
static uint64_t owner_of(const struct text_head *head)
{
	return hash_add(hash_text(head->comm), (uint32_t)head->pid) | 1;
}

static struct named named(struct places *p, const struct item *item, const struct text_frame *frame)
{
	const int32_t pid = item->head.pid;
	struct named n = { .position = frame->address };
	bool address;

	n.file = file_of(p, frame->file, 0, n.position);
	n.mapping = n.file ? mapping_of(p, pid, n.file - p->files) : NULL;
	if (!n.mapping)
		return (struct named){ .file = NULL };
	if (frame->inlined || n.file->kernel)
		return n;
	address = is_address(p, item, n.file, frame);
	n.text = covering(n.mapping, n.position, address);
	if (!address)
		return n;
	if (n.text)
		n.position = n.position - n.text->start + n.text->offset;
	else
		n.file = file_of(p, frame->file, owner_of(&item->head), n.position);
	return n;
}

/* Names of the kernel have no room for further addresses. */
static int learn_inlined(struct places_file *file, const char *text)
{
	struct name *name = file->kernel ? NULL : names_add(&file->inlined, text, 0, 0);

	if (name && !name->end)
		name->end = file->inlined.index.used;
	return name || file->kernel ? 0 : -1;
}

/* Whether the position can be one in this file. The others are those of damaged texts. */
static bool fits(const struct places_file *file, uint64_t position)
{
	return position < PLACES_INLINED || (file->kernel && position >= PLACES_KERNEL && position < UINT64_MAX - PLACES_PAGE);
}

static int learn_frame(struct places *p, const struct item *item, const struct text_frame *frame)
{
	const struct named n = frame->file ? named(p, item, frame) : (struct named){ .file = NULL };
	const uint64_t start = n.position - frame->offset, end = n.position + 1;

	if (!n.file)
		return frame->file ? -1 : 0;
	if (frame->inlined)
		return frame->name ? learn_inlined(n.file, frame->name) : 0;
	if (!fits(n.file, n.position) || !fits(n.file, start))
		return 0;
	places_use(n.file, start, end);
	return !frame->name || names_add(&n.file->names, frame->name, start, end) ? 0 : -1;
}

int places_learn(struct places *p, const struct item *item)
{
	for (size_t i = 0; i < item->nr_frames; i++)
		if (learn_frame(p, item, &item->frames[i]))
			return -1;
	return 0;
}

/* Gives a range the next addresses. */
static void settle(struct places_range *range, uint64_t *next, uint64_t last)
{
	const uint64_t size = page_of(range->end + PLACES_PAGE - 1) - page_of(range->begin);

	range->begin = page_of(range->begin);
	range->end = range->begin + size;
	range->address = *next;
	/* Only wild numbers take more than a process has; they cannot be right anywhere. */
	if (size > last - *next || last - *next - size < PLACES_GAP)
		range->address = range->begin;
	else
		*next += size + PLACES_GAP;
}

static void settle_file(struct places_file *file, uint64_t *next, uint64_t *next_module)
{
	uint64_t same;

	if (file->code.begin > file->code.end)
		file->code = (struct places_range){ .begin = 0 };
	file->inlines = (struct places_range){ PLACES_INLINED, places_inlined(file->inlined.index.used), 0 };
	same = page_of(file->code.begin);
	if (file->owner || file->made || file->code.end > PLACES_KERNEL)
		settle(&file->code, &same, UINT64_MAX);
	else
		settle(&file->code, file->kernel ? next_module : next, file->kernel ? -PLACES_GAP : PLACES_LAST);
	if (!file->owner && !file->kernel)
		settle(&file->inlines, next, PLACES_LAST);
}

int places_settle(struct places *p)
{
	uint64_t next = PLACES_FIRST, next_module = PLACES_MODULES;

	for (size_t i = 0; i < p->file_index.used; i++)
		if (p->files[i].owner && relate(find_file(p, p->files[i].path, 0), &p->files[i]))
			return -1;
	for (size_t i = 0; i < p->file_index.used; i++)
		settle_file(&p->files[i], &next, &next_module);
	/* The second reading finds out the same. */
	p->has_addresses = false;
	for (size_t i = 0; i < p->mapping_index.used; i++)
		p->mappings[i].nr = 0;
	return 0;
}

static int find_inlined(struct places_file *file, struct places_mapping *m, const char *text, struct places_spot *spot)
{
	const struct name *name = text ? names_find(&file->inlined, text, 0) : NULL;

	if (!name) {
		spot->file = NULL;
		return 0;
	}
	/* As a return address, so that the byte before it is the function's, too. */
	spot->address = file->inlines.address + (name->end - 1) * PLACES_INLINED_SIZE + PLACES_INLINED_SIZE / 2;
	spot->range = &file->inlines;
	spot->offset = file->inlines.begin;
	spot->mapped = &m->inlines_mapped;
	return 0;
}

int places_find(struct places *p, const struct item *item, size_t i, struct places_spot *spot)
{
	const struct text_frame *frame = &item->frames[i];
	const struct named n = frame->file ? named(p, item, frame) : (struct named){ .file = NULL };

	*spot = (struct places_spot){ .address = frame->address };
	if (!n.file || !fits(n.file, n.position))
		return frame->file && !n.file ? -1 : 0;
	spot->file = n.file;
	if (frame->inlined)
		return find_inlined(n.file, n.mapping, frame->name, spot);
	if (n.text) {
		spot->address = n.text->start + (n.position - n.text->offset);
		return 0;
	}
	spot->address = n.file->code.address + (n.position - n.file->code.begin);
	if (n.file->kernel)
		return 0;
	spot->range = &n.file->code;
	spot->offset = n.file->code.begin - n.file->shift;
	spot->mapped = n.file->owner ? NULL : &n.mapping->mapped;
	return 0;
}

void places_free(struct places *p)
{
	for (size_t i = 0; i < p->file_index.used; i++) {
		free(p->files[i].path);
		names_free(&p->files[i].names);
		names_free(&p->files[i].inlined);
		names_free(&p->files[i].firsts);
	}
	for (size_t i = 0; i < p->mapping_index.used; i++)
		free(p->mappings[i].list);
	free(p->files);
	free(p->mappings);
	hash_free(&p->file_index);
	hash_free(&p->mapping_index);
}
