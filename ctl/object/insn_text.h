/* SPDX-License-Identifier: GPL-2.0 */
/* The text of an x86-64 instruction. */
#ifndef LBRCTL_OBJECT_INSN_TEXT_H
#define LBRCTL_OBJECT_INSN_TEXT_H

#include "object/insn.h"

enum insn_syntax { INSN_ATT, INSN_INTEL };

/* Writes it, with the terminating 0, into `size` bytes. Names are those of binutils and of compilers. */
void insn_text(struct insn *insn, enum insn_syntax syntax, char *text, size_t size);

#endif
