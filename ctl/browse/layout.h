/* SPDX-License-Identifier: GPL-2.0 */
/* Puts a view on the screen. */
#ifndef LBRCTL_BROWSE_LAYOUT_H
#define LBRCTL_BROWSE_LAYOUT_H

#include "browse/view.h"

/* head: the first line. */
void layout_draw(const struct view *view, const char *head);

#endif
