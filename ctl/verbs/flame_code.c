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

static void forget(struct flame_code *code)
{
	free((char *)code->name);
	free((char *)code->object);
	free(code->text);
}

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

static int add(struct flame_codes *codes, const struct annotate *a, const struct annotate_list *list)
{
	size_t bytes = 0;

	codes->list = calloc(list->nr + 1, sizeof(*codes->list));
	if (!codes->list)
		return err_errno("disassembling");
	for (size_t i = 0; i < list->nr; i++) {
		struct flame_code *code = &codes->list[codes->nr];

		if (share_of(list->functions[i].hits->sum, a->hits.all) < LEAST)
			break;
		codes->nr++;	/* what it has is freed with the list from here on */
		code->name = strdup(list->functions[i].function->name);
		code->object = strdup(list->functions[i].function->object);
		code->text = text_of(a, &list->functions[i]);
		if (!code->name || !code->object || !code->text)
			return err_fail("not enough memory for the code of %s", list->functions[i].function->name);
		if (strlen(code->text) > BYTES - bytes)
			forget(&codes->list[--codes->nr]);
		else
			bytes += strlen(code->text);
	}
	return 0;
}

static bool can_be_read_again(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

int flame_code_read(struct flame_codes *codes, const struct options_reading *reading, const char *event)
{
	struct filter filter = reading->filter;
	struct annotate a = { .event = NULL };
	struct annotate_list list = { .nr = 0 };
	int err;

	if (!can_be_read_again(reading->input))
		return 0;
	err_silence_warnings(true);
	err = annotate_read(&a, &(struct annotate_query){ reading->input, event, &filter, &reading->names, INSN_ATT }) ||
	      annotate_heaviest(&a, FUNCTIONS, &list) || add(codes, &a, &list) ? -1 : 0;
	annotate_list_free(&list);
	annotate_free(&a);
	err_silence_warnings(false);
	return err;
}

void flame_code_free(struct flame_codes *codes)
{
	for (size_t i = 0; i < codes->nr; i++)
		forget(&codes->list[i]);
	free(codes->list);
}
