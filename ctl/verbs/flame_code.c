// SPDX-License-Identifier: GPL-2.0
/* Disassembles the functions with most samples for a flame graph page. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "annotate/annotate.h"
#include "base/err.h"
#include "verbs/flame_code.h"

#define FUNCTIONS	20
#define LEAST		.005	/* of the samples */
#define COLUMNS		160
#define BYTES		(2UL << 20)	/* of a page's code; functions that would exceed it are left out */

/* Returns the function as lbrctl annotate prints it, or NULL. */
static char *text_of(const struct annotate *a, struct annotate_function *function)
{
	const struct annotate_list one = { .functions = function, .nr = 1 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int err = out ? annotate_print(a, &one, COLUMNS, out) : -1;

	if (out && fclose(out))
		err = -1;
	if (!err)
		return text;
	free(text);
	return NULL;
}

static void add(struct flame_codes *codes, const struct annotate *a, const struct annotate_list *list)
{
	size_t bytes = 0;

	codes->list = calloc(list->nr + 1, sizeof(*codes->list));
	for (size_t i = 0; codes->list && i < list->nr; i++) {
		struct flame_code *code = &codes->list[codes->nr];

		if (share_of(list->functions[i].hits->sum, a->hits.all) < LEAST)
			break;
		code->text = text_of(a, &list->functions[i]);
		if (!code->text || strlen(code->text) > BYTES - bytes) {
			free(code->text);
			continue;
		}
		bytes += strlen(code->text);
		code->name = strdup(list->functions[i].function->name);
		code->object = strdup(list->functions[i].function->object);
		codes->nr++;
	}
}

static bool can_be_read_again(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

void flame_code_read(struct flame_codes *codes, const struct options_reading *reading, const char *event)
{
	struct filter filter = reading->filter;
	struct annotate a = { .event = NULL };
	struct annotate_list list = { .nr = 0 };

	if (!can_be_read_again(reading->input))
		return;
	err_silence(true);
	if (!annotate_read(&a, &(struct annotate_query){ reading->input, event, &filter, &reading->names, INSN_ATT }) &&
	    !annotate_heaviest(&a, FUNCTIONS, &list))
		add(codes, &a, &list);
	annotate_list_free(&list);
	annotate_free(&a);
	err_silence(false);
}

void flame_code_free(struct flame_codes *codes)
{
	for (size_t i = 0; i < codes->nr; i++) {
		free((char *)codes->list[i].name);
		free((char *)codes->list[i].object);
		free(codes->list[i].text);
	}
	free(codes->list);
}
