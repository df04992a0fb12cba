// SPDX-License-Identifier: GPL-2.0
/* The list of findings. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doctor/checks.h"

struct checks_finding *checks_add(struct checks *checks, const char *name,
				  enum checks_state state, const char *fmt, ...)
{
	static struct checks_finding nowhere;
	struct checks_finding *f = &nowhere;
	va_list ap;

	if (checks->nr < CHECKS_MAX)
		f = &checks->list[checks->nr++];
	f->name = name;
	f->state = state;
	f->mend[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return f;
}

void checks_mend(struct checks_finding *finding, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(finding->mend, sizeof(finding->mend), fmt, ap);
	va_end(ap);
}
