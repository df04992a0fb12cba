// SPDX-License-Identifier: GPL-2.0
/* Parses the lines of `perf script`: tools/perf/builtin-script.c, process_event(). */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/text.h"

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* Takes a decimal number; *at points behind it. */
static bool take_number(const char **at, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*number = strtoull(*at, &end, 10);
	*at = end;
	return !errno;
}

static bool take_id(const char **at, int32_t *id)
{
	const bool negative = **at == '-';
	uint64_t number;

	*at += negative;
	if (!take_number(at, &number) || number > INT32_MAX)
		return false;
	*id = negative ? -(int32_t)number : (int32_t)number;
	return true;
}

/* "PID/TID " or "TID ". */
static bool take_ids(const char **at, struct text_head *head)
{
	if (!take_id(at, &head->pid))
		return false;
	head->has_pid = **at == '/';
	head->tid = head->pid;
	if (head->has_pid && (++*at, !take_id(at, &head->tid)))
		return false;
	return **at == ' ' || **at == '\t';
}

/* "[CPU] ". */
static void take_cpu(const char **at, struct text_head *head)
{
	const char *in = *at + 1;
	uint64_t cpu;

	if (**at != '[' || !take_number(&in, &cpu) || *in != ']' || cpu > INT32_MAX)
		return;
	head->cpu = cpu;
	head->has_cpu = true;
	*at = skip_blanks(in + 1);
}

/* "SECONDS.FRACTION: ", of up to 9 digits. */
static void take_time(const char **at, struct text_head *head)
{
	const char *in = *at;
	uint64_t seconds, scale = 1000000000, fraction = 0;

	if (!take_number(&in, &seconds) || *in != '.' || seconds > UINT32_MAX)
		return;
	for (in++; isdigit((unsigned char)*in) && scale > 1; in++) {
		scale /= 10;
		fraction += scale * (*in - '0');
	}
	if (*in != ':')
		return;
	head->time = seconds * 1000000000 + fraction;
	head->has_time = true;
	*at = skip_blanks(in + 1);
}

/* "EVENT:", without blanks, which a modifier or a PMU may make "cycles:u:" and "cpu/cycles/:"; or a record's name. */
static size_t event_length(const char *at)
{
	const size_t length = strcspn(at, " \t");

	if (!strncmp(at, "PERF_RECORD_", 12))
		return length;
	return length > 1 && at[length - 1] == ':' && !isdigit((unsigned char)*at) && *at != '[' ? length - 1 : 0;
}

/* "KUE ", of -F misc. */
static void take_misc(const char **at)
{
	const size_t length = strspn(*at, "KUHGgMESC");

	if (length && ((*at)[length] == ' ' || (*at)[length] == '\t'))
		*at = skip_blanks(*at + length);
}

/* All behind the name of the thread. Fills the head's numbers. Returns the position of the event, or NULL. */
static const char *take_numbers(const char *at, struct text_head *head)
{
	*head = (struct text_head){ .period = 1 };
	if (!take_ids(&at, head))
		return NULL;
	at = skip_blanks(at);
	take_misc(&at);
	take_cpu(&at, head);
	take_misc(&at);
	take_time(&at, head);
	if (take_number(&at, &head->period))
		at = skip_blanks(at);
	else
		head->period = 1;
	return event_length(at) ? at : NULL;
}

/* Whether this cannot be a thread's name: it has a CPU or a time, of a line with fields that are not known. */
static bool has_fields(const char *comm, const char *end)
{
	for (const char *at = comm; at < end; at++) {
		const size_t digits = strspn(at + 1, "0123456789");

		if ((*at == '[' && digits && at[1 + digits] == ']') || (*at == '.' && digits >= 6 && at[1 + digits] == ':'))
			return true;
	}
	return false;
}

/* Finds the event, and the end of the thread's name, which may have blanks and digits: the first place from which the rest
 * can be parsed, if possible with a CPU or a time. */
static char *find_event(char *comm, struct text_head *head, char **end)
{
	char *event = NULL;

	for (char *at = comm; *at; at++) {
		struct text_head one;
		const char *found;

		if ((at > comm && at[-1] != ' ' && at[-1] != '\t') || !(isdigit((unsigned char)*at) || *at == '-'))
			continue;
		found = take_numbers(at, &one);
		/* A name without letters is only believed with the fields that follow. */
		if (!found || ((event || at == comm) && !one.has_time && !one.has_cpu))
			continue;
		event = (char *)found;
		*end = at;
		*head = one;
		if (one.has_time || one.has_cpu)
			break;
	}
	return event && !has_fields(comm, *end) ? event : NULL;
}

bool text_head(char *line, struct text_head *head)
{
	static char nameless[] = "";
	char *comm = (char *)skip_blanks(line), *end, *event = find_event(comm, head, &end);
	size_t length;

	if (!event)
		return false;
	if (end == comm)
		comm = nameless;
	else
		while (--end > comm && (*end == ' ' || *end == '\t'))
			*end = '\0';
	length = event_length(event);
	head->comm = comm;
	head->event = event;
	head->rest = event + length + (event[length] != '\0');
	event[length] = '\0';
	return true;
}

