/* SPDX-License-Identifier: GPL-2.0 */
/* The events, threads or verdicts of a picture to choose from, with their samples. */
#ifndef LBRCTL_BROWSE_MENU_H
#define LBRCTL_BROWSE_MENU_H

#include "browse/picture.h"

enum menu_kind { MENU_EVENTS, MENU_THREADS, MENU_VERDICTS };

struct menu {
	enum menu_kind kind;
	const struct picture *picture;
	struct menu_item {
		uint32_t value;		/* number of the event, thread or verdict; PICTURE_ALL */
		uint64_t samples;
	} *items;
	size_t nr;
};

/* Lists the threads or verdicts of an event, the most frequent first, after an item for all; or the
 * events. The picture must outlive the menu. Returns 0, or -1 when memory is short. */
int menu_make(struct menu *menu, enum menu_kind kind, const struct picture *picture,
	      size_t event);
void menu_free(struct menu *menu);

const char *menu_title(const struct menu *menu);
void menu_line(const struct menu *menu, size_t i, FILE *out);

#endif
