// SPDX-License-Identifier: GPL-2.0
/* Whether a call and the frame inside of it are as the code says. */
#include <stdlib.h>

#include "base/grow.h"
#include "stacks/check.h"
#include "stacks/code_links.h"

static uint64_t link_key(const struct stacks_branch *call, struct place inner)
{
	return hash_u64(maps_add_place(maps_add_place(maps_place_key(call->from), call->to), inner));
}

static bool link_is_plain(const struct stacks_code *code, const struct stacks_branch *call,
			  struct place inner)
{
	size_t unverified = 0;
	enum stacks_lead lead;

	if (!maps_is_known(inner) || !maps_is_known(call->to) ||
	    check_call(code, call, &unverified) || unverified)
		return false;
	lead = code->lead(code->ctx, call->to, inner);
	return lead == STACKS_LEAD_SAME || lead == STACKS_LEAD_STUB;
}

static const struct code_link *link_add(struct code_links *c, const struct stacks_code *code,
					const struct stacks_branch *call, struct place inner,
					uint64_t key)
{
	struct code_link *l;

	if (hash_reserve(&c->index) ||
	    room_for(&c->list, c->index.used + 1, &c->max, sizeof(*c->list)))
		return NULL;
	l = &c->list[hash_put(&c->index, key)];
	*l = (struct code_link){ *call, inner, link_is_plain(code, call, inner) };
	return l;
}

static const struct code_link *link_of(struct code_links *c, const struct stacks_code *code,
				       const struct stacks_branch *call, struct place inner)
{
	uint64_t key = link_key(call, inner);

	hash_for_each(i, &c->index, key) {
		const struct code_link *l = &c->list[i];

		if (maps_same_place(l->call.from, call->from) &&
		    maps_same_place(l->call.to, call->to) && maps_same_place(l->inner, inner))
			return l;
	}
	return link_add(c, code, call, inner, key);
}

uint32_t code_links_number(struct code_links *c, const struct stacks_code *code,
			   const struct stacks_branch *call, struct place inner)
{
	const struct code_link *l = link_of(c, code, call, inner);

	return l && l->plain ? l - c->list : STACKS_NO_LINK;
}

void code_links_free(struct code_links *c)
{
	free(c->list);
	hash_free(&c->index);
}
