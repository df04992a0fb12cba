// SPDX-License-Identifier: GPL-2.0
/* The services of a capture. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "export/store.h"
#include "export/strings.h"

/* A process that the capture does not name has a number that is no name for a service. */
#define STORE_UNNAMED	"unknown"

static const char *store_process(const struct analysis *a, const struct trace *t)
{
	const char *name = maps_comm(samples_maps(a->samples), t->who->pid, t->who->pid);

	return *name && *name != ':' ? name : STORE_UNNAMED;
}

static int store_find(struct store *s, struct strings *names, const struct analysis *first,
		      const char *only)
{
	size_t n = 0;

	for (const struct analysis *a = first; a; a = a->next)
		for (size_t i = 0; i < a->traces.nr; i++, n++) {
			const struct trace *t = &a->traces.list[i];
			size_t service = strings_number(names, only ? only : store_process(a, t));

			if (names->failed ||
			    room_for(&s->services, service + 1, &s->max, sizeof(*s->services)))
				return err_fail("out of memory");
			if (service == STORE_SERVICES_MAX)
				return err_fail("the capture has processes of more than %d names, each a service; name one service for all with --label service_name=NAME",
						STORE_SERVICES_MAX);
			s->services[service].samples += t->samples;
			s->of[n] = service;
		}
	return 0;
}

int store_init(struct store *s, const struct analysis *first, const char *only)
{
	struct strings names = { 0 };
	size_t nr = 0;
	int ret;

	*s = (struct store){ 0 };
	for (const struct analysis *a = first; a; a = a->next)
		nr += a->traces.nr;
	s->of = calloc(nr + 1, sizeof(*s->of));
	ret = s->of ? store_find(s, &names, first, only) : err_fail("out of memory");
	for (; !ret && s->nr < names.index.used; s->nr++) {
		s->services[s->nr].name = strdup(names.list[s->nr]);
		if (!s->services[s->nr].name)
			ret = err_fail("out of memory");
	}
	strings_free(&names);
	return ret;
}

void store_free(struct store *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->services[i].name);
	free(s->services);
	free(s->of);
}

void store_type(const struct analysis *a, char *name, size_t size)
{
	snprintf(name, size, "%s", a->offcpu ? "off_cpu" : a->event);
	for (; *name; name++)
		if (!isalnum((unsigned char)*name))
			*name = '_';
}
