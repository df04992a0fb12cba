// SPDX-License-Identifier: GPL-2.0
/* Encodes events by name, by libpfm4, or as raw code. */
#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/event.h"
#include "pmu/generic.h"
#include "pmu/libpfm.h"
#include "pmu/software.h"
#include "pmu/suggest.h"

#define EVENTS_SELECT_EVENT	(EVENTS_SELECT_CODE | EVENTS_SELECT_EDGE | \
				 EVENTS_SELECT_ANY | EVENTS_SELECT_INV | \
				 EVENTS_SELECT_CMASK)
#define EVENTS_SELECT_MODES	(EVENTS_SELECT_USR | EVENTS_SELECT_OS)
/* PC, INT, EN: they belong to the counter, not to the event. */
#define EVENTS_SELECT_CONTROL	(1ULL << 19 | 1ULL << 20 | 1ULL << 22)

/* Removes a final ":u", ":k", ":uk" from name and returns its mode bits; both modes if there is
 * none, as in perf. */
static uint64_t events_modes(char *name)
{
	char *colon = strrchr(name, ':');
	uint64_t modes = 0;
	const char *c;

	if (!colon || !colon[1])
		return EVENTS_SELECT_MODES;
	for (c = colon + 1; *c; c++) {
		if (*c == 'u')
			modes |= EVENTS_SELECT_USR;
		else if (*c == 'k')
			modes |= EVENTS_SELECT_OS;
		else
			return EVENTS_SELECT_MODES;
	}
	*colon = '\0';
	return modes;
}

/* Whether the last modifier is one of perf's for precise addresses: ":p", ":upp", ":P". No
 * unit mask has such a name. */
static bool events_precise(const char *name)
{
	const char *colon = strrchr(name, ':');

	return colon && !colon[1 + strspn(colon + 1, "ukpP")] &&
	       strpbrk(colon + 1, "pP");
}

static void events_raw(uint64_t code, uint64_t modes,
		       struct events_event *event)
{
	event->select = code | modes;
	event->perf_type = PERF_TYPE_RAW;
	event->perf_config = code;
}

static int events_parse_raw(const char *hex, uint64_t modes,
			    struct events_event *event, char *why, size_t size)
{
	uint64_t known = EVENTS_SELECT_EVENT, code;
	char *end;

	if (generic_amd())
		known |= EVENTS_SELECT_HIGH;
	errno = 0;
	code = strtoull(hex, &end, 16);
	if (errno || *end || code & ~known) {
		snprintf(why, size, "bits %#llx of r%s are not part of an event:"
			 " event 0-7, umask 8-15, edge 18, any 21, inv 23, cmask 24-31,"
			 " and AMD's 32-35; for user or kernel mode add :u or :k",
			 (unsigned long long)(code & ~known), hex);
		return -1;
	}
	events_raw(code, modes, event);
	return 0;
}

/* Whether this is rXXXX, as opposed to an event whose name begins with r. */
static bool events_is_raw(const char *name)
{
	return name[0] == 'r' && name[1] &&
	       !name[1 + strspn(name + 1, "0123456789abcdefABCDEF")];
}

static int events_pfm_refused(const char *name, int err, char *why, size_t size)
{
	char near[160];

	if (events_of_perf(name)) {
		snprintf(why, size, "%s", events_of_perf(name));
	} else if (err == PFM_ERR_NOTFOUND) {
		events_near(name, near, sizeof(near));
		snprintf(why, size, "no such event on this CPU%s%s",
			 near[0] ? "; similar names: " : "; 'lbrctl list' shows all events", near);
	} else if (err == PFM_ERR_UMASK) {
		snprintf(why, size, "the event needs one of its unit masks"
			 " (EVENT:UMASK), or a single one");
	} else {
		snprintf(why, size, "%s", pfm_strerror(err));
	}
	return -1;
}

/* Whether the event is one of the core's own counters, not of the uncore. */
static bool events_pfm_core(int idx)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

	return pfm_get_event_info(idx, PFM_OS_NONE, &event) == PFM_SUCCESS &&
	       pfm_get_pmu_info(event.pmu, &pmu) == PFM_SUCCESS &&
	       pmu.type == PFM_PMU_TYPE_CORE;
}

static int events_parse_pfm(const char *name, uint64_t modes,
			    struct events_event *event, char *why, size_t size)
{
	pfm_pmu_encode_arg_t arg = { .size = sizeof(arg) };
	uint64_t code;
	int err;

	err = events_begin();
	if (err == PFM_SUCCESS)
		err = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3,
						PFM_OS_NONE, &arg);
	if (err != PFM_SUCCESS)
		return events_pfm_refused(name, err, why, size);
	code = arg.codes[0];
	event->has_extra = arg.count > 1;
	event->extra = event->has_extra ? arg.codes[1] : 0;
	free(arg.codes);

	/* libpfm4 uses event select 0 for an event of a fixed counter; two of these have codes
	 * that the module knows too. */
	if (!events_pfm_core(arg.idx) ||
	    (!(code & 0xff) && (code & EVENTS_SELECT_CODE) != 0x0300 &&
	     (code & EVENTS_SELECT_CODE) != 0x0400) ||
	    code & ~(EVENTS_SELECT_EVENT | EVENTS_SELECT_MODES |
		     EVENTS_SELECT_CONTROL)) {
		snprintf(why, size, "it is not an event of the core's counters");
		return -1;
	}
	/* A :u or :k of libpfm4 before other modifiers also selects the mode. */
	if ((code & EVENTS_SELECT_MODES) != EVENTS_SELECT_MODES)
		modes &= code;
	if (!modes) {
		snprintf(why, size, "its modifiers exclude both user and kernel mode");
		return -1;
	}
	events_raw(code & EVENTS_SELECT_EVENT, modes, event);
	return 0;
}

