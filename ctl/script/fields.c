// SPDX-License-Identifier: GPL-2.0
/* Parses the list of fields that script prints. */
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "script/fields.h"

static const struct {
	const char *name;
	enum script_field field;
} names[] = {
	{ "comm", SCRIPT_COMM }, { "pid", SCRIPT_PID }, { "tid", SCRIPT_TID },
	{ "cpu", SCRIPT_CPU }, { "time", SCRIPT_TIME }, { "period", SCRIPT_PERIOD },
	{ "event", SCRIPT_EVENT }, { "ip", SCRIPT_IP }, { "sym", SCRIPT_SYM },
	{ "symoff", SCRIPT_SYMOFF }, { "dso", SCRIPT_DSO }, { "brstack", SCRIPT_BRSTACK },
};

/* Returns the field of a name, or 0. */
static unsigned int field_named(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == len && !memcmp(names[i].name, name, len))
			return names[i].field;
	return 0;
}

/* A symbol and a file are those of an address, an offset that in a symbol. */
static int check(const char *list, unsigned int fields)
{
	if (fields & (SCRIPT_SYM | SCRIPT_DSO) && !(fields & SCRIPT_IP))
		return err_fail("-F %s: sym and dso need ip", list);
	if (fields & SCRIPT_SYMOFF && !(fields & SCRIPT_SYM))
		return err_fail("-F %s: symoff needs sym", list);
	return 0;
}

/* What is left out takes along what belongs to it. */
static unsigned int without_orphans(unsigned int fields)
{
	if (!(fields & SCRIPT_IP))
		fields &= ~(SCRIPT_SYM | SCRIPT_DSO);
	return fields & SCRIPT_SYM ? fields : fields & ~SCRIPT_SYMOFF;
}

int script_fields_parse(const char *list, unsigned int *fields)
{
	bool change = *list == '+' || *list == '-';
	unsigned int result = change ? *fields : 0, field;
	const char *at = list;
	size_t len;
	char sign;

	for (;; at++) {
		sign = *at == '+' || *at == '-' ? *at++ : 0;
		len = strcspn(at, ",");
		field = field_named(at, len);
		if (!field)
			return err_fail("-F %s: no field '%.*s': expected comm, pid, tid, cpu, time, period, event, ip, sym, symoff, dso or brstack",
					list, (int)len, at);
		if (!sign != !change)
			return err_fail("-F %s: either all fields have a sign, or none", list);
		result = sign == '-' ? result & ~field : result | field;
		at += len;
		if (!*at)
			break;
	}
	*fields = change ? without_orphans(result) : result;
	return check(list, *fields);
}
