// SPDX-License-Identifier: GPL-2.0
/* Parses the --trigger options of a recording. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "object/object.h"
#include "record/triggers.h"

#define TRIGGERS_WATCH_LENGTH	4	/* as perf's mem:ADDR */

struct triggers_error {
	char *why;
	size_t size;
};

#define fail(error, ...) \
	(snprintf((error)->why, (error)->size, __VA_ARGS__), -1)

/* Parses a number at *text, decimal or 0x..., up to max; moves *text behind it. */
static bool take_number(const char **text, uint64_t max, uint64_t *number)
{
	char *end;

	errno = 0;
	if (!isdigit((unsigned char)**text))
		return false;
	*number = strtoull(*text, &end, 0);
	if (errno || *number > max)
		return false;
	*text = end;
	return true;
}

/* ADDR[/LEN][:w|:rw] */
static int parse_watch(const char *text, struct triggers_trigger *t,
		       struct triggers_error *error)
{
	uint64_t length = TRIGGERS_WATCH_LENGTH;

	if (!take_number(&text, UINT64_MAX, &t->address))
		return fail(error, "an address is missing: watch:0x404040/8:rw");
	if (*text == '/') {
		text++;
		if (!take_number(&text, 8, &length) || !length ||
		    length & (length - 1))
			return fail(error, "1, 2, 4 or 8 bytes can be watched");
	}
	t->length = length;
	if (t->address & (length - 1))
		return fail(error, "the address is not a multiple of the watched %u bytes: "
			    "append the length, /1, /2, /4 or /8",
			    t->length);
	t->reads = !strcmp(text, ":rw");
	if (*text && !t->reads && strcmp(text, ":w"))
		return fail(error, "'%s' is neither :w nor :rw", text);
	return 0;
}

static int find_function(const char *path, const char *name, uint64_t *offset,
			 struct triggers_error *error)
{
	enum object_state state;
	struct object *object = object_open(NULL, 0, path, NULL, 0, &state);
	uint64_t vaddr;
	size_t nr;
	int err = 0;

	if (!object)
		return fail(error, "%s is not an ELF file", path);
	nr = object_named(object, name, &vaddr);
	if (!nr)
		err = fail(error, "%s has no function %s", path, name);
	else if (nr > 1)
		err = fail(error, "%s has %zu functions %s: name one by its offset in the file, "
			   "%s:+OFFSET", path, nr, name, path);
	else if (!object_offset(object, vaddr, offset))
		err = fail(error, "%s of %s is not in its code", name, path);
	object_close(object);
	return err;
}

/* FILE:SYMBOL or FILE:+OFFSET */
static int parse_uprobe(const char *text, struct triggers_trigger *t,
			struct triggers_error *error)
{
	const char *place = strrchr(text, ':'), *at = place ? place + 2 : NULL;
	char *path;
	int err;

	if (!place || place == text || !place[1])
		return fail(error, "expected a file and a function: uprobe:/bin/bash:readline "
			    "or uprobe:./a.out:+0x1139");
	path = strndup(text, place - text);
	if (!path)
		return fail(error, "out of memory");
	t->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (t->file < 0)
		err = fail(error, "opening %s: %s", path, strerror(errno));
	else if (place[1] != '+')
		err = find_function(path, place + 1, &t->offset, error);
	else if (take_number(&at, UINT64_MAX, &t->offset) && !*at)
		err = 0;
	else
		err = fail(error, "'%s' is not an offset in the file", place + 1);
	free(path);
	if (err && t->file >= 0)
		close(t->file);
	return err;
}

static int parse_kprobe(const char *text, struct triggers_trigger *t,
			struct triggers_error *error)
{
	if (!*text || strlen(text) > LBRSCOPE_SYMBOL_MAX)
		return fail(error, "expected the name of a kernel function");
	t->symbol = text;
	return 0;
}

static int parse_nothing(const char *text,
			 struct triggers_trigger *t __attribute__((unused)),
			 struct triggers_error *error)
{
	return *text ? fail(error, "it takes no argument, not '%s'", text) :
		       0;
}