/* Parses one of the words after '@'. */
static int events_place(const char *word, struct events_event *event)
{
	uint64_t number;
	char *end;

	if (!strcmp(word, "fixed")) {
		event->counters |= EVENTS_COUNTERS_FIXED;
		return 0;
	}
	if (!strcmp(word, "general")) {
		event->counters |= EVENTS_COUNTERS_GENERAL;
		return 0;
	}
	event->has_extra = !strncmp(word, "extra=", 6);
	if (event->has_extra)
		word += 6;
	errno = 0;
	number = strtoull(word, &end, event->has_extra ? 16 : 10);
	if (errno || *end || !isxdigit((unsigned char)*word))
		return -1;
	if (event->has_extra)
		event->extra = number;
	else if (number < 32)
		event->counters |= 1ULL << number;
	else
		return -1;
	return 0;
}

/* Removes the words after '@' from name and parses them. */
static int events_places(char *name, struct events_event *event, char *why,
			 size_t size)
{
	char *word = strchr(name, '@'), *next;

	if (!word)
		return 0;
	for (*word++ = '\0'; word; word = next) {
		next = strchr(word, '@');
		if (next)
			*next++ = '\0';
		if (!events_place(word, event))
			continue;
		snprintf(why, size, "@ is followed by fixed, general, the number of a general "
			 "counter, or extra= and a hexadecimal number");
		return -1;
	}
	return 0;
}

/* perf's clocks. Both count the time that the session's tasks run, or its CPUs. */
static bool events_parse_clock(const char *name, uint64_t modes, struct events_event *event)
{
	bool cpu = !strcmp(name, "cpu-clock");

	if (!cpu && strcmp(name, "task-clock"))
		return false;
	event->clock = true;
	event->select = modes;
	event->perf_type = PERF_TYPE_SOFTWARE;
	event->perf_config = cpu ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_TASK_CLOCK;
	return true;
}

/* What Linux counts. */
static bool events_parse_software(const char *name, uint64_t modes, struct events_event *event)
{
	event->software = software_find(name, &event->perf_config);
	if (!event->software)
		return false;
	event->select = modes;
	event->perf_type = PERF_TYPE_SOFTWARE;
	return true;
}

/* Parses one of perf's generic names. Returns 0, -1 with the reason, or 1 if the name is not
 * generic. */
static int events_parse_generic(const char *name, uint64_t modes, struct events_event *event,
				char *why, size_t size)
{
	struct generic generic;
	char bare[sizeof(event->name)];

	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(name, ":"), name);
	if (!generic_find(bare, &generic))
		return 1;
	if (strchr(name, ':')) {
		snprintf(why, size, "the modifiers are :u for user mode, :k for kernel mode, "
			 "and :uk");
		return -1;
	}
	if (!generic.code) {
		snprintf(why, size, "this CPU has no such event");
		return -1;
	}
	event->select = generic.code | modes;
	event->perf_type = generic.perf_type;
	event->perf_config = generic.perf_config;
	if (generic.extra && !event->has_extra) {
		event->has_extra = true;
		event->extra = generic.extra;
	}
	return 0;
}

int events_parse(const char *text, struct events_event *event, char *why,
		 size_t size)
{
	char name[sizeof(event->name)];
	uint64_t modes;
	int err;

	memset(event, 0, sizeof(*event));
	if (!*text || strlen(text) >= sizeof(event->name)) {
		snprintf(why, size, "an event's name has 1 to %zu characters",
			 sizeof(event->name) - 1);
		return -1;
	}
	strcpy(event->name, text);
	strcpy(name, text);
	if (events_places(name, event, why, size))
		return -1;
	if (events_precise(name)) {
		snprintf(why, size, "p asks for addresses without skid, which needs PEBS or "
			 "IBS; the module uses neither: omit p; addresses are then some "
			 "instructions late");
		return -1;
	}
	modes = events_modes(name);

	if (events_parse_clock(name, modes, event) || events_parse_software(name, modes, event)) {
		if (!event->counters && !event->has_extra)
			return 0;
		snprintf(why, size, "it is on no counter, and takes nothing after @");
		return -1;
	}
	err = events_parse_generic(name, modes, event, why, size);
	if (err <= 0)
		return err;
	if (events_is_raw(name))
		return events_parse_raw(name + 1, modes, event, why, size);
	return events_parse_pfm(name, modes, event, why, size);
}

void events_only_user(struct events_event *event)
{
	char name[sizeof(event->name)], *places, *modes;

	if ((event->select & EVENTS_SELECT_MODES) != EVENTS_SELECT_MODES)
		return;
	event->select &= ~EVENTS_SELECT_OS;
	strcpy(name, event->name);
	places = strchrnul(name, '@');
	modes = memrchr(name, ':', places - name);
	if (!modes || modes + 1 + strspn(modes + 1, "uk") != places)
		modes = places;
	snprintf(event->name, sizeof(event->name), "%.*s:u%s",
		 (int)(modes - name), name, places);
}
