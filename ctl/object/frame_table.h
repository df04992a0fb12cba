/* SPDX-License-Identifier: GPL-2.0 */
/* The unwinding rules of a file as the module takes them: linux/lbrscope_unwind.h. */
#ifndef LBRCTL_OBJECT_FRAME_TABLE_H
#define LBRCTL_OBJECT_FRAME_TABLE_H

#include "object/frame_rows.h"
#include "object/object.h"

/* Packs the rows. Rules whose numbers do not fit become LBRSCOPE_UNWIND_OTHER. Returns the table,
 * for free(), and its bytes in *size; NULL with errno: ENOMEM, or E2BIG if the file has 4 GB of
 * code or 65,536 rules. */
struct lbrscope_unwind_head *frame_table_pack(const struct frame_rows *rows, size_t *size);

/* Makes the table of a file, as above; NULL as well if the file is no code for x86-64. May run while another
 * thread uses the object. */
struct lbrscope_unwind_head *frame_table_of(const struct object *object, size_t *size);

#endif
