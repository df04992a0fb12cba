// SPDX-License-Identifier: GPL-2.0
/* ctl/object/demangle.c: names as their authors wrote them. */
#include "test.h"

#include "object/demangle.h"

/* The output of c++filt -p for names that compilers made, except the hashes in Rust's (which
 * are of rustc 1.95). */
static const struct {
	const char *name, *shown;
} names[] = {
	{ "main", "main" },
	{ "_start", "_start" },
	{ "_Z", "_Z" },
	{ "_Z3foo", "foo" },
	{ "_Zfoo", "_Zfoo" },
	{ "_Z5firstRKN5space3BoxE", "first" },
	{ "_ZN5space5outerERKNS_3BoxIiEEi", "space::outer" },
	{ "_ZNK5space3BoxIiE5twiceEi", "space::Box<int>::twice" },
	{ "_ZN3FooC4Ev", "Foo::Foo" },
	{ "_ZN3FooD1Ev", "Foo::~Foo" },
	{ "_ZNK3FooclEi", "Foo::operator()" },
	{ "_Z3foov.cold", "foo" },
	{ "_ZN1r7compute17he9e9c2245c3ede51E", "r::compute" },
	{ "_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h0123456789abcdefE",
	  "core::ptr::drop_in_place<alloc::string::String>" },
	{ "_RNvCs6GmmlP4bgsG_1r7compute", "r::compute" },
	{ "_RNvMNtCsgEmfK2I1SDS_4core6optionINtB2_6OptionyE6as_refB4_", "<core::option::Option<u64>>::as_ref" },
};

static void demangled(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(names); i++) {
		char *shown = names_demangle(names[i].name);
		char *as_is = names_clean(names[i].name);

		assert_string_equal(shown, names[i].shown);
		assert_string_equal(as_is, names[i].name);
		free(shown);
		free(as_is);
	}
}

/* A few bytes can stand for any number: each S_ doubles the name. */
static void long_names_stay_short(void **state)
{
	char name[4096] = "_Z1f", *shown;
	size_t at = strlen(name);

	(void)state;
	at += sprintf(name + at, "I");
	for (int i = 0; i < 40; i++)
		at += sprintf(name + at, "1aI");
	for (int i = 0; i < 40; i++)
		at += sprintf(name + at, "S%c_S%c_E", '0' + i % 10, '0' + i % 10);
	shown = names_demangle(name);
	assert_true(strlen(shown) <= 4096);
	free(shown);
	memset(name, 'x', sizeof(name) - 1);
	memcpy(name, "_Z", 2);
	name[sizeof(name) - 1] = '\0';
	shown = names_demangle(name);
	assert_string_equal(shown, name);
	free(shown);
}

/* Names come from files, and go to a terminal. */
static void no_control_characters(void **state)
{
	char *shown = names_demangle("a\n\033[31m\x7f" "b"), *as_is = names_clean("\tc");

	(void)state;
	assert_string_equal(shown, "a??[31m?b");
	assert_string_equal(as_is, "?c");
	free(shown);
	free(as_is);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(demangled),
		cmocka_unit_test(long_names_stay_short),
		cmocka_unit_test(no_control_characters),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
