// SPDX-License-Identifier: GPL-2.0
/* ctl/object/frame_rows.c and frame_table.c: the rules of all code of installed files, at the first and the last byte
 * of each row of their tables, are those that libdw computes for that address. */
#include "program.h"

#include <fcntl.h>
#include <unistd.h>

#include "libdw_cfi.h"
#include "object/frame_table.h"

#define REGISTER_RBP	6

/* C, C++, assembly and PLT stubs; a static program. */
static const char *const files[] = {
	"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/usr/bin/perl", "/proc/self/exe",
};

struct file {
	Elf *elf;
	Dwarf_CFI *cfi;
	int fd;
	struct frame_rows rows;
	struct lbrscope_unwind_head *table;
	size_t size;
};

static bool take(struct file *f, const char *path)
{
	struct gotable go = { .format = NULL };

	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (f->fd < 0)
		return false;
	elf_version(EV_CURRENT);
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(f->elf);
	f->cfi = dwarf_getcfi_elf(f->elf);
	gotable_load(&go, f->elf);
	assert_int_equal(frame_rows_make(&f->rows, f->elf, &go), 0);
	f->table = frame_table_pack(&f->rows, &f->size);
	assert_non_null(f->table);
	return true;
}

/* A row of a table, read as <linux/lbrscope_unwind.h> says. */
struct row {
	uint64_t vaddr;
	const struct lbrscope_unwind_rule *rule;
};

/* Returns all rows, for free(); f->table->nr_rows of them. */
static struct row *rows_of(const struct file *f)
{
	const struct lbrscope_unwind_head *t = f->table;
	const uint32_t *index = (const uint32_t *)(t + 1);
	const struct lbrscope_unwind_row *rows = (const void *)(index + t->nr_buckets + 1);
	const size_t end = (const char *)(rows + t->nr_rows) - (const char *)t;
	const struct lbrscope_unwind_rule *rules = (const void *)((const char *)t + (end + 7) / 8 * 8);
	struct row *list = malloc(t->nr_rows * sizeof(*list));
	size_t nr = 1;

	assert_non_null(list);
	assert_ptr_equal(rules + t->nr_rules, (const char *)t + f->size);
	assert_int_equal(index[0], 0);
	list[0] = (struct row){ t->base, &rules[rows[0].rule] };
	for (size_t b = 0; b < t->nr_buckets; b++)
		for (uint64_t bucket = t->base + (b << t->shift); nr <= index[b + 1]; nr++) {
			list[nr].vaddr = (bucket & ~0xffffULL) | rows[nr].low;
			list[nr].rule = &rules[rows[nr].rule];
			assert_in_range(list[nr].vaddr, bucket, bucket + (1ULL << t->shift) - 1);
			assert_true(list[nr].vaddr >= list[nr - 1].vaddr);
		}
	assert_int_equal(nr, t->nr_rows);
	return list;
}

static unsigned int register_of(const struct lbrscope_unwind_rule *rule)
{
	return rule->rbp >> 4;
}

static void drop(struct file *f)
{
	free(f->table);
	frame_rows_free(&f->rows);
	dwarf_cfi_end(f->cfi);
	elf_end(f->elf);
	close(f->fd);
}

static bool is_atom(const struct libdw_rule *rule, size_t i, uint8_t atom)
{
	return i < rule->nr_ops && rule->ops[i].atom == atom;
}

/* Whether libdw's rule for the CFA is "the word at register + offset, + behind". */
static bool is_word(const struct libdw_rule *cfa, uint8_t atom, int32_t offset)
{
	int64_t behind = 0;

	if (!is_atom(cfa, 0, atom) || (int64_t)cfa->ops[0].number != (int16_t)offset || !is_atom(cfa, 1, DW_OP_deref))
		return false;
	if (is_atom(cfa, 2, DW_OP_plus_uconst))
		behind = cfa->ops[2].number;
	else if (cfa->nr_ops == 4 && is_atom(cfa, 3, DW_OP_plus))
		behind = cfa->ops[2].atom - DW_OP_lit0;
	else if (cfa->nr_ops != 2)
		return false;
	return behind == offset >> 16;
}

