/* SPDX-License-Identifier: GPL-2.0 */
/* What is on the screen. */
#ifndef LBRCTL_BROWSE_VIEW_H
#define LBRCTL_BROWSE_VIEW_H

#include "browse/calls.h"
#include "browse/listing.h"
#include "browse/menu.h"
#include "browse/picture.h"
#include "browse/table.h"

enum view_mode { VIEW_TABLE, VIEW_CALLS, VIEW_TEXT, VIEW_MENU, VIEW_HELP, VIEW_NR_MODES };

struct view {
	bool live;			/* pictures follow one another, and can be paused */
	bool paused, quit;
	struct picture *picture;	/* NULL: none */
	size_t event;			/* the event that is shown, */
	char *event_name;		/* its name if it was chosen; NULL: it was not */
	struct picture_choice choice;	/* and its samples */
	struct picture_thread thread;	/* chosen thread; its name is a copy */

	enum view_mode modes[VIEW_NR_MODES];	/* the one that is shown, and those it covers */
	size_t depth;			/* its index */
	size_t at[VIEW_NR_MODES];	/* the marked lines */
	size_t left[VIEW_NR_MODES];	/* cells that are left of the screen */

	struct table table;
	char search[64];		/* only functions with this in their name, */
	bool searching;
	char *object;			/* and of this object; NULL: of all */
	/* Functions by their names, which are copies, stay the same from picture to picture. Name
	 * NULL: the first line of the table; all calls. */
	struct picture_function marked, subject;
	struct calls calls;
	struct menu menu;
	struct listing text;		/* an annotated function, or a summary, */
	char title[256];		/* and its title, set when it is asked for */

	char note[256];			/* shown until the next key */
	char *wanted;			/* name of the function to annotate; the receiver frees it */
	bool waiting;			/* for that */
};

void view_init(struct view *view, bool live);
void view_free(struct view *view);

/* Shows a picture, which the view frees. NULL empties the view. */
void view_take(struct view *view, struct picture *picture);
/* Shows an annotated function, or why there is none, if it is still awaited. The view frees the
 * text. width: as listing_make() has it. */
void view_take_code(struct view *view, char *text, size_t width);

/* Cover what is shown by another mode, and show what it covered. A mode is shown once: what covered
 * it before goes. While code is awaited, view_back() gives that up and changes no more. */
void view_show(struct view *view, enum view_mode mode);
void view_back(struct view *view);
/* Moves the mark to the last line if there are fewer lines than before. */
void view_stay_inside(struct view *view);
void view_short_of_memory(struct view *view);

static inline enum view_mode view_mode(const struct view *view)
{
	return view->modes[view->depth];
}

/* Only with a picture. */
static inline struct picture_event *view_event(const struct view *view)
{
	return &view->picture->events[view->event];
}

/* The next ones need a picture. Choose samples, after a change of view.choice; an event, and its
 * samples; the object whose functions the table has, NULL for all. The calls keep what is open. */
void view_choose(struct view *view);
void view_choose_event(struct view *view, size_t event);
void view_choose_object(struct view *view, const char *object);
/* Makes the table after a change of its sort key or search text. */
void view_make_table(struct view *view);
/* Marks a function for the next tables. */
void view_mark(struct view *view, const struct picture_function *function);

/* Show callers and callees of a function, NULL for all calls; the summary; a menu. */
void view_show_calls(struct view *view, const struct picture_function *function);
void view_show_summary(struct view *view);
void view_show_menu(struct view *view, enum menu_kind kind);
/* Chooses the marked line of the menu. */
void view_take_item(struct view *view);
/* Asks for the annotated function of the marked line, if it has one. */
void view_annotate(struct view *view);

/* Returns the number of lines of what is shown. */
size_t view_lines(const struct view *view);
/* Returns the function of the marked line, or that which the tree is about; NULL: none. */
const struct picture_function *view_function(const struct view *view);

#endif
