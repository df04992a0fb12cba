// SPDX-License-Identifier: GPL-2.0
/* Computes the registers of a caller from those of its callee. */
#include <dwarf.h>
#include <string.h>

#include "object/encoded.h"
#include "stacks/unwind_step.h"

#define MOST_VALUES	64

bool unwind_step_memory(struct unwind_step *s, uint64_t address, unsigned int size,
			uint64_t *value)
{
	uint64_t at = address - s->start->registers[OBJECT_CFI_STACK_POINTER];

	*value = 0;
	if (s->start->size < size || at > s->start->size - size) {
		s->outside = true;
		return false;
	}
	memcpy(value, s->start->stack + at, size);
	return true;
}

static bool step_register(const struct unwind_step *s, uint64_t number, uint64_t *value)
{
	if (number >= OBJECT_CFI_NR_REGISTERS || !(s->now.known >> number & 1))
		return false;
	*value = s->now.value[number];
	return true;
}

/* The values of an expression, and the rest of it. */
struct values {
	uint64_t list[MOST_VALUES];
	size_t nr;
	const unsigned char *at, *end;
};

/* Reads an operand of `size` bytes. */
static bool values_operand(struct values *v, size_t size, uint64_t *value)
{
	*value = 0;
	if ((size_t)(v->end - v->at) < size)
		return false;
	memcpy(value, v->at, size);
	v->at += size;
	return true;
}

static bool values_push(struct values *v, uint64_t value)
{
	if (v->nr == MOST_VALUES)
		return false;
	v->list[v->nr++] = value;
	return true;
}

/* Pushes an operand of `size` bytes; is_signed: its first bit is a sign. */
static bool values_push_operand(struct values *v, size_t size, bool is_signed)
{
	const unsigned int shift = 64 - 8 * size;
	uint64_t value;

	if (!values_operand(v, size, &value))
		return false;
	return values_push(v, is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value);
}

/* Executes operations that only move or change values on the stack (DWARF 5, 2.5.1). */
static bool operate_unary(struct values *v, unsigned int op)
{
	uint64_t *top, number;

	if (!v->nr)
		return false;
	top = &v->list[v->nr - 1];
	switch (op) {
	case DW_OP_dup:
		return values_push(v, *top);
	case DW_OP_drop:
		v->nr--;
		return true;
	case DW_OP_pick:
		return values_operand(v, 1, &number) && number < v->nr && values_push(v, top[-(long)number]);
	case DW_OP_neg:
		*top = -*top;
		return true;
	case DW_OP_not:
		*top = ~*top;
		return true;
	case DW_OP_plus_uconst:
		*top += encoded_number(&v->at, v->end);
		return true;
	default:
		return false;
	}
}

static bool operate_binary(struct values *v, unsigned int op)
{
	uint64_t a, b, *to;

	if (v->nr < 2)
		return false;
	b = v->list[--v->nr];
	to = &v->list[v->nr - 1];
	a = *to;
	switch (op) {
	case DW_OP_and:
		*to = a & b;
		return true;
	case DW_OP_or:
		*to = a | b;
		return true;
	case DW_OP_xor:
		*to = a ^ b;
		return true;
	case DW_OP_plus:
		*to = a + b;
		return true;
	case DW_OP_minus:
		*to = a - b;
		return true;
	case DW_OP_mul:
		*to = a * b;
		return true;
	case DW_OP_shl:
		*to = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*to = b < 64 ? a >> b : 0;
		return true;
	case DW_OP_shra:
		*to = (int64_t)a >> (b < 64 ? b : 63);
		return true;
	case DW_OP_eq:
		*to = a == b;
		return true;
	case DW_OP_ne:
		*to = a != b;
		return true;
	case DW_OP_ge:
		*to = (int64_t)a >= (int64_t)b;
		return true;
	case DW_OP_gt:
		*to = (int64_t)a > (int64_t)b;
		return true;
	case DW_OP_le:
		*to = (int64_t)a <= (int64_t)b;
		return true;
	case DW_OP_lt:
		*to = (int64_t)a < (int64_t)b;
		return true;
	default:
		return false;
	}
}

static bool operate_constant(struct values *v, unsigned int op)
{
	switch (op) {
	case DW_OP_lit0 ... DW_OP_lit31:
		return values_push(v, op - DW_OP_lit0);
	case DW_OP_const1u:
	case DW_OP_const1s:
		return values_push_operand(v, 1, op == DW_OP_const1s);
	case DW_OP_const2u:
	case DW_OP_const2s:
		return values_push_operand(v, 2, op == DW_OP_const2s);
	case DW_OP_const4u:
	case DW_OP_const4s:
		return values_push_operand(v, 4, op == DW_OP_const4s);
	case DW_OP_const8u:
	case DW_OP_const8s:
		return values_push_operand(v, 8, false);
	case DW_OP_constu:
		return values_push(v, encoded_number(&v->at, v->end));
	case DW_OP_consts:
		return values_push(v, encoded_signed(&v->at, v->end));
	default:
		return false;
	}
}

static bool operate_register(struct unwind_step *s, struct values *v, uint64_t number)
{
	uint64_t value;

	return step_register(s, number, &value) && values_push(v, value + encoded_signed(&v->at, v->end));
}

static bool operate_memory(struct unwind_step *s, struct values *v, uint64_t size)
{
	return v->nr && size >= 1 && size <= 8 &&
	       unwind_step_memory(s, v->list[v->nr - 1], size, &v->list[v->nr - 1]);
}

