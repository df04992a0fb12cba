// SPDX-License-Identifier: GPL-2.0
/* ctl/object/fdes.c: the linker's table and the entries themselves tell the same bounds, and a wrong table
 * is not believed. */
#include "program.h"

#include <fcntl.h>

#include "object/frame_rules.h"
#include "object/tables.h"

/* C, C++, an executable. */
static const char *const files[] = {
	"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/bin/perl", "/proc/self/exe",
};

struct both {
	int fd;
	Elf *elf;
	struct object_fdes table, list;
};

static void take(struct both *b, const char *path)
{
	b->fd = open(path, O_RDWR | O_CLOEXEC);
	if (b->fd < 0)
		b->fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(b->fd >= 0);
	elf_version(EV_CURRENT);
	b->elf = elf_begin(b->fd, ELF_C_READ, NULL);
	assert_non_null(b->elf);
	object_fdes_load(&b->table, b->elf, b->fd);
	object_fdes_load(&b->list, b->elf, -1);
	assert_non_null(b->table.table);
	assert_null(b->list.table);
	assert_true(b->list.nr > 10);
}

static void drop(struct both *b)
{
	object_fdes_free(&b->table);
	object_fdes_free(&b->list);
	elf_end(b->elf);
	close(b->fd);
}

static void same_piece_at(struct both *b, uint64_t vaddr)
{
	struct frames_piece x, y;
	bool found = object_fdes_piece(&b->table, vaddr, &x);

	assert_int_equal(object_fdes_piece(&b->list, vaddr, &y), found);
	if (!found)
		return;
	assert_int_equal(x.code.start, y.code.start);
	assert_int_equal(x.common->signal, y.common->signal);
	assert_int_equal(x.end - x.program, y.end - y.program);
	assert_memory_equal(x.program, y.program, x.end - x.program);
	assert_int_equal(x.moved + (uintptr_t)x.program, y.moved + (uintptr_t)y.program);
}

static void same_at(struct both *b, uint64_t vaddr)
{
	struct object_range x = { 0, 0 }, y = { 0, 0 };

	assert_int_equal(object_fdes_before(&b->table, vaddr, &x), object_fdes_before(&b->list, vaddr, &y));
	assert_int_equal(x.start, y.start);
	assert_int_equal(x.end, y.end);
	assert_int_equal(object_fdes_find(&b->table, vaddr, &x), object_fdes_find(&b->list, vaddr, &y));
	assert_int_equal(object_fdes_next(&b->table, vaddr), object_fdes_next(&b->list, vaddr));
	same_piece_at(b, vaddr);
}

static void same(struct both *b)
{
	for (size_t i = 0; i < b->list.nr; i++) {
		const struct object_range *range = &b->list.list[i].code;

		same_at(b, range->start - 1);
		same_at(b, range->start);
		same_at(b, range->end - 1);
		same_at(b, range->end);
	}
	same_at(b, 0);
	same_at(b, UINT64_MAX);
}

static void table_is_the_list(void **state)
{
	struct both b;

	(void)state;
	for (size_t i = 0; i < NR(files); i++) {
		if (access(files[i], R_OK))
			continue;
		take(&b, files[i]);
		same(&b);
		assert_non_null(b.table.table);
		drop(&b);
	}
}

/* Writes a number of 4 bytes into the table of a copy: word 0 of a row is the beginning, 1 where the entry is. */
static void damage(size_t row, size_t word, int32_t by)
{
	GElf_Shdr shdr;
	struct both b;
	int32_t value;
	off_t at;

	take(&b, program_path("copy"));
	assert_non_null(object_section(b.elf, ".eh_frame_hdr", &shdr));
	at = shdr.sh_offset + 12 + 8 * row + 4 * word;
	assert_int_equal(pread(b.fd, &value, sizeof(value), at), sizeof(value));
	value += by;
	assert_int_equal(pwrite(b.fd, &value, sizeof(value), at), sizeof(value));
	drop(&b);
}

static void wrong_table(void **state)
{
	static const struct {
		size_t row, word;
		int32_t by;
	} wrongs[] = {
		{ 5, 0, 1 }, { 5, 0, -1 },		/* another beginning */
		{ 5, 1, 8 }, { 5, 1, -0x40000000 },	/* no entry; outside the file */
		{ 5, 1, 0x40000000 },
	};

	(void)state;
	for (size_t i = 0; i < NR(wrongs); i++) {
		struct both b;

		run("cp %s copy", files[0]);
		damage(wrongs[i].row, wrongs[i].word, wrongs[i].by);
		take(&b, program_path("copy"));
		/* The row itself shows it. */
		same_at(&b, b.list.list[wrongs[i].row].code.end - 1);
		assert_null(b.table.table);
		same(&b);
		drop(&b);
	}
}

/* Whatever the two sections say, a question ends with an answer. */
static void random_damage(void **state)
{
	static const char *const sections[] = { ".eh_frame_hdr", ".eh_frame" };
	struct object_range range;
	struct frames_piece piece;
	struct frame_rules rules;
	GElf_Shdr shdr;
	struct both b;

	(void)state;
	srandom(1);
	run("cp %s copy", files[0]);
	for (int i = 0; i < 300; i++) {
		b.fd = open(program_path("copy"), O_RDWR | O_CLOEXEC);
		b.elf = elf_begin(b.fd, ELF_C_READ, NULL);
		assert_non_null(object_section(b.elf, sections[i % 2], &shdr));
		for (int k = 0; k < 20; k++) {
			unsigned char byte = random();

			assert_int_equal(pwrite(b.fd, &byte, 1, shdr.sh_offset + random() % shdr.sh_size), 1);
		}
		elf_end(b.elf);
		b.elf = elf_begin(b.fd, ELF_C_READ, NULL);
		object_fdes_load(&b.table, b.elf, b.fd);
		for (int k = 0; k < 300; k++) {
			uint64_t vaddr = (uint64_t)random() << (k % 2 ? 33 : 0) | random() % 0x200000;

			if (object_fdes_before(&b.table, vaddr, &range))
				assert_true(range.start <= vaddr && range.start < range.end);
			object_fdes_next(&b.table, vaddr);
			if (object_fdes_piece(&b.table, vaddr, &piece))
				frame_rules_at(&piece, vaddr, &rules);
		}
		object_fdes_free(&b.table);
		elf_end(b.elf);
		close(b.fd);
	}
}

/* It is not used at all. */
static void unsorted_table(void **state)
{
	struct object_fdes fdes;
	Elf *elf;
	int fd;

	(void)state;
	run("cp %s copy", files[0]);
	damage(5, 0, 0x1000000);
	fd = open(program_path("copy"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	object_fdes_load(&fdes, elf, fd);
	assert_null(fdes.table);
	assert_true(fdes.nr > 10);
	object_fdes_free(&fdes);
	elf_end(elf);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_the_list),
		cmocka_unit_test(wrong_table),
		cmocka_unit_test(unsorted_table),
		cmocka_unit_test(random_damage),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
