// SPDX-License-Identifier: GPL-2.0
/* ctl/object/jitdump.c, through ctl/stacks/maps.c and ctl/profile/symbols.c: code that comes, moves and is
 * replaced, each at its time; and files that are no use, or hostile. */
#include <elf.h>

#include "mapping.h"
#include "program.h"

#include "profile/symbols.h"

#define PID	77

static struct bytes dump;
static char path[1024];

static void head(uint32_t machine, uint64_t flags)
{
	dump.nr = 0;
	put_u32(&dump, 0x4a695444);
	put_u32(&dump, 1);
	put_u32(&dump, 40);
	put_u32(&dump, machine);
	put_u32(&dump, 0);
	put_u32(&dump, PID);
	put_u64(&dump, 1);
	put_u64(&dump, flags);
}

static void record_head(uint32_t id, size_t size, uint64_t time)
{
	put_u32(&dump, id);
	put_u32(&dump, size);
	put_u64(&dump, time);
}

static void load(uint64_t time, uint64_t address, uint64_t size, uint64_t index,
		 const char *name)
{
	record_head(0, 56 + strlen(name) + 1 + size, time);
	put_u32(&dump, PID);
	put_u32(&dump, PID);
	put_u64(&dump, address);
	put_u64(&dump, address);
	put_u64(&dump, size);
	put_u64(&dump, index);
	put(&dump, name, strlen(name) + 1);
	for (size_t i = 0; i < size; i++)
		put(&dump, "\x90", 1);
}

static void move(uint64_t time, uint64_t to, uint64_t size, uint64_t index)
{
	record_head(1, 64, time);
	put_u32(&dump, PID);
	put_u32(&dump, PID);
	put_u64(&dump, to);
	put_u64(&dump, 0x1000);
	put_u64(&dump, to);
	put_u64(&dump, size);
	put_u64(&dump, index);
}

static void other(uint32_t id)
{
	record_head(id, 24, 1);
	put_u64(&dump, 0x1234);
}

static void a_program(void)
{
	head(EM_X86_64, 0);
	load(100, 0x10000, 0x40, 1, "first");
	other(2);
	load(100, 0x10040, 0x40, 2, "second");
	other(4);
	/* in the place of parts of both */
	load(200, 0x10020, 0x40, 3, "third");
	move(300, 0x20000, 0x40, 1);
	/* written late: its time counts, not its position */
	load(150, 0x30000, 0x10, 4, "late");
	other(3);
}

static void write_dump(size_t size)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(dump.data, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

/* NULL: nothing is known there. */
static void expect(struct maps *maps, struct symbols *symbols, uint64_t address,
		   const char *name)
{
	uint64_t offset;
	struct place p = maps_place(maps, PID, address, &offset);
	const struct symbols_function *f = symbols_function(symbols, symbols_find(symbols, p));

	assert_string_equal(f->name, name ? name : "[unknown]");
	assert_int_equal(f->known, name != NULL);
	if (name)
		assert_string_equal(f->object, path);
}

static void each_at_its_time(void **state)
{
	struct maps *maps = maps_new(NULL);
	struct symbols *symbols = symbols_new(maps, &(struct symbols_options){ 0 });

	(void)state;
	a_program();
	write_dump(dump.nr);
	feed_mmap2(maps, PID, 0x10000, 0x1000, 0, "//anon");
	feed_mmap2(maps, PID, 0x90000, 0x1000, 0, path);
	maps_until(maps, PID, 99);
	expect(maps, symbols, 0x10000, NULL);
	maps_until(maps, PID, 100);
	expect(maps, symbols, 0x10000, "first");
	expect(maps, symbols, 0x1003f, "first");
	expect(maps, symbols, 0x10040, "second");
	expect(maps, symbols, 0x10080, NULL);
	expect(maps, symbols, 0x30000, NULL);
	maps_until(maps, PID, 199);
	expect(maps, symbols, 0x30000, "late");
	/* it makes its code executable anew, each time that it has written */
	feed_mmap2(maps, PID, 0x10000, 0x1000, 0, "//anon");
	maps_until(maps, PID, 250);
	expect(maps, symbols, 0x1001f, "first");
	expect(maps, symbols, 0x10020, "third");
	expect(maps, symbols, 0x1005f, "third");
	expect(maps, symbols, 0x10060, "second");
	expect(maps, symbols, 0x20000, NULL);
	maps_until(maps, PID, UINT64_MAX);
	expect(maps, symbols, 0x20030, "first");
	/* another file there ends it, and so does another program */
	feed_mmap2(maps, PID, 0x20000, 0x1000, 0, "/no/library");
	expect(maps, symbols, 0x20030, NULL);
	feed_comm(maps, PID, PID, "other", true);
	maps_until(maps, PID, UINT64_MAX);
	expect(maps, symbols, 0x10020, NULL);
	symbols_free(symbols);
	maps_free(maps);
}

static size_t loads_of(size_t size)
{
	struct jitdump *d;
	size_t nr = 0;

	write_dump(size);
	d = jitdump_open(NULL, 0, path, getpid());
	while (d && jitdump_load(d, nr)) {
		const struct jitdump_load *l = jitdump_load(d, nr++);

		assert_true(l->start <= l->end);
		jitdump_find(d, l->at);
	}
	jitdump_close(d);
	return nr;
}

/* Cut off anywhere, and with any byte another one. */
static void as_far_as_it_is_sound(void **state)
{
	size_t whole, last = 0;

	(void)state;
	a_program();
	whole = dump.nr;
	assert_int_equal(loads_of(whole), 5);
	for (size_t size = 0; size <= whole; size++) {
		size_t nr = loads_of(size);

		assert_true(nr >= last && nr <= 5);
		last = nr;
	}
	for (size_t i = 0; i < whole; i++) {
		unsigned char was = dump.data[i];

		dump.data[i] ^= 0xff;
		assert_true(loads_of(whole) <= 5);
		dump.data[i] = was;
	}
}

static void what_is_none_is_refused(void **state)
{

	(void)state;
	head(EM_X86_64, 1);		/* of another clock */
	load(100, 0x10000, 0x40, 1, "first");
	assert_int_equal(loads_of(dump.nr), 0);
	head(EM_AARCH64, 0);
	load(100, 0x10000, 0x40, 1, "first");
	assert_int_equal(loads_of(dump.nr), 0);
	head(EM_X86_64, 0);		/* sizes that run over */
	load(100, UINT64_MAX - 3, 0x40, 1, "first");
	move(100, 0x5000, 0x40, 99);
	assert_int_equal(loads_of(dump.nr), 1);
	assert_null(jitdump_open(NULL, 0, "/nowhere/jit-1.dump", getpid()));
	assert_true(jitdump_is_name("/tmp/jit-12.dump"));
	assert_false(jitdump_is_name("/tmp/jit-x.dump"));
	assert_false(jitdump_is_name("jit-1.dump"));
	assert_false(jitdump_is_name("/tmp/jit-1.dump/libx.so"));
}

static int setup(void **state)
{
	program_setup(state);
	snprintf(path, sizeof(path), "%s", program_path("jit-77.dump"));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_at_its_time),
		cmocka_unit_test(as_far_as_it_is_sound),
		cmocka_unit_test(what_is_none_is_refused),
	};

	return cmocka_run_group_tests_name("jitdump", tests, setup, program_teardown);
}