static bool is_register(const struct libdw_rule *cfa, unsigned int reg, int32_t offset)
{
	/* Some compilers write it as an expression. */
	return (cfa->kind == OBJECT_CFI_REGISTER && cfa->reg == reg && cfa->value == offset) ||
	       (is_atom(cfa, 0, DW_OP_breg0 + reg) && cfa->nr_ops == 1 && (int64_t)cfa->ops[0].number == offset);
}

static bool same_cfa(const struct lbrscope_unwind_rule *rule, const struct libdw_rule *cfa)
{
	switch (rule->kind) {
	case LBRSCOPE_UNWIND_SP:
	case LBRSCOPE_UNWIND_BACK_IN:
		return is_register(cfa, OBJECT_CFI_STACK_POINTER, rule->offset);
	case LBRSCOPE_UNWIND_BP:
		return is_register(cfa, REGISTER_RBP, rule->offset);
	case LBRSCOPE_UNWIND_REGISTER:
		return is_register(cfa, register_of(rule), rule->offset);
	case LBRSCOPE_UNWIND_SP_AT:
		return is_word(cfa, DW_OP_breg7, rule->offset);
	case LBRSCOPE_UNWIND_BP_AT:
		return is_word(cfa, DW_OP_breg6, rule->offset);
	case LBRSCOPE_UNWIND_PLT:
		return is_atom(cfa, 0, DW_OP_breg7) && is_atom(cfa, 1, DW_OP_breg16) &&
		       is_atom(cfa, 4, DW_OP_lit0 + rule->offset) && is_atom(cfa, 5, DW_OP_ge) && cfa->nr_ops == 9;
	default:
		return false;
	}
}

static bool same_rbp(const struct lbrscope_unwind_rule *rule, const struct libdw_cfi *cfi)
{
	const struct libdw_rule *rbp = &cfi->registers[REGISTER_RBP];

	switch (rule->rbp & 0xf) {
	case LBRSCOPE_UNWIND_RBP_SAME:
		/* popped: see frame_rows.c */
		return rbp->kind == OBJECT_CFI_SAME ||
		       (rule->kind == LBRSCOPE_UNWIND_SP && rbp->kind == OBJECT_CFI_SAVED && -rbp->value > rule->offset) ||
		       (rule->kind == LBRSCOPE_UNWIND_SP && is_atom(rbp, 1, DW_OP_breg6) && rule->offset == 8) ||
		       (rule->kind == LBRSCOPE_UNWIND_REGISTER && is_atom(rbp, 1, DW_OP_breg6));
	case LBRSCOPE_UNWIND_RBP_AT_CFA:
		return rbp->kind == OBJECT_CFI_SAVED && rbp->value == 8 * rule->rbp_at;
	case LBRSCOPE_UNWIND_RBP_AT_RBP:
		return is_atom(rbp, 1, DW_OP_breg6) && (int64_t)rbp->ops[1].number == 8 * rule->rbp_at;
	default:
		return rbp->kind != OBJECT_CFI_SAME && rbp->kind != OBJECT_CFI_SAVED;
	}
}

static bool same_back(const struct lbrscope_unwind_rule *rule, const struct libdw_rule *back)
{
	if (rule->kind == LBRSCOPE_UNWIND_BACK_IN)
		return back->kind == OBJECT_CFI_REGISTER && back->reg == register_of(rule) && !back->value;
	return back->kind == OBJECT_CFI_SAVED && back->value == -8;
}

static bool same(const struct lbrscope_unwind_rule *rule, const struct libdw_cfi *cfi)
{
	const struct libdw_rule *back = &cfi->registers[OBJECT_CFI_RETURN_ADDRESS];

	if (rule->kind == LBRSCOPE_UNWIND_SIGNAL || cfi->signal)
		return rule->kind == LBRSCOPE_UNWIND_SIGNAL && cfi->signal;
	if (rule->kind == LBRSCOPE_UNWIND_END || back->kind == OBJECT_CFI_UNDEFINED)
		return rule->kind == LBRSCOPE_UNWIND_END && back->kind == OBJECT_CFI_UNDEFINED;
	return same_cfa(rule, &cfi->cfa) && same_rbp(rule, cfi) && same_back(rule, back);
}

