// SPDX-License-Identifier: GPL-2.0
/* ctl/stacks/verdict.c: what the verdicts promise, for every set of up to four pieces of evidence. */
#include "test.h"

#include <stdbool.h>

#include "stacks/verdict.h"

#define CONTRADICTIONS	(EVIDENCE(NO_CALL) | EVIDENCE(OTHER_TARGET) | EVIDENCE(NO_FUNCTION) | \
			 EVIDENCE(NEIGHBOURS) | EVIDENCE(NO_HANDLER) | EVIDENCE(BACK_BEHIND_NONE) | \
			 EVIDENCE(BACK_BEHIND_OTHER))
#define CONCLUSIONS	(EVIDENCE(POINTER) | EVIDENCE(MISLED) | EVIDENCE(STITCHED) | EVIDENCE(AUDITED) | \
			 EVIDENCE(NO_WAY))
/* A branch history shows the returns as well. */
#define HISTORY		(EVIDENCE(HISTORY_BEGIN) | EVIDENCE(HISTORY_GAP) | EVIDENCE(HISTORY_ELSEWHERE))
#define NOT_BY_HISTORY	(EVIDENCE(HANDLER) | EVIDENCE(GUESS) | EVIDENCE(BENEATH) | EVIDENCE(NO_SIZE))
#define PROOFS		(EVIDENCE(DEPTH) | EVIDENCE(MEMORY))
#define REACHES		(EVIDENCE(ENTRY) | EVIDENCE(MAIN))

static bool used[VERDICT_ROWS];

/* What lbrctl-accuracy(7) says of a complete stack. */
static bool may_be_complete(uint64_t e)
{
	if (!(e & REACHES) || e & (CONCLUSIONS | EVIDENCE(OTHER_DEPTH) | EVIDENCE(LEFT) | EVIDENCE(NO_USER)))
		return false;
	if (!(e & PROOFS) && (!(e & HISTORY) || e & NOT_BY_HISTORY))
		return false;
	/* Behind main() there is nothing but what was left in the LBR. A stack from memory that reaches
	 * the entry needs no LBR. */
	if (e & CONTRADICTIONS && !(e & EVIDENCE(MAIN)))
		return false;
	return !(e & EVIDENCE(DISAGREE)) || e & EVIDENCE(ENTRY);
}

static void judge(uint64_t evidence)
{
	const struct verdict *row = verdict_of(evidence);

	used[row - verdict_table] = true;
	if (row->verdict == STACKS_COMPLETE && !may_be_complete(evidence))
		fail_msg("evidence %#llx is called complete", (unsigned long long)evidence);
	if (row->verdict == STACKS_UNPROVED)
		assert_true(evidence & REACHES);
	if (row->verdict == STACKS_DISPUTED)
		assert_true(evidence & EVIDENCE(DISAGREE) && !(evidence & EVIDENCE(ENTRY)));
	if (row->verdict == STACKS_BROKEN)
		assert_true(evidence & (CONTRADICTIONS | EVIDENCE(OTHER_DEPTH)));
	if (row->verdict == STACKS_NO_USER)
		assert_true(evidence & EVIDENCE(NO_USER));
}

static void judge_sets(uint64_t evidence, int next, int more)
{
	judge(evidence);
	for (int i = next; more && i < EVIDENCE_NR; i++)
		judge_sets(evidence | UINT64_C(1) << i, i + 1, more - 1);
}

static void no_set_of_evidence_breaks_the_promise(void **state)
{
	(void)state;
	judge_sets(0, 0, 4);
	/* A row that no stack comes to is behind one that takes all of its stacks. */
	for (size_t i = 0; i < VERDICT_ROWS; i++)
		if (!used[i])
			fail_msg("no evidence leads to row %zu: %s", i, verdict_table[i].reason);
}

static void all_verdicts_have_rows_reasons_and_names(void **state)
{
	unsigned int seen = 0;

	(void)state;
	for (size_t i = 0; i < VERDICT_ROWS; i++) {
		assert_true(*verdict_table[i].reason);
		assert_non_null(verdict_table[i].remedy);
		seen |= 1U << verdict_table[i].verdict;
	}
	assert_int_equal(seen, (1U << STACKS_NR_VERDICTS) - 1);
	for (int i = 0; i < STACKS_NR_VERDICTS; i++)
		assert_true(*stacks_verdict_name(i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_set_of_evidence_breaks_the_promise),
		cmocka_unit_test(all_verdicts_have_rows_reasons_and_names),
	};

	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
