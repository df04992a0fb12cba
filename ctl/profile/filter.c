// SPDX-License-Identifier: GPL-2.0
/* Selects samples by time, task, CPU and function. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/shortname.h"
#include "profile/filter.h"

#define FILTER_SECOND	1000000000ULL

static int filter_words(const char *verb, const char *option, const char *argument,
			struct filter_words *words)
{
	size_t nr = 1;

	for (const char *c = argument; *c; c++)
		nr += *c == ',';
	free(words->text);
	free(words->list);
	words->nr = 0;
	words->text = strdup(argument);
	words->list = calloc(nr, sizeof(*words->list));
	if (!words->text || !words->list) {
		err_errno("reading %s", option);
		return ERR_EXIT_FAILED;
	}
	for (char *word = words->text; word;) {
		words->list[words->nr++] = strsep(&word, ",");
		if (!*words->list[words->nr - 1])
			return err_usage(verb, "%s %s: the list has an empty entry",
					 option, argument);
	}
	return 0;
}

/* Parses words that are numbers. */
static int filter_ids(const char *verb, const char *option, const char *argument,
		      struct filter_words *words)
{
	int err = filter_words(verb, option, argument, words);

	for (size_t i = 0; !err && i < words->nr; i++)
		if (strlen(words->list[i]) > 9 ||
		    words->list[i][strspn(words->list[i], "0123456789")])
			err = err_usage(verb, "%s %s: expected a list of ids, such as 12,345",
					option, argument);
	return err;
}

static bool filter_digits(const char **at, uint64_t *value)
{
	const char *begin = *at;

	*value = 0;
	for (; isdigit((unsigned char)**at); (*at)++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, **at - '0', value))
			return false;
	return *at > begin;
}

/* Parses "12.345", with a sign if it is relative, up to a comma or the end. */
static bool filter_moment(const char **at, struct filter_time *time)
{
	uint64_t unit = FILTER_SECOND;

	if (!**at || **at == ',')
		return true;
	time->given = true;
	time->relative = **at == '+';
	*at += time->relative;
	if (!filter_digits(at, &time->ns) ||
	    __builtin_mul_overflow(time->ns, FILTER_SECOND, &time->ns))
		return false;
	if (**at == '.')
		for ((*at)++; isdigit((unsigned char)**at); (*at)++) {
			unit /= 10;
			if (__builtin_add_overflow(time->ns, unit * (**at - '0'),
						   &time->ns))
				return false;
		}
	return !**at || **at == ',';
}

int filter_times(const char *verb, const char *argument, void *part)
{
	struct filter *f = part;
	const char *at = argument;
	bool good;

	f->from = f->to = (struct filter_time){ 0 };
	good = filter_moment(&at, &f->from) && *at == ',';
	at += good;
	if (good && filter_moment(&at, &f->to) && !*at &&
	    (f->from.given || f->to.given))
		return 0;
	return err_usage(verb, "--time %s: expected FROM,TO in seconds, one of which may be "
			 "missing: 12.5,13 or +1,",
			 argument);
}

int filter_pids(const char *verb, const char *text, void *part)
{
	return filter_ids(verb, "--pid", text, &((struct filter *)part)->pids);
}

int filter_tids(const char *verb, const char *text, void *part)
{
	return filter_ids(verb, "--tid", text, &((struct filter *)part)->tids);
}

int filter_comms(const char *verb, const char *text, void *part)
{
	return filter_words(verb, "--comms", text, &((struct filter *)part)->comms);
}

int filter_objects(const char *verb, const char *text, void *part)
{
	return filter_words(verb, "--dsos", text, &((struct filter *)part)->objects);
}

int filter_symbols(const char *verb, const char *text, void *part)
{
	return filter_words(verb, "--symbols", text, &((struct filter *)part)->symbols);
}

/* Returns the bit of a verdict; 0: none has this name. */
static uint32_t verdict_bit(const char *name, size_t len)
{
	for (int v = 0; v < STACKS_NR_VERDICTS; v++)
		if (strlen(stacks_verdict_name(v)) == len && !strncmp(stacks_verdict_name(v), name, len))
			return 1U << v;
	return 0;
}

int filter_verdicts(const char *verb, const char *text, void *part)
{
	struct filter *f = part;
	size_t len;

	f->verdicts = 0;
	for (const char *at = text;; at += len + 1) {
		uint32_t bit;

		len = strcspn(at, ",");
		bit = verdict_bit(at, len);
		if (!bit)
			return err_usage(verb, "--verdict %s: no verdict '%.*s'; there are complete, truncated, partial, broken, disputed, unproved and 'kernel only'",
					 text, (int)len, at);
		f->verdicts |= bit;
		if (!at[len])
			return 0;
	}
}

int filter_cpus(const char *verb, const char *text, void *part)
{
	return cpulist_option(verb, &((struct filter *)part)->cpus, text);
}

void filter_free(struct filter *f)
{
	struct filter_words *const words[] = {
		&f->comms, &f->pids, &f->tids, &f->symbols, &f->objects
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		free(words[i]->text);
		free(words[i]->list);
	}
	cpulist_free(&f->cpus);
}

static bool filter_word(const struct filter_words *words, const char *word)
{
	for (size_t i = 0; i < words->nr; i++)
		if (!strcmp(words->list[i], word))
			return true;
	return !words->nr;
}

static bool filter_symbol(const struct filter_words *words, const char *name)
{
	for (size_t i = 0; i < words->nr; i++)
		if (shortname_is(name, words->list[i]))
			return true;
	return !words->nr;
}

static bool filter_id(const struct filter_words *words, uint32_t id)
{
	for (size_t i = 0; i < words->nr; i++)
		if (strtoul(words->list[i], NULL, 10) == id)
			return true;
	return !words->nr;
}

static bool filter_cpu(const struct cpulist *cpus, const struct perfdata_sample *raw)
{
	for (unsigned int i = 0; i < cpus->nr; i++)
		if (raw->has_cpu && cpus->cpus[i] == raw->cpu)
			return true;
	return !cpus->nr;
}

static uint64_t filter_absolute(const struct filter *f, const struct filter_time *time)
{
	uint64_t sum;

	if (!time->relative)
		return time->ns;
	return __builtin_add_overflow(time->ns, f->begin, &sum) ? UINT64_MAX : sum;
}

bool filter_sample(struct filter *f, struct maps *maps,
		   const struct perfdata_sample *raw)
{
	if (!f->begun) {
		f->begin = raw->time;
		f->begun = true;
	}
	return (!f->from.given || raw->time >= filter_absolute(f, &f->from)) &&
	       (!f->to.given || raw->time <= filter_absolute(f, &f->to)) &&
	       filter_id(&f->pids, raw->pid) && filter_id(&f->tids, raw->tid) &&
	       filter_cpu(&f->cpus, raw) && (!f->comms.nr ||
			filter_word(&f->comms, maps_comm(maps, raw->pid, raw->tid)));
}

bool filter_has_frames(const struct filter *f)
{
	return f->symbols.nr || f->objects.nr;
}

bool filter_frame(const struct filter *f, const char *symbol, const char *object)
{
	const char *base = strrchr(object, '/');

	return filter_symbol(&f->symbols, symbol) &&
	       (filter_word(&f->objects, object) ||
		(base && filter_word(&f->objects, base + 1)));
}

bool filter_active(const struct filter *f)
{
	return filter_has_frames(f) || f->verdicts || f->comms.nr || f->pids.nr || f->tids.nr ||
	       f->cpus.nr || f->from.given || f->to.given;
}
