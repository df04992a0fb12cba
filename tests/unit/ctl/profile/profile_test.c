// SPDX-License-Identifier: GPL-2.0
/* ctl/profile/tree.c and ctl/profile/tally.c: sums that can be checked by hand. */
#include "test.h"

#include "profile/tally.h"
#include "profile/tree.h"

/* Entries by number, named a, b, c … */
static struct profile *profile_of(size_t nr)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	struct profile *p = profile_new();

	assert_non_null(p);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(profile_entry_new(p, PROFILE_USER, names[i], "o"), i);
	return p;
}

#define ADD(p, samples, period, ...) do {				\
	const uint32_t path[] = { __VA_ARGS__ };			\
	const struct profile_weight weight_ = { samples, period, 0 };	\
	uint32_t end_;							\
	assert_int_equal(profile_add(p, path, NR(path), &weight_, &end_), 0); \
	assert_int_equal(p->nodes[end_].entry,				\
			 path[NR(path) - 1] & ~PROFILE_MARKS);		\
} while (0)

enum { A, B, C, D };

static void self_and_total(void **state)
{
	struct profile *p = profile_of(4);
	uint32_t a, b;

	(void)state;
	ADD(p, 3, 300, A, B, C);
	ADD(p, 2, 200, A, B);
	ADD(p, 1, 100, A, D);
	ADD(p, 4, 400, A, B, C);
	assert_int_equal(profile_sort(p), 0);
	assert_int_equal(p->total[0].samples, 10);
	a = p->nodes[0].first_child;
	assert_int_equal(p->nodes[a].entry, A);
	assert_int_equal(p->self[a].period, 0);
	assert_int_equal(p->total[a].period, 1000);
	b = p->nodes[a].first_child;
	assert_int_equal(p->nodes[b].entry, B);
	assert_int_equal(p->self[b].period, 200);
	assert_int_equal(p->total[b].period, 900);
	assert_int_equal(p->self[p->nodes[b].first_child].samples, 7);
	assert_int_equal(p->total[p->nodes[b].next].period, 100);
	profile_free(p);
}

/* Frames that only the recorded stack shows are counted apart in the tree, and like others
 * elsewhere. */
static void unwound_frames_are_marked(void **state)
{
	struct profile *p = profile_of(2);
	uint32_t a, b;

	(void)state;
	ADD(p, 1, 10, A | PROFILE_UNWOUND, B);
	ADD(p, 2, 20, A, B);
	ADD(p, 4, 40, A | PROFILE_UNWOUND, B | PROFILE_UNWOUND);
	ADD(p, 1, 5, A | PROFILE_STITCHED, B);
	assert_int_equal(profile_sort(p), 0);
	a = p->nodes[0].first_child;
	b = p->nodes[a].first_child;
	assert_int_equal(p->total[a].period, 75);
	assert_int_equal(profile_marked(p, a).unwound, 50);
	assert_int_equal(profile_marked(p, a).stitched, 5);
	assert_int_equal(p->total[b].period, 75);
	assert_int_equal(profile_marked(p, b).unwound, 40);
	assert_int_equal(profile_marked(p, b).stitched, 0);
	assert_int_equal(p->nodes[a].next, 0);
	assert_int_equal(p->self[b].period, 75);
	profile_free(p);
}

/* The tree keeps each path apart; its children come largest first, equals by
 * name. */
static void tree_is_sorted(void **state)
{
	struct profile *p = profile_of(4);
	uint32_t n;

	(void)state;
	ADD(p, 1, 10, A, D);
	ADD(p, 1, 10, A, C);
	ADD(p, 5, 50, A, B);
	ADD(p, 1, 5, B, A);
	assert_int_equal(profile_sort(p), 0);
	n = p->nodes[0].first_child;
	assert_int_equal(p->nodes[n].entry, A);
	assert_int_equal(p->total[n].period, 70);
	assert_int_equal(p->nodes[p->nodes[n].next].entry, B);
	assert_int_equal(p->nodes[p->nodes[n].next].next, 0);
	n = p->nodes[n].first_child;
	assert_int_equal(p->nodes[n].entry, B);
	n = p->nodes[n].next;
	assert_int_equal(p->nodes[n].entry, C);
	n = p->nodes[n].next;
	assert_int_equal(p->nodes[n].entry, D);
	assert_int_equal(p->nodes[n].next, 0);
	profile_free(p);
}

/* A node's total is its self and its children's totals, for any input. */
static void totals_add_up(void **state)
{
	struct profile *p = profile_of(4);
	uint32_t random = 7, path[40], end;
	uint64_t sum = 0;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		size_t nr;

		random = random * 1103515245 + 12345;
		nr = 1 + (random >> 8) % NR(path);
		for (size_t j = 0; j < nr; j++) {
			random = random * 1103515245 + 12345;
			path[j] = random >> 16 & 3;
		}
		assert_int_equal(profile_add(p, path, nr,
				&(struct profile_weight){ 1, i, 0 }, &end), 0);
		sum += i;
	}
	assert_int_equal(profile_sort(p), 0);
	assert_int_equal(p->total[0].period, sum);
	for (size_t i = 0; i < p->nr_nodes; i++) {
		uint64_t total = p->self[i].period;

		for (uint32_t c = p->nodes[i].first_child; c; c = p->nodes[c].next) {
			assert_int_equal(p->nodes[c].parent, i);
			total += p->total[c].period;
		}
		assert_int_equal(p->total[i].period, total);
	}
	profile_free(p);
}

