// SPDX-License-Identifier: GPL-2.0
/* Names of C++ and Rust functions in the room that a line has. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/shortname.h"

/* Longer names without their arguments are known only as a whole. */
#define NAME	1024
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

static size_t put(char *text, size_t size, size_t at, const char *from)
{
	const size_t len = strlen(from);

	if (at + len < size)
		memcpy(text + at, from, len);
	return at + len < size ? at + len : at;
}

/* Returns where the standard string's whole name begins, whose arguments begin at text[open];
 * open: it is another name. */
static size_t string_name(const char *text, size_t open)
{
	static const char *const names[] = {
		"std::__cxx11::basic_string", "std::basic_string", "std::__1::basic_string",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const size_t len = strlen(names[i]);

		if (open >= len && !memcmp(text + open - len, names[i], len) &&
		    !strncmp(text + open + 1, "char,", strlen("char,")))
			return open - len;
	}
	return open;
}

/* Arguments that have begun and not ended stand in the text with this in place of their '<'. */
#define OPEN		'\1'

/* Puts the short form in place of the arguments that end at text[at], and of their string's name. What
 * this reads is what it takes away, so a name takes time in proportion to its length. */
static size_t close_arguments(char *text, size_t size, size_t at)
{
	size_t open = at, begin;

	text[at] = '\0';
	while (text[open] != OPEN)
		open--;
	begin = string_name(text, open);
	return put(text, size, begin, begin < open ? "std::string" : "<" ELLIPSIS ">");
}

void shortname_without_arguments(const char *name, char *text, size_t size)
{
	char token[16];
	size_t at = 0, next, open = 0, lost = 0, len;

	for (; *name; name += len) {
		len = other_token(name);
		if (!len && *name == '>' && lost) {
			lost--;
			len = 1;
			continue;
		}
		if (!len && *name == '>' && open) {
			at = close_arguments(text, size, at);
			open--;
			len = 1;
			continue;
		}
		snprintf(token, sizeof(token), "%.*s", len ? (int)len : 1, name);
		/* Rust puts a type in front of a name: "<T as Trait>::f". */
		if (!len && (*name == OPEN || (*name == '<' && at)))
			*token = *name == OPEN ? '<' : OPEN;
		len = len ? len : 1;
		next = put(text, size, at, token);
		open += *token == OPEN && next > at;
		lost += *token == OPEN && next == at;
		at = next;
	}
	text[at] = '\0';
	for (char *left = strchr(text, OPEN); left; left = strchr(left, OPEN))
		*left = '<';
}

/* Removes what stands for arguments: it is the same for all. */
static void remove_arguments(char *text)
{
	static const char arguments[] = "<" ELLIPSIS ">";
	char *at = text, *to = text;

	while (*at) {
		if (!strncmp(at, arguments, strlen(arguments)))
			at += strlen(arguments);
		else
			*to++ = *at++;
	}
	*to = '\0';
}

bool shortname_is(const char *name, const char *word)
{
	char whole[NAME], part[NAME];
	size_t len, tail;

	if (!strcmp(name, word))
		return true;
	shortname_without_arguments(name, whole, sizeof(whole));
	shortname_without_arguments(word, part, sizeof(part));
	remove_arguments(whole);
	remove_arguments(part);
	len = strlen(whole);
	tail = strlen(part);
	return tail && tail <= len && !strcmp(whole + len - tail, part) &&
	       (tail == len || (len >= tail + 2 && !memcmp(whole + len - tail - 2, "::", 2)));
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
