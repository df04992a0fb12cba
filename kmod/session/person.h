/* SPDX-License-Identifier: GPL-2.0 */
/* The users without privilege, and what each of them does at this moment. */
#ifndef LBRSCOPE_PERSON_H
#define LBRSCOPE_PERSON_H

#include <linux/types.h>

struct cred;
struct ls_extack;
struct ls_person;

/* A person's commands at the same time: one is carried out, one waits for that. */
#define PERSON_COMMANDS	2
/* A person's STARTs in a second: each of them patches code that all CPUs execute. */
#define PERSON_STARTS	10

/*
 * Returns the person with cred, with a reference that ls_person_put() drops; or NULL: no
 * memory.
 * Context: may sleep.
 */
struct ls_person *ls_person_get(const struct cred *cred);
void ls_person_put(struct ls_person *person);

/*
 * Begins a command of the person with cred, which ls_person_leave() ends.
 * Returns: the person; ERR_PTR(-ENOMEM); or ERR_PTR(-EBUSY): PERSON_COMMANDS have begun and
 * not ended, with the reason in extack.
 * Context: may sleep.
 */
struct ls_person *ls_person_enter(const struct cred *cred, struct ls_extack *extack);
void ls_person_leave(struct ls_person *person);

/*
 * Counts a START of the person.
 * Returns: 0; -EAGAIN: it would be one too many within a second, with the reason in extack.
 */
int ls_person_start(struct ls_person *person, struct ls_extack *extack);

/* Context: the module is unloaded; there is no reference. */
void ls_person_exit(void);

#endif