static bool operate(struct unwind_step *s, struct values *v, unsigned int op)
{
	uint64_t size;

	switch (op) {
	case DW_OP_breg0 ... DW_OP_breg31:
		return operate_register(s, v, op - DW_OP_breg0);
	case DW_OP_bregx:
		return operate_register(s, v, encoded_number(&v->at, v->end));
	case DW_OP_deref:
		return operate_memory(s, v, 8);
	case DW_OP_deref_size:
		return values_operand(v, 1, &size) && operate_memory(s, v, size);
	default:
		return operate_constant(v, op) || operate_unary(v, op) || operate_binary(v, op);
	}
}

/* No operation jumps back, so the expression ends after its 256 bytes. A value by DW_OP_stack_value is not
 * an address in memory, whatever the rule says. */
static bool step_expression(struct unwind_step *s, struct values *v, bool is_value, uint64_t *value)
{
	while (v->at < v->end) {
		const unsigned int op = *v->at++;

		if (op == DW_OP_stack_value) {
			is_value = true;
			break;
		}
		if (!operate(s, v, op))
			return false;
	}
	if (!v->nr)
		return false;
	*value = v->list[v->nr - 1];
	return is_value || unwind_step_memory(s, *value, 8, value);
}

/* Computes a register, or the CFA: the first value of a register's expression is the CFA. */
static bool step_rule(struct unwind_step *s, const struct object_cfi *cfi, const struct object_cfi_rule *rule,
		      unsigned int number, uint64_t *value)
{
	struct values v;

	switch (rule->kind) {
	case OBJECT_CFI_SAME:
		return step_register(s, number, value);
	case OBJECT_CFI_SAVED:
		/* gcc's call frame information does not state that a register was popped. */
		if (s->leaving && s->cfa + rule->value <
				  s->now.value[OBJECT_CFI_STACK_POINTER])
			return step_register(s, number, value);
		return unwind_step_memory(s, s->cfa + rule->value, 8, value);
	case OBJECT_CFI_OFFSET:
		*value = s->cfa + rule->value;
		return true;
	case OBJECT_CFI_REGISTER:
		if (!step_register(s, rule->reg, value))
			return false;
		*value += rule->value;
		return true;
	case OBJECT_CFI_EXPRESSION:
	case OBJECT_CFI_VALUE:
		v.nr = 0;
		v.at = cfi->expressions + rule->value;
		v.end = v.at + rule->size;
		if (rule != &cfi->cfa)
			values_push(&v, s->cfa);
		return step_expression(s, &v, rule->kind == OBJECT_CFI_VALUE, value);
	case OBJECT_CFI_UNKNOWN:
	case OBJECT_CFI_UNDEFINED:
		break;
	}
	return false;
}

/* Computes the caller's registers. Returns STACKS_END_NONE, or the reason that this is
 * impossible. */
static enum stacks_end step_usual(struct unwind_step *s, const struct unwind_usual *usual)
{
	const uint64_t sp = s->now.value[OBJECT_CFI_STACK_POINTER];
	uint32_t known = s->now.known & usual->same;

	if (!step_register(s, usual->cfa_register, &s->cfa))
		return STACKS_END_RULES;
	s->cfa += usual->cfa;
	for (size_t i = 0; i < usual->nr_saved; i++) {
		unsigned int number = usual->saved[i];
		uint64_t at = s->cfa + usual->at[i];

		/* gcc's call frame information does not state that a register was popped. */
		if (s->leaving && at < sp)
			known |= s->now.known & 1U << number;
		else if (unwind_step_memory(s, at, 8, &s->now.value[number]))
			known |= 1U << number;
		else if (number == OBJECT_CFI_RETURN_ADDRESS)
			return STACKS_END_WINDOW;
	}
	s->now.value[OBJECT_CFI_STACK_POINTER] = s->cfa;
	s->now.known = known | 1U << OBJECT_CFI_STACK_POINTER;
	return STACKS_END_NONE;
}

static enum stacks_end step_others(struct unwind_step *s, const struct object_cfi *cfi)
{
	struct unwind_registers next = { .known = 0 };

	s->outside = false;
	if (!step_rule(s, cfi, &cfi->cfa, 0, &s->cfa))
		return s->outside ? STACKS_END_WINDOW : STACKS_END_RULES;
	for (unsigned int i = 0; i < OBJECT_CFI_NR_REGISTERS; i++) {
		s->outside = false;
		if (step_rule(s, cfi, &cfi->registers[i], i, &next.value[i]))
			next.known |= 1U << i;
	}
	/* The last register is the return address. */
	if (!(next.known >> OBJECT_CFI_RETURN_ADDRESS & 1))
		return s->outside ? STACKS_END_WINDOW : STACKS_END_RULES;
	if (!(next.known >> OBJECT_CFI_STACK_POINTER & 1)) {
		next.value[OBJECT_CFI_STACK_POINTER] = s->cfa;
		next.known |= 1U << OBJECT_CFI_STACK_POINTER;
	}
	s->now = next;
	return STACKS_END_NONE;
}

enum stacks_end unwind_step_out(struct unwind_step *s, const struct unwind_rules *rules)
{
	const uint64_t sp = s->now.value[OBJECT_CFI_STACK_POINTER];
	enum stacks_end end;

	s->leaving = rules->leaving;
	end = rules->others ? step_others(s, rules->others) : step_usual(s, &rules->usual);
	/* A call leaves its frame below the caller's. Handlers may have a stack of
	 * their own. */
	if (end == STACKS_END_NONE && !rules->signal &&
	    s->now.value[OBJECT_CFI_STACK_POINTER] <= sp)
		return STACKS_END_RULES;
	return end;
}
