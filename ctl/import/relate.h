/* SPDX-License-Identifier: GPL-2.0 */
/* Files that processes have mapped at different addresses. */
#ifndef LBRCTL_IMPORT_RELATE_H
#define LBRCTL_IMPORT_RELATE_H

#include "import/places.h"

/* Lets a process's file be the file of this path, with a shift, if they have functions in common. Returns 0, or -1 with a
 * message. */
int relate(struct places_file *file, struct places_file *own);

#endif