/* Cuts "NAME+0xOFFSET" in two. */
static void cut_offset(struct text_frame *frame)
{
	char *plus = strrchr(frame->name, '+'), *end;
	uint64_t offset;

	if (!plus || plus == frame->name || strncmp(plus, "+0x", 3))
		return;
	offset = strtoull(plus + 1, &end, 16);
	if (*end)
		return;
	*plus = '\0';
	frame->offset = offset;
}

/* Cuts "(FILE)" off the end of the name. A file's name may end with " (deleted)". */
static void cut_file(struct text_frame *frame)
{
	static const char deleted[] = " (deleted))", inlined[] = "(inlined)";
	const size_t length = strlen(frame->name);
	char *end = frame->name + length, *open = NULL;

	if (length < 3 || end[-1] != ')')
		return;
	if (length > sizeof(deleted) && !strcmp(end - sizeof(deleted) + 1, deleted))
		end -= sizeof(deleted) - 1;
	/* Behind an offset it begins for certain; names of functions and files have brackets, too. */
	for (char *at = strstr(frame->name, "+0x"); at && !open; at = strstr(at + 1, "+0x"))
		if (!strncmp(at + 3 + strspn(at + 3, "0123456789abcdef"), " (", 2))
			open = at + 3 + strspn(at + 3, "0123456789abcdef") + 1;
	for (char *at = end - 1; at > frame->name && !open; at--)
		if (*at == '(' && at[-1] == ' ')
			open = at;
	/* Without a file, this is the end of a function's name. */
	if (!open)
		return;
	frame->inlined = !strcmp(open, inlined);
	frame->name[length - 1] = '\0';
	open[-1] = '\0';
	if (!frame->inlined && strcmp(open + 1, "[unknown]"))
		frame->file = open + 1;
}

bool text_frame(char *line, struct text_frame *frame)
{
	static const char pointed[] = " [by frame pointer]";	/* lbrctl script's */
	char *at = (char *)skip_blanks(line), *end;
	size_t length;

	if (!isxdigit((unsigned char)*at) || at[1] == 'x')
		return false;
	*frame = (struct text_frame){ .address = strtoull(at, &end, 16) };
	if (*end != ' ' && *end)
		return false;
	frame->name = (char *)skip_blanks(end);
	length = strlen(frame->name);
	if (length >= sizeof(pointed) && !strcmp(frame->name + length - sizeof(pointed) + 1, pointed))
		frame->name[length - sizeof(pointed) + 1] = '\0';
	cut_file(frame);
	cut_offset(frame);
	if (!*frame->name || !strcmp(frame->name, "[unknown]"))
		frame->name = NULL;
	return true;
}

/* "0xADDRESS", and with -F dso " (FILE)" or "(FILE)". */
static bool take_address(const char **at, uint64_t *address)
{
	const char *file;
	char *end;

	if (strncmp(*at, "0x", 2))
		return false;
	*address = strtoull(*at, &end, 16);
	file = skip_blanks(end);
	if (*file == '(' && memchr(file, ')', strnlen(file, PATH_MAX)))
		end = strchr(file, ')') + 1;
	*at = end;
	return true;
}

static bool take_slash(const char **at)
{
	if (**at != '/')
		return false;
	++*at;
	return true;
}

bool text_branch(const char **line, struct perf_branch_entry *branch)
{
	const char *at = skip_blanks(*line);
	uint64_t from, to, cycles = 0;
	char marks[3];

	if (!take_address(&at, &from) || !take_slash(&at) || !take_address(&at, &to))
		return false;
	for (int i = 0; i < 3; i++) {
		if (!take_slash(&at) || !*at || *at == ' ')
			return false;
		marks[i] = *at++;
		/* Linux 6.16: "PN", predicted and not taken. */
		while (isupper((unsigned char)*at))
			at++;
	}
	if (!take_slash(&at) || !take_number(&at, &cycles))
		return false;
	*branch = (struct perf_branch_entry){
		.from = from, .to = to, .mispred = marks[0] == 'M', .predicted = marks[0] == 'P',
		.in_tx = marks[1] == 'X', .abort = marks[2] == 'A', .cycles = cycles,
	};
	*line = at + strcspn(at, " \t");
	return true;
}

bool text_mapping(char *rest, struct text_mapping *m)
{
	char access[8];
	const char *name;
	int end = 0;

	if (sscanf(rest, " %" SCNd32 "/%*d: [0x%" SCNx64 "(0x%" SCNx64 ") @ %" SCNi64, &m->pid, &m->start, &m->size,
		   (int64_t *)&m->offset) != 4)
		return false;
	name = strstr(rest, "]: ");
	/* "r-xp", and of records without it "x" or "r". */
	if (!name || sscanf(name, "]: %7s %n", access, &end) != 1 || !end)
		return false;
	m->has_code = strchr(access, 'x');
	m->path = rest + (name - rest) + end;
	return true;
}
