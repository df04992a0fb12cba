/* SPDX-License-Identifier: GPL-2.0 */
/* Answers the questions of build.c from the machine code of the mapped files. */
#ifndef LBRCTL_STACKS_CODE_H
#define LBRCTL_STACKS_CODE_H

#include "stacks/build.h"
#include "stacks/maps.h"

struct code;

/* Places are those of maps, which must outlive the result. NULL when memory is short. */
struct code *code_new(const struct maps *maps);
void code_free(struct code *code);

/* From now on the questions are about another capture of the same files. Answers that follow from
 * the code stay; those that samples gave (tell_beneath_main) are forgotten. */
void code_begin(struct code *code);

/* Returns the number of stored answers. */
size_t code_nr_answers(const struct code *code);

/* Returns the answers; valid until code_free(). Each is computed once and stored. */
struct stacks_code code_answers(struct code *code);

#endif
