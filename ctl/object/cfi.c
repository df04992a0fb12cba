// SPDX-License-Identifier: GPL-2.0
/* Finds rules in call frame information, or in Go's table of frame sizes. */
#include <string.h>

#include "object/cfi.h"
#include "object/frame_rules.h"
#include "object/load.h"

/* A rule whose expression has no room is unknown. The longest rules that are known, of all registers of a signal frame,
 * have 70 bytes. */
static void take_rule(struct object_cfi *cfi, struct object_cfi_rule *rule, const struct frame_rule *from)
{
	*rule = (struct object_cfi_rule){ .kind = from->kind, .reg = from->reg, .value = from->value };
	if (rule->kind != OBJECT_CFI_EXPRESSION && rule->kind != OBJECT_CFI_VALUE)
		return;
	if (from->size > sizeof(cfi->expressions) - cfi->size) {
		*rule = (struct object_cfi_rule){ .kind = OBJECT_CFI_UNKNOWN };
		return;
	}
	rule->value = cfi->size;
	rule->size = from->size;
	memcpy(cfi->expressions + cfi->size, from->expression, from->size);
	cfi->size += from->size;
}

static void take_rules(struct object_cfi *cfi, const struct frame_rules *rules)
{
	take_rule(cfi, &cfi->cfa, &rules->cfa);
	/* Programs name any register for the CFA. */
	if (cfi->cfa.kind == OBJECT_CFI_REGISTER && cfi->cfa.reg == FRAME_RULES_NO_REGISTER)
		cfi->cfa.kind = OBJECT_CFI_UNKNOWN;
	for (int i = 0; i < OBJECT_CFI_NR_REGISTERS; i++)
		take_rule(cfi, &cfi->registers[i], &rules->registers[i]);
}

/* Of a frame only the bytes below the return address are known. */
static void take_size(struct object_cfi *cfi, uint64_t bytes)
{
	cfi->cfa = (struct object_cfi_rule){ .kind = OBJECT_CFI_REGISTER,
					     .reg = OBJECT_CFI_STACK_POINTER,
					     .value = bytes + 8 };
	cfi->registers[OBJECT_CFI_STACK_POINTER].kind = OBJECT_CFI_OFFSET;
	cfi->registers[OBJECT_CFI_RETURN_ADDRESS] = (struct object_cfi_rule){
		.kind = OBJECT_CFI_SAVED, .value = -8 };
}

static bool go_cfi(const struct object *o, uint64_t vaddr, struct object_cfi *cfi)
{
	uint64_t bytes;

	object_load_go((struct object *)o);
	if (!gotable_frame(&o->go, vaddr, &bytes))
		return false;
	take_size(cfi, bytes);
	return true;
}

bool object_cfi(const struct object *o, uint64_t vaddr, struct object_cfi *cfi)
{
	struct frames_piece piece;
	struct frame_rules rules;

	*cfi = (struct object_cfi){ .signal = false };
	if (!o->x86_64)
		return false;
	if (!object_fdes_piece(object_load_rules(o), vaddr, &piece) || !frame_rules_at(&piece, vaddr, &rules))
		return go_cfi(o, vaddr, cfi);
	cfi->signal = piece.common->signal;
	take_rules(cfi, &rules);
	return piece.common->back == OBJECT_CFI_RETURN_ADDRESS;
}

static bool is_at_entry(const struct object *o, uint64_t vaddr)
{
	const struct object_range *entry = object_load_entry(o);

	return vaddr >= entry->start && vaddr < entry->end;
}

static bool has_no_caller(const struct object_cfi *cfi)
{
	return cfi->registers[OBJECT_CFI_RETURN_ADDRESS].kind == OBJECT_CFI_UNDEFINED;
}

bool object_cfi_is_outermost(const struct object *o, uint64_t vaddr, const struct object_cfi *cfi)
{
	return is_at_entry(o, vaddr) || (cfi && has_no_caller(cfi));
}

bool object_is_outermost(const struct object *o, uint64_t vaddr)
{
	struct object_cfi cfi;

	return is_at_entry(o, vaddr) || (object_cfi(o, vaddr, &cfi) && has_no_caller(&cfi));
}

bool object_is_fragment(const struct object *o, uint64_t vaddr)
{
	struct object_cfi cfi;

	if (!object_cfi(o, vaddr, &cfi))
		return false;
	/* At the first instruction of a function the frame address is rsp + 8. */
	return cfi.cfa.kind == OBJECT_CFI_VALUE ||
	       (cfi.cfa.kind == OBJECT_CFI_REGISTER &&
		!(cfi.cfa.reg == OBJECT_CFI_STACK_POINTER && cfi.cfa.value == 8));
}
