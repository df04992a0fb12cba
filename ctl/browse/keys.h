/* SPDX-License-Identifier: GPL-2.0 */
/* What keys do to a view. */
#ifndef LBRCTL_BROWSE_KEYS_H
#define LBRCTL_BROWSE_KEYS_H

#include "browse/view.h"

/* key: as screen_key() returns it. */
void keys_press(struct view *view, int key);

#endif