/* Judges the rule of an address that has rules. */
static void judge(const struct file *f, uint64_t vaddr, const struct lbrscope_unwind_rule *rule, size_t *others)
{
	struct libdw_cfi cfi;

	if (!libdw_cfi(f->cfi, vaddr, &cfi))
		return;
	*others += rule->kind == LBRSCOPE_UNWIND_OTHER;
	if (rule->kind != LBRSCOPE_UNWIND_OTHER && !same(rule, &cfi))
		fail_msg("%#lx: kind %u, rbp %u, %d, %d", vaddr, rule->kind, rule->rbp, rule->rbp_at, rule->offset);
}

static void rules_are_libdws(void **state)
{
	size_t judged = 0, others = 0;

	(void)state;
	for (size_t i = 0; i < NR(files); i++) {
		struct file f = { .fd = -1 };
		struct row *rows;

		if (!take(&f, files[i]))
			continue;
		rows = rows_of(&f);
		for (size_t k = 0; k + 1 < f.table->nr_rows; k++) {
			judge(&f, rows[k].vaddr, rows[k].rule, &others);
			judge(&f, rows[k + 1].vaddr - 1, rows[k].rule, &others);
		}
		judged += 2 * f.rows.nr;
		print_message("# %s: %zu rows, %u rules, %zu bytes\n", files[i], f.rows.nr, f.table->nr_rules, f.size);
		free(rows);
		drop(&f);
	}
	assert_true(judged > 100000);
	assert_true(others < judged / 100);
}

static const struct lbrscope_unwind_rule *rule_at(const struct file *f, uint64_t vaddr)
{
	const struct lbrscope_unwind_rule *rule;
	struct row *rows = rows_of(f);
	size_t row = 0;

	while (row + 1 < f->table->nr_rows && rows[row + 1].vaddr <= vaddr)
		row++;
	rule = rows[row].rule;
	free(rows);
	return rule;
}

/* The address of a symbol, or of a section, as binutils print it. */
static uint64_t address_of(const char *command)
{
	char line[64] = "";
	FILE *in = popen(command, "r");

	assert_non_null(in);
	assert_non_null(fgets(line, sizeof(line), in));
	pclose(in);
	return strtoull(line, NULL, 16);
}

/* It may have a frame pointer; a stub has none. */
static void code_without_rules(void **state)
{
	static const struct {
		const char *command;
		uint8_t kind;
	} places[] = {
		{ "nm %s/p | sed -n 's/ T with$//p'", LBRSCOPE_UNWIND_SP },
		{ "nm %s/p | sed -n 's/ T without$//p'", LBRSCOPE_UNWIND_POINTER },
		{ "objdump -h %s/p | awk '$2 == \".plt\" { print $4 }'", LBRSCOPE_UNWIND_NONE },
		{ "objdump -h %s/p | awk '$2 == \".init\" { print $4 }'", LBRSCOPE_UNWIND_POINTER },
		{ "objdump -h %s/p | awk '$2 == \".fini\" { print $4 }'", LBRSCOPE_UNWIND_POINTER },
	};
	char command[256];
	struct file f;

	(void)state;
	program_write("with.c", "#include <stdio.h>\nint with(int n) { return puts(\"\") + n; }\nint main(void) { return with(1); }\n");
	program_write("without.c", "int without(int n) { return n; }\n");
	run("gcc -O2 -c with.c && gcc -O2 -fno-asynchronous-unwind-tables -falign-functions=64 -c without.c &&"
	    " gcc -no-pie -Wl,-z,lazy -Wl,--no-ld-generated-unwind-info with.o without.o -o p");
	assert_true(take(&f, program_path("p")));
	assert_int_equal(f.rows.outside, LBRSCOPE_UNWIND_POINTER);
	for (size_t i = 0; i < NR(places); i++) {
		snprintf(command, sizeof(command), places[i].command, program_dir);
		assert_int_equal(rule_at(&f, address_of(command))->kind, places[i].kind);
	}
	drop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_libdws),
		cmocka_unit_test(code_without_rules),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
