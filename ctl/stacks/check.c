// SPDX-License-Identifier: GPL-2.0
/* Checks recorded calls against the code. */
#include "stacks/check.h"

uint64_t check_call(const struct stacks_code *code, const struct stacks_branch *entry,
		    size_t *unverified)
{
	struct place target = entry->to;

	switch (code->call(code->ctx, entry->from, &target)) {
	case STACKS_CALL_NONE:
		return EVIDENCE(NO_CALL);
	case STACKS_CALL_DIRECT:
		return maps_same_place(target, entry->to) ? 0 : EVIDENCE(OTHER_TARGET);
	case STACKS_CALL_INDIRECT:
		break;
	case STACKS_CALL_UNKNOWN:
		++*unverified;
		break;
	}
	if (!maps_is_known(entry->to)) {
		++*unverified;
		return 0;
	}
	switch (code->entry(code->ctx, entry->to)) {
	case STACKS_NO:
		return EVIDENCE(NO_FUNCTION);
	case STACKS_YES:
		break;
	case STACKS_UNKNOWN:
		++*unverified;
		break;
	}
	return 0;
}

bool check_is_no_call(const struct stacks_code *code, const struct stacks_branch *call)
{
	size_t unverified = 0;

	return check_call(code, call, &unverified) != 0;
}

bool check_is_signal(const struct stacks_code *code, const struct stacks_sample *sample,
		     const struct stacks_branch *call)
{
	struct place target;

	return sample->stack_known && maps_is_known(call->to) &&
	       code->call(code->ctx, call->from, &target) == STACKS_CALL_NONE &&
	       code->entry(code->ctx, call->to) == STACKS_YES;
}

bool check_is_delivery(const struct stacks_code *code, const struct stacks_sample *sample,
		       const struct stacks_branch *call, struct place interrupted)
{
	struct place target;

	return sample->stack_known && maps_same_place(call->from, interrupted) && maps_is_known(call->to) &&
	       code->call(code->ctx, call->from, &target) == STACKS_CALL_UNKNOWN &&
	       code->entry(code->ctx, call->to) == STACKS_YES;
}

bool check_leads_elsewhere(const struct stacks_code *code,
			    const struct stacks_branch *call, struct place inner)
{
	return !maps_is_known(call->to) ||
	       code->lead(code->ctx, call->to, inner) == STACKS_LEAD_NONE;
}

bool check_leads_to(const struct stacks_code *code, const struct stacks_branch *call,
		    struct place inner)
{
	switch (code->lead(code->ctx, call->to, inner)) {
	case STACKS_LEAD_SAME:
	case STACKS_LEAD_STUB:
	case STACKS_LEAD_JUMP:
		return true;
	case STACKS_LEAD_NONE:
	case STACKS_LEAD_GUESS:
	case STACKS_LEAD_UNKNOWN:
		break;
	}
	return false;
}

enum stacks_answer check_returns_to(const struct stacks_code *code, const struct stacks_branch *call,
				    struct place back)
{
	struct place from = { MAPS_NOTHING, 0 }, target;

	if (code->call_before(code->ctx, back, &from, &target) != STACKS_CALL_UNKNOWN)
		return maps_same_place(from, call->from) ? STACKS_YES : STACKS_NO;
	/* No instruction is longer than 15 bytes. */
	return back.file == call->from.file && back.addr > call->from.addr &&
	       back.addr - call->from.addr <= 15 ? STACKS_UNKNOWN : STACKS_NO;
}

bool check_has_pointer(const struct stacks_code *code, const struct stacks_branch *call)
{
	struct place start;

	code->start(code->ctx, call[-1].from, &start);
	return code->points(code->ctx, maps_is_known(start) ? start : call->to);
}
