// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "err.h"
#include "events_each.h"
#include "options.h"

static const char help[] =
	"Usage: lbrctl list [WORD]...\n"
	"\n"
	"Lists the events of this CPU by libpfm4's names, with what they count: those\n"
	"that have every WORD in their name or description.\n";

struct list {
	char **words;		/* NULL ends */
	const pfm_event_info_t *event;
	bool umasks;		/* the event has some */
	unsigned int nr;	/* printed */
};

/* The words of a description, one blank apart: there are tabs and line ends in some. */
static void list_print(const char *name, const char *umask, const char *desc)
{
	int width = printf("%s%s%s", name, umask ? ":" : "", umask ? umask : "");
	bool blank = false;

	printf("%*s", width < 47 ? 48 - width : 2, "");
	for (; desc && *desc; desc++) {
		if (isspace((unsigned char)*desc)) {
			blank = true;
			continue;
		}
		if (blank)
			putchar(' ');
		blank = false;
		putchar(iscntrl((unsigned char)*desc) ? '?' : *desc);
	}
	putchar('\n');
}

static bool list_has(const char *text, const char *word)
{
	return text && strcasestr(text, word);
}

static void list_consider(struct list *l, const pfm_event_attr_info_t *umask)
{
	const pfm_event_info_t *e = l->event;
	char **word;

	for (word = l->words; *word; word++)
		if (!list_has(e->name, *word) && !list_has(e->desc, *word) &&
		    !(umask && (list_has(umask->name, *word) ||
				list_has(umask->desc, *word))))
			return;
	if (umask)
		list_print(e->name, umask->name, umask->desc);
	else
		list_print(e->name, NULL, e->desc);
	l->nr++;
}

static bool list_umask(void *ctx, const pfm_event_attr_info_t *umask)
{
	struct list *l = ctx;

	l->umasks = true;
	list_consider(l, umask);
	return false;
}

struct earlier {
	const pfm_event_info_t *event;
	bool named;
};

/* Whether an event in front of this one has its name. */
static bool list_earlier(void *ctx, const pfm_pmu_info_t *pmu,
			 const pfm_event_info_t *event)
{
	struct earlier *e = ctx;

	(void)pmu;
	if (event->idx == e->event->idx)
		return true;
	e->named = !strcmp(event->name, e->event->name);
	return e->named;
}

static bool list_event(void *ctx, const pfm_pmu_info_t *pmu,
		       const pfm_event_info_t *event)
{
	struct list *l = ctx;

	struct earlier earlier = { event, false };

	(void)pmu;
	/* The architecture's events have their names on CPUs that list them, too. */
	events_each(list_earlier, &earlier);
	if (earlier.named)
		return false;
	l->event = event;
	l->umasks = false;
	events_each_umask(event, list_umask, l);
	if (!l->umasks)
		list_consider(l, NULL);
	return false;
}

static bool list_known(void *ctx, const pfm_pmu_info_t *pmu,
		       const pfm_event_info_t *event)
{
	(void)ctx;
	(void)pmu;
	(void)event;
	return true;
}

int cmd_list(int argc, char **argv)
{
	struct list list = { .words = argv + 1 };

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return options_help(help);
	if (argc > 1 && argv[1][0] == '-')
		return err_usage("list", "unknown option '%s'", argv[1]);
	if (!events_each(list_known, NULL)) {
		err_fail("libpfm4 does not know this CPU: use the names that "
			 "'lbrctl record --help' has, or raw codes");
		return ERR_EXIT_FAILED;
	}
	events_each(list_event, &list);
	if (!list.nr) {
		err_fail("no event of this CPU has %s in its name or description",
			 argc > 2 ? "all of these words" : argv[1]);
		return ERR_EXIT_FAILED;
	}
	return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}
