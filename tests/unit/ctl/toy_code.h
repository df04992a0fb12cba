/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that is a toy: function F of file 2 is the addresses F * 0x100 up to the next; 0x.10 in
 * it is a direct call of function F + 1, 0x.20 an indirect call, all else no call. Function 1
 * is where a thread starts; MAIN has no known caller; SWITCH continues on another stack;
 * the file of BLIND is not here.
 */
#ifndef TESTS_TOY_CODE_H
#define TESTS_TOY_CODE_H

#include "stacks/build.h"
#include "stacks/code_links.h"

#define AT(f, offset) { 2, (f) * 0x100 + (offset) }
#define CALL(f)	{ AT(f, 0x10), AT((f) + 1, 0) }		/* F calls F + 1 */
#define NOWHERE	{ MAPS_NOTHING, 0 }

enum { STUB = 0x50, TAIL = 0x60, SPLIT = 0x61, BLIND = 0x70, TRAMPOLINE = 0x80,
       MAIN = 0x90, SWITCH = 0xa0 };

static uint64_t function_of(struct place p)
{
	return p.addr / 0x100;
}

static enum stacks_call toy_call(void *ctx, struct place p, struct place *target)
{
	(void)ctx;
	if (function_of(p) == BLIND)
		return STACKS_CALL_UNKNOWN;
	if (p.addr % 0x100 == 0x10) {
		*target = (struct place){ 2, (function_of(p) + 1) * 0x100 };
		return STACKS_CALL_DIRECT;
	}
	return p.addr % 0x100 == 0x20 ? STACKS_CALL_INDIRECT : STACKS_CALL_NONE;
}

/* Calls are of 5 bytes. */
static enum stacks_call toy_call_before(void *ctx, struct place back,
					struct place *from, struct place *target)
{
	*from = (struct place){ back.file, back.addr - 5 };
	return toy_call(ctx, *from, target);
}

static bool toy_signal(void *ctx, struct place p)
{
	(void)ctx;
	return function_of(p) == TRAMPOLINE;
}

static enum stacks_answer toy_entry(void *ctx, struct place p)
{
	(void)ctx;
	if (function_of(p) == BLIND)
		return STACKS_UNKNOWN;
	return p.addr % 0x100 ? STACKS_NO : STACKS_YES;
}

static enum stacks_lead toy_lead(void *ctx, struct place entered, struct place at)
{
	(void)ctx;
	if (function_of(entered) == function_of(at))
		return STACKS_LEAD_SAME;
	switch (function_of(entered)) {
	case STUB:
		return STACKS_LEAD_STUB;
	case TAIL:
		return function_of(at) == SPLIT ? STACKS_LEAD_SAME :
						  STACKS_LEAD_JUMP;
	case BLIND:
		return STACKS_LEAD_UNKNOWN;
	default:
		return STACKS_LEAD_NONE;
	}
}

static bool toy_outermost(void *ctx, struct place p)
{
	(void)ctx;
	return function_of(p) == 1;
}

static bool toy_absent(void *ctx, struct place p)
{
	(void)ctx;
	return p.file && function_of(p) == BLIND;
}

static bool toy_in_main(void *ctx, struct place p)
{
	(void)ctx;
	return function_of(p) == MAIN;
}

static void toy_start(void *ctx, struct place p, struct place *start)
{
	(void)ctx;
	if (function_of(p) != BLIND)
		*start = (struct place){ p.file, function_of(p) * 0x100 };
}

#define TOY_FRAME	16	/* bytes of each frame */
#define TOY_BENEATH	48	/* bytes below MAIN's */

static bool toy_frame(void *ctx, struct place p, struct place entered, int64_t *bytes)
{
	(void)ctx;
	(void)entered;
	*bytes = TOY_FRAME;
	return function_of(p) != BLIND;
}

static bool toy_beneath_main(void *ctx, struct place p, int64_t *bytes)
{
	(void)ctx;
	(void)p;
	*bytes = TOY_BENEATH;
	return true;
}

static void toy_tell_beneath_main(void *ctx, struct place p, int64_t bytes)
{
	(void)ctx;
	(void)p;
	(void)bytes;
}

static bool toy_switches(void *ctx, struct place p)
{
	(void)ctx;
	return function_of(p) == SWITCH;
}

static bool toy_points(void *ctx, struct place p)
{
	(void)ctx;
	(void)p;
	return false;
}

/* As stacks/code.c answers it. */
static uint32_t toy_link(void *ctx, const struct stacks_branch *call, struct place inner)
{
	static const struct stacks_code answers = {
		.call = toy_call, .entry = toy_entry, .lead = toy_lead,
	};

	return ctx ? code_links_number(ctx, &answers, call, inner) : STACKS_NO_LINK;
}

static struct code_links toy_links;

static const struct stacks_code toy = {
	.ctx = &toy_links, .link = toy_link,
	.call = toy_call, .call_before = toy_call_before, .signal = toy_signal,
	.entry = toy_entry, .lead = toy_lead,
	.outermost = toy_outermost, .absent = toy_absent, .in_main = toy_in_main,
	.switches = toy_switches, .points = toy_points, .start = toy_start, .frame = toy_frame,
	.beneath_main = toy_beneath_main, .tell_beneath_main = toy_tell_beneath_main,
};

/* The same code, but no call is known to be plain. */
static const struct stacks_code toy_unlinked = {
	.link = toy_link, .call = toy_call, .call_before = toy_call_before, .signal = toy_signal,
	.entry = toy_entry, .lead = toy_lead, .outermost = toy_outermost,
	.absent = toy_absent, .in_main = toy_in_main, .switches = toy_switches, .points = toy_points, .start = toy_start,
	.frame = toy_frame,
	.beneath_main = toy_beneath_main, .tell_beneath_main = toy_tell_beneath_main,
};

#endif