static void sums_do_not_wrap(void **state)
{
	struct profile *p = profile_of(1);

	(void)state;
	ADD(p, 1, UINT64_MAX - 1, A);
	ADD(p, 1, 5, A);
	assert_int_equal(profile_sort(p), 0);
	assert_int_equal(p->total[0].period, UINT64_MAX);
	profile_free(p);
}

/* Stacks that differ in any one thing are kept apart, equal ones are counted. */
static void tally_tells_stacks_apart(void **state)
{
	const struct place k[] = { { 1, 9 } }, c[] = { { 2, 3 }, { 2, 4 } };
	const struct stacks_branch lbr[] = { { { 2, 1 }, { 2, 2 } },
					     { { 2, 3 }, { 3, 4 } } };
	const struct stacks_sample samples[] = {
		{ .has_user = true, .has_lbr = true, .leaf_known = true,
		  .leaf = { 2, 5 }, .lbr = lbr, .nr_lbr = 2 },
		{ .has_user = true, .has_lbr = true, .leaf_known = true,
		  .leaf = { 2, 6 }, .lbr = lbr, .nr_lbr = 2 },
		{ .has_user = true, .has_lbr = true, .leaf_known = true,
		  .leaf = { 3, 5 }, .lbr = lbr, .nr_lbr = 2 },
		{ .has_user = true, .has_lbr = true, .leaf_known = true,
		  .leaf = { 2, 5 }, .lbr = lbr, .nr_lbr = 1 },
		{ .has_user = true, .has_lbr = true, .lbr = lbr, .nr_lbr = 2 },
		{ .has_user = true, .has_lbr = true, .leaf_known = true,
		  .leaf = { 2, 5 }, .lbr = lbr, .nr_lbr = 2, .kernel = k,
		  .nr_kernel = 1 },
		{ .has_user = true, .leaf_known = true, .leaf = { 2, 5 },
		  .chain = c, .nr_chain = 2 },
		{ .kernel = k, .nr_kernel = 1 },
		{ .has_user = true, .leaf_known = true, .leaf = { 2, 5 },
		  .unwound = c, .nr_unwound = 2, .unwound_end = STACKS_END_ENTRY },
		{ .has_user = true, .leaf_known = true, .leaf = { 2, 5 },
		  .unwound = c, .nr_unwound = 2, .unwound_end = STACKS_END_WINDOW },
		{ .has_user = true, .leaf_known = true, .leaf = { 2, 5 },
		  .unwound = c + 1, .nr_unwound = 1 },
	};
	const struct tally_who who[] = { { .process = "p", .comm = "y" },
					 { .process = "q", .comm = "x" },
					 { .process = "q", .comm = "x", .cpu = 1 } };
	struct tally *t = tally_new(1);
	uint64_t count = 3;
	struct tally_stack got;
	uint32_t number;

	(void)state;
	for (int round = 1; round <= 999; round++)
		for (size_t i = 0; i < NR(samples); i++) {
			assert_int_equal(tally_add(t, &samples[i],
						   &who[i % 2], i + 1, &count,
						   &number), 0);
			assert_int_equal(number, i);
		}
	for (size_t i = 0; i < NR(samples); i++)
		tally_again(t, i, i + 1, &count);
	assert_int_equal(tally_add(t, &samples[0], &who[2], 1, &count, &number), 0);
	assert_int_equal(number, NR(samples));
	assert_int_equal(tally_nr(t), NR(samples) + 1);
	for (size_t i = 0; i < NR(samples); i++) {
		const struct stacks_sample *s = &samples[i];

		assert_int_equal(tally_get(t, i, &got), 0);
		assert_int_equal(got.samples, 1000);
		assert_int_equal(got.period, 1000 * (i + 1));
		assert_true(got.squares == 1000.0 * (i + 1) * (i + 1));
		assert_int_equal(got.counts[0], 3000);
		assert_string_equal(got.who->comm, i % 2 ? "x" : "y");
		assert_string_equal(got.who->process, i % 2 ? "q" : "p");
		assert_int_equal(got.sample.has_lbr, s->has_lbr);
		assert_int_equal(got.sample.leaf_known, s->leaf_known);
		assert_int_equal(got.sample.leaf.addr, s->leaf.addr);
		assert_int_equal(got.sample.nr_unwound, s->nr_unwound);
		assert_int_equal(got.sample.unwound_end, s->unwound_end);
		for (size_t j = 0; j < s->nr_unwound; j++)
			assert_int_equal(got.sample.unwound[j].addr, s->unwound[j].addr);
		assert_int_equal(got.sample.nr_lbr, s->nr_lbr);
		for (size_t j = 0; j < s->nr_lbr; j++)
			assert_memory_equal(&got.sample.lbr[j].to.addr,
					    &s->lbr[j].to.addr, 8);
		assert_int_equal(got.sample.nr_chain, s->nr_chain);
		for (size_t j = 0; j < s->nr_chain; j++)
			assert_int_equal(got.sample.chain[j].addr, s->chain[j].addr);
		assert_int_equal(got.sample.nr_kernel, s->nr_kernel);
	}
	tally_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(self_and_total),
		cmocka_unit_test(unwound_frames_are_marked),
		cmocka_unit_test(tree_is_sorted),
		cmocka_unit_test(totals_add_up),
		cmocka_unit_test(sums_do_not_wrap),
		cmocka_unit_test(tally_tells_stacks_apart),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
