// SPDX-License-Identifier: GPL-2.0
/* Names of C++ and Rust functions in the room that a line has. */
#include <stdbool.h>
#include <string.h>

#include "base/shortname.h"

#define ELLIPSIS	"\xe2\x80\xa6"	/* U+2026 */

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t shortname_cells(const char *text)
{
	size_t cells = 0;

	for (; *text; text++)
		cells += !is_continuation(*text);
	return cells;
}

/* Returns the length of a token at `name` in which angle brackets enclose no arguments. */
static size_t other_token(const char *name)
{
	static const char *const tokens[] = {
		"operator<=>", "operator<<=", "operator>>=", "operator->*", "operator<<",
		"operator>>", "operator<=", "operator>=", "operator->", "operator<", "operator>", "->",
	};

	for (size_t i = 0; i < sizeof(tokens) / sizeof(*tokens); i++)
		if (!strncmp(name, tokens[i], strlen(tokens[i])))
			return strlen(tokens[i]);
	return 0;
}

/* Returns the length of the arguments that begin at a '<'; 0: they do not end. */
static size_t arguments(const char *name)
{
	size_t open = 0, skip;

	for (const char *at = name; *at; at += skip) {
		skip = at > name ? other_token(at) : 0;
		if (skip)
			continue;
		skip = 1;
		open += *at == '<';
		if (*at == '>' && !--open)
			return at + 1 - name;
	}
	return 0;
}

/* Returns the length of the standard string's whole name at `name`; 0: it is another name. */
static size_t string_name(const char *name)
{
	static const char *const begins[] = {
		"std::__cxx11::basic_string<char,", "std::basic_string<char,", "std::__1::basic_string<char,",
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(name, begins[i], strlen(begins[i]))) {
			size_t head = strcspn(name, "<"), len = arguments(name + head);

			return len ? head + len : 0;
		}
	return 0;
}

static size_t put(char *text, size_t size, size_t at, const char *from, size_t len)
{
	if (at + len < size)
		memcpy(text + at, from, len);
	return at + len < size ? at + len : at;
}

void shortname_without_arguments(const char *name, char *text, size_t size)
{
	size_t at = 0, len;

	for (; *name; name += len) {
		len = string_name(name);
		if (len) {
			at = put(text, size, at, "std::string", strlen("std::string"));
			continue;
		}
		/* Rust puts a type in front of a name: "<T as Trait>::f". */
		len = *name == '<' && at ? arguments(name) : 0;
		if (len) {
			at = put(text, size, at, "<" ELLIPSIS ">", strlen("<" ELLIPSIS ">"));
			continue;
		}
		len = other_token(name);
		len = len ? len : 1;
		at = put(text, size, at, name, len);
	}
	text[at] = '\0';
}

/* Returns the place in the text after so many cells. */
static size_t place_of(const char *text, size_t cells)
{
	size_t at = 0;

	while (text[at] && (cells || is_continuation(text[at])))
		cells -= !is_continuation(text[at++]);
	return at;
}

void shortname_fit(char *text, size_t cells)
{
	size_t all = shortname_cells(text), head, tail;
	char *outer;

	while (all > cells && (outer = strstr(text, "::"))) {
		memmove(text, outer + 2, strlen(outer + 2) + 1);
		all = shortname_cells(text);
	}
	if (all <= cells)
		return;
	head = place_of(text, cells - 1 - (cells - 1) / 2);
	tail = place_of(text, all - (cells - 1) / 2);
	memmove(text + head + strlen(ELLIPSIS), text + tail, strlen(text + tail) + 1);
	memcpy(text + head, ELLIPSIS, strlen(ELLIPSIS));
}