/* Signals without SIG, as sigabbrev_np() has them, which only glibc has. */
static const char *const signal_names[] = {
	[SIGHUP] = "HUP", [SIGINT] = "INT", [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
	[SIGTRAP] = "TRAP", [SIGABRT] = "ABRT", [SIGBUS] = "BUS", [SIGFPE] = "FPE",
	[SIGKILL] = "KILL", [SIGUSR1] = "USR1", [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
	[SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM", [SIGSTKFLT] = "STKFLT",
	[SIGCHLD] = "CHLD", [SIGCONT] = "CONT", [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
	[SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU", [SIGURG] = "URG", [SIGXCPU] = "XCPU",
	[SIGXFSZ] = "XFSZ", [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH",
	[SIGPOLL] = "POLL", [SIGPWR] = "PWR", [SIGSYS] = "SYS",
};
#define SIGNAL_NAMES	((int)(sizeof(signal_names) / sizeof(signal_names[0])))

/* A number, or a name with or without SIG. */
static int parse_signal(const char *text, struct triggers_trigger *t,
			struct triggers_error *error)
{
	const char *name = strncasecmp(text, "SIG", 3) ? text : text + 3;
	uint64_t number;

	if (!*text)
		return 0;
	if (take_number(&text, _NSIG - 1, &number) && !*text && number) {
		t->signal = number;
		return 0;
	}
	for (int nr = 1; nr < SIGNAL_NAMES; nr++)
		if (!strcasecmp(signal_names[nr], name)) {
			t->signal = nr;
			return 0;
		}
	return fail(error, "'%s' is not a signal", text);
}

static int parse_event(const char *text, struct triggers_trigger *t,
		       struct triggers_error *error)
{
	t->event = text;
	return *text ? 0 : fail(error, "expected an event of -e");
}

static int parse_offcpu(const char *text, struct triggers_trigger *t,
			struct triggers_error *error)
{
	if (!duration_parse(text, 0, &t->min) || !t->min)
		return fail(error, "the minimum time needs a unit (" DURATION_UNITS
			    "), such as 100us");
	return 0;
}

static const struct {
	const char *name;
	uint32_t kind;
	int (*parse)(const char *text, struct triggers_trigger *trigger,
		     struct triggers_error *error);
} kinds[] = {
	{ "watch", LBRSCOPE_TRIGGER_WATCHPOINT, parse_watch },
	{ "uprobe", LBRSCOPE_TRIGGER_UPROBE, parse_uprobe },
	{ "kprobe", LBRSCOPE_TRIGGER_KPROBE, parse_kprobe },
	{ "kretprobe", LBRSCOPE_TRIGGER_KRETPROBE, parse_kprobe },
	{ "exec", LBRSCOPE_TRIGGER_EXEC, parse_nothing },
	{ "exit", LBRSCOPE_TRIGGER_EXIT, parse_nothing },
	{ "signal", LBRSCOPE_TRIGGER_SIGNAL, parse_signal },
	{ "event", LBRSCOPE_TRIGGER_EVENT, parse_event },
	{ "off-cpu", LBRSCOPE_TRIGGER_OFFCPU, parse_offcpu },
};

int triggers_add(struct triggers *triggers, const char *text, char *why,
		 size_t size)
{
	struct triggers_error error = { why, size };
	size_t len = strcspn(text, ":");
	struct triggers_trigger t = { .text = text, .file = -1 };

	if (triggers->nr == LBRSCOPE_TRIGGERS_MAX)
		return fail(&error, "more than %d triggers",
			    LBRSCOPE_TRIGGERS_MAX);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strlen(kinds[i].name) != len ||
		    strncmp(kinds[i].name, text, len))
			continue;
		t.kind = kinds[i].kind;
		text += len + (text[len] == ':');
		if (kinds[i].parse(text, &t, &error))
			return -1;
		triggers->list[triggers->nr++] = t;
		return 0;
	}
	return fail(&error, "the kinds are watch, uprobe, kprobe, kretprobe, exec, exit, "
		    "signal, event and off-cpu");
}

void triggers_close(struct triggers *triggers)
{
	for (size_t i = 0; i < triggers->nr; i++)
		if (triggers->list[i].file >= 0)
			close(triggers->list[i].file);
	triggers->nr = 0;
}
