// SPDX-License-Identifier: GPL-2.0
/* ctl/record/losses_of.c: the causes of losses, by what was sampled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "record/losses_of.h"

static const struct control_stats stats = { .lost = {
	[LBRSCOPE_LOST_RING_FULL] = 1, [LBRSCOPE_LOST_THROTTLED] = 2, [LBRSCOPE_LOST_PMU_TAKEN] = 3,
	[LBRSCOPE_LOST_TOO_LARGE] = 4, [LBRSCOPE_LOST_STOPPED] = 5, [LBRSCOPE_LOST_OVERWRITTEN] = 6,
	[LBRSCOPE_LOST_FROZEN] = 7, [LBRSCOPE_LOST_PMI_MISSED] = 8,
} };

static void says(const struct eventlist *events, uint64_t unwritten, const char *want)
{
	const struct losses losses = losses_of(&stats, events, unwritten);
	char text[LOSSES_TEXT];

	losses_text(&losses, text);
	assert_string_equal(text, want);
	assert_true(losses.known);
}

static void a_clock_is_late(void **state)
{
	static struct eventlist events = { .nr = 2, .list = { { .event.clock = true }, { .event.clock = false } } };

	(void)state;
	says(&events, 0, " (ring full 1, throttled 2, PMU taken 3, too large 4, stopped 5, overwritten 6, "
	     "frozen 7, PMI missed 8)");
	events.nr = 1;
	says(&events, 9, " (ring full 1, throttled 2, PMU taken 3, too large 4, stopped 5, overwritten 6, "
	     "frozen 7, timer late 8, disk full 9)");
	events.nr = 0;
	says(&events, 0, " (ring full 1, throttled 2, PMU taken 3, too large 4, stopped 5, overwritten 6, "
	     "frozen 7, PMI missed 8)");
}

static void nothing_is_said_of_nothing(void **state)
{
	const struct losses none = { .known = true };
	char text[LOSSES_TEXT] = "before";

	(void)state;
	losses_text(&none, text);
	assert_string_equal(text, "");
}

static void the_longest_text_has_room(void **state)
{
	struct losses all = { .known = true };
	char text[LOSSES_TEXT];

	(void)state;
	for (int i = 0; i < LOSSES_NR; i++)
		all.samples[i] = 123456789012;
	losses_text(&all, text);
	assert_string_equal(text + strlen(text) - 13, "123456789012)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_is_late), cmocka_unit_test(nothing_is_said_of_nothing),
		cmocka_unit_test(the_longest_text_has_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
