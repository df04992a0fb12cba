// SPDX-License-Identifier: GPL-2.0
/* ctl/base/shortname.c: names without their arguments, and in less room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/shortname.h"

static void arguments_are_left_out(void **state)
{
	static const struct { const char *name, *want; } table[] = {
		{ "main", "main" },
		{ "std::vector<int, std::allocator<int> >::push_back", "std::vector<…>::push_back" },
		{ "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::compare",
		  "std::string::compare" },
		{ "f<std::__cxx11::basic_string<char, x> >", "f<…>" },
		{ "score<worker(Book&, int)::{lambda(double)#1}>", "score<…>" },
		{ "std::operator<< <std::char_traits<char> >", "std::operator<< <…>" },
		{ "a::operator<", "a::operator<" }, { "a::operator->", "a::operator->" },
		{ "a::operator><int>", "a::operator><…>" }, { "x::operator<=><int>::y", "x::operator<=><…>::y" },
		{ "<alloc::vec::Vec<T> as core::ops::Drop>::drop", "<alloc::vec::Vec<…> as core::ops::Drop>::drop" },
		{ "open<without<end>", "open<without<…>" }, { "f<g->h>", "f<…>" }, { "", "" },
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		shortname_without_arguments(table[i].name, text, sizeof(text));
		assert_string_equal(text, table[i].want);
	}
	shortname_without_arguments("abcdef", text, 4);
	assert_string_equal(text, "abc");
}

/* A name may be that of an attacker; a second pass for each '<' would take hours. */
static void a_long_name_takes_one_pass(void **state)
{
	enum { LENGTH = 4000000 };
	char *name = malloc(LENGTH + 1), *text = malloc(3 * LENGTH + 4);

	(void)state;
	assert_non_null(name);
	assert_non_null(text);
	memset(name, '<', LENGTH);
	name[LENGTH] = '\0';
	shortname_without_arguments(name, text, 3 * LENGTH + 4);
	assert_string_equal(text, name);
	memset(name, 'f', 1);
	memset(name + LENGTH / 2, '>', LENGTH / 2);
	shortname_without_arguments(name, text, 3 * LENGTH + 4);
	assert_string_equal(text, "f<…>>");
	free(name);
	free(text);
}

static void parts_are_names(void **state)
{
	static const struct { const char *name, *word; bool is; } table[] = {
		{ "main", "main", true }, { "domain", "main", false }, { "main", "", false },
		{ "shop::Book::best", "best", true }, { "shop::Book::best", "Book::best", true },
		{ "shop::Book::best", "ook::best", false }, { "shop::Book::best", "shop::best", false },
		{ "shop::Book<int>::best<double>", "best", true },
		{ "shop::Book<int>::best<double>", "Book<int>::best", true },
		{ "shop::Book<int>::best<double>", "Book::best<long>", true },
		{ "f<a::best>", "best", false }, { "std::operator<< <char>", "operator<< ", true },
		{ "<T as core::Drop>::drop", "drop", true }, { "::best", "best", true }, { ":best", "best", false },
		{ "f<>", "f<>", true }, { "", "", true },
	};
	char hostile[5000];

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (shortname_is(table[i].name, table[i].word) != table[i].is)
			fail_msg("%s, %s", table[i].name, table[i].word);
	memset(hostile, '<', sizeof(hostile));
	memset(hostile + 2500, '>', 2499);
	hostile[0] = 'f';
	hostile[sizeof(hostile) - 1] = '\0';
	assert_true(shortname_is(hostile, "f"));
}

/* What has no room is left out, and its end with it. */
static void arguments_without_room(void **state)
{
	char text[8];

	(void)state;
	shortname_without_arguments("abcdefghij<k<l>>::m", text, sizeof(text));
	assert_string_equal(text, "abcdefg");
	shortname_without_arguments("a<bcdefgh<i<j>>>::k", text, sizeof(text));
	assert_true(strlen(text) < sizeof(text));
}

static void names_fit(void **state)
{
	static const struct { const char *name; size_t cells; const char *want; } table[] = {
		{ "main", 5, "main" }, { "abcdef", 5, "ab…ef" }, { "ns::inner::f", 8, "inner::f" },
		{ "ns::inner::f", 7, "f" }, { "abcdefghij", 7, "abc…hij" }, { "äöüäöü", 5, "äö…öü" },
		{ "abcdef", 6, "abcdef" },
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		strcpy(text, table[i].name);
		shortname_fit(text, table[i].cells);
		assert_string_equal(text, table[i].want);
		assert_true(shortname_cells(text) <= table[i].cells);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_left_out), cmocka_unit_test(a_long_name_takes_one_pass),
		cmocka_unit_test(parts_are_names), cmocka_unit_test(arguments_without_room),
		cmocka_unit_test(names_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
