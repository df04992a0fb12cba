// SPDX-License-Identifier: GPL-2.0
/* Steps out of a frame along the frame pointer. */
#include "stacks/unwind_pointer.h"

enum {
	FRAME_POINTER = 6,	/* %rbp, by DWARF's numbers */
	WORD = 8,
};

/* A frame pointer further out points into no stack (the default of RLIMIT_STACK). */
#define LARGEST_STACK	(8ULL << 20)

/* The end of a frame. */
struct frame {
	uint64_t back;			/* return address */
	uint64_t sp, bp;		/* of the caller */
	bool bp_known;
};

static struct unwind_spot spot_of(struct maps *maps, uint32_t pid, uint64_t address)
{
	uint64_t offset;
	struct place call = maps_place(maps, pid, address - 1, &offset);

	return (struct unwind_spot){ pid, address, { call.file, call.addr + 1 }, NULL };
}

/* The return address is at `at`; with `saved`, the caller's %rbp is there, and it one word above. */
static enum stacks_end frame_at(struct unwind_step *s, uint64_t at, bool saved,
				struct frame *frame)
{
	*frame = (struct frame){ .bp = s->now.value[FRAME_POINTER],
				 .bp_known = s->now.known >> FRAME_POINTER & 1 };
	if (saved) {
		frame->bp_known = unwind_step_memory(s, at, WORD, &frame->bp);
		at += WORD;
	}
	frame->sp = at + WORD;
	return unwind_step_memory(s, at, WORD, &frame->back) ? STACKS_END_NONE :
							       STACKS_END_WINDOW;
}

static enum stacks_end frame_by_pointer(struct unwind_step *s, struct frame *frame)
{
	const uint64_t sp = s->now.value[OBJECT_CFI_STACK_POINTER];
	const uint64_t bp = s->now.value[FRAME_POINTER];

	if (!(s->now.known >> FRAME_POINTER & 1) || bp < sp || bp - sp > LARGEST_STACK ||
	    bp % WORD)
		return STACKS_END_RULES;
	return frame_at(s, bp, true, frame);
}

/* Whether `top`, the first word of the stack, is the return address of a direct call to the function
 * at the spot, which has not set up a frame. */
static bool is_called_bare(struct maps *maps, const struct unwind_spot *spot, uint64_t top)
{
	const struct unwind_spot back = spot_of(maps, spot->pid, top);
	uint64_t target;

	return back.place.file != MAPS_NOTHING &&
	       unwind_code_call(maps, &back, &target) == UNWIND_CODE_CALL && target &&
	       spot_of(maps, spot->pid, target + 1).place.file == spot->place.file &&
	       unwind_code_is_bare(maps, spot, target);
}

/* Judges where the return address is. top: the first word of the stack, of a spot that is not behind
 * a call; NULL: it is not known. */
static enum unwind_code_frame judge(struct maps *maps, const struct unwind_spot *spot, bool called,
				    const uint64_t *top)
{
	const enum unwind_code_frame frame = unwind_code_frame(maps, spot, called);

	if (frame != UNWIND_CODE_MAYBE && frame != UNWIND_CODE_NONE)
		return frame;
	if (!called && top && is_called_bare(maps, spot, *top))
		return UNWIND_CODE_TOP;
	return frame == UNWIND_CODE_MAYBE ? UNWIND_CODE_BY_POINTER : frame;
}

/* Whether a call may return to the address. */
static bool may_return(struct maps *maps, uint32_t pid, uint64_t address)
{
	const struct unwind_spot back = spot_of(maps, pid, address);
	uint64_t target;

	return back.place.file != MAPS_NOTHING &&
	       unwind_code_call(maps, &back, &target) != UNWIND_CODE_NO_CALL;
}

static enum stacks_end find_frame(struct unwind_step *s, struct maps *maps,
				  const struct unwind_spot *spot, bool called,
				  struct frame *frame)
{
	const uint64_t sp = s->now.value[OBJECT_CFI_STACK_POINTER];
	uint64_t word;
	const uint64_t *top = !called && unwind_step_memory(s, sp, WORD, &word) ? &word : NULL;

	switch (judge(maps, spot, called, top)) {
	case UNWIND_CODE_TOP:
		return frame_at(s, sp, false, frame);
	case UNWIND_CODE_PUSHED:
		return frame_at(s, sp, true, frame);
	case UNWIND_CODE_BY_POINTER:
		return frame_by_pointer(s, frame);
	default:
		return STACKS_END_RULES;
	}
}

enum stacks_end unwind_pointer_out(struct unwind_step *s, struct maps *maps,
				   const struct unwind_spot *spot, bool called)
{
	struct frame frame;
	enum stacks_end end = find_frame(s, maps, spot, called, &frame);

	if (end != STACKS_END_NONE)
		return end;
	if (!may_return(maps, spot->pid, frame.back))
		return STACKS_END_RULES;
	s->now.value[OBJECT_CFI_RETURN_ADDRESS] = frame.back;
	s->now.value[OBJECT_CFI_STACK_POINTER] = frame.sp;
	s->now.value[FRAME_POINTER] = frame.bp;
	s->now.known = 1U << OBJECT_CFI_RETURN_ADDRESS | 1U << OBJECT_CFI_STACK_POINTER |
		       (uint32_t)frame.bp_known << FRAME_POINTER;
	return STACKS_END_NONE;
}

enum stacks_end unwind_pointer_judge(uint32_t pid, struct maps *maps, const struct unwind_spot *spot,
				     const uint64_t *top, uint64_t next, uint64_t *hidden)
{
	*hidden = 0;
	switch (judge(maps, spot, !top, top)) {
	case UNWIND_CODE_TOP:
		*hidden = top[0];
		break;
	case UNWIND_CODE_PUSHED:
		*hidden = top[1];
		break;
	case UNWIND_CODE_BY_POINTER:
		break;
	default:
		return STACKS_END_RULES;
	}
	return may_return(maps, pid, *hidden ? *hidden : next) ? STACKS_END_NONE : STACKS_END_RULES;
}
