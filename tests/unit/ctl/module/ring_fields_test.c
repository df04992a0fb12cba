// SPDX-License-Identifier: GPL-2.0
/* ctl/module/ring.c: the fields of each kind of record, and records that are too short. */
#include "ring_fixture.h"

static void test_sample_fields(void **state)
{
	struct lbrscope_sample *s = memory_ring_sample(&memory, 77, 0x401000, 3);
	struct ring_sample sample;

	(void)state;
	assert_int_equal(ring_reader_sample(&reader, &s->rec, &sample), 0);
	assert_int_equal(sample.time, 77);
	assert_int_equal(sample.ip, 0x401000);
	assert_int_equal(sample.pid, 12);
	assert_int_equal(sample.tid, 13);
	assert_int_equal(sample.flags, LBRSCOPE_SAMPLE_USER);
	assert_false(sample.has_user_ip);
	assert_int_equal(sample.nr, 3);
	assert_int_equal(sample.from[2], 1002);
	assert_int_equal(sample.to[0], 2000);
}

static void test_sample_of_the_kernel_has_the_user_ip_first(void **state)
{
	struct lbrscope_sample *s = memory_ring_put(&memory,
		(struct lbrscope_record){ .size = sizeof(*s) + 16,
			.type = LBRSCOPE_RECORD_SAMPLE,
			.format = LBRSCOPE_FORMAT_TASK |
				  LBRSCOPE_FORMAT_USER_IP });
	struct ring_sample sample;

	(void)state;
	((uint64_t *)(s + 1))[1] = 0x1234;
	assert_int_equal(ring_reader_sample(&reader, &s->rec, &sample), 0);
	assert_true(sample.has_user_ip);
	assert_int_equal(sample.user_ip, 0x1234);
	assert_null(sample.from);
	assert_null(sample.to);
}

/* All that can be asked for, each word its number, behind a group of two. */
static struct lbrscope_sample *requested(uint64_t stack, uint64_t chain)
{
	const unsigned int nr = 1 + 3 + LBRSCOPE_USER_REGS_NR + 1 + 2 + 1 + 3 + 1 + 1 + 1;
	struct lbrscope_sample *s = memory_ring_put(&memory,
		(struct lbrscope_record){ .size = sizeof(*s) + 8 * nr,
			.type = LBRSCOPE_RECORD_SAMPLE,
			.format = LBRSCOPE_FORMAT_TASK | LBRSCOPE_FORMAT_GROUP |
				  LBRSCOPE_FORMAT_REQUESTS });
	uint64_t *words = (uint64_t *)(s + 1) + 1;
	unsigned int i;

	for (i = 0; i < nr - 1; i++)
		words[i] = i;
	words[0] = 2;
	words[23] = stack;
	words[26] = chain;
	words[nr - 2] = 0;	/* a chain without callers */
	return s;
}

static void test_what_was_requested(void **state)
{
	struct ring_sample sample;

	(void)state;
	assert_int_equal(ring_reader_sample(&reader, &requested(16, 3)->rec, &sample), 0);
	assert_int_equal(sample.nr_group, 2);
	assert_int_equal(sample.group[1], 2);
	assert_int_equal(sample.user_regs[0], 3);
	assert_int_equal(sample.user_regs[19], 22);
	assert_int_equal(sample.user_stack_size, 16);
	assert_int_equal(sample.user_stack[1], 25);
	assert_int_equal(sample.nr_chain, 3);
	assert_int_equal(sample.chain[2], 29);
	assert_int_equal(sample.cgroup, 30);
	assert_true(sample.has_depth);
	assert_int_equal(sample.depth, 31);
}

static void test_lengths_that_cannot_be_are_refused(void **state)
{
	static const uint64_t bad[][2] = {
		{ 24, 3 }, { 12, 3 }, { 16, 4 }, { 16, -1ULL }, { -8ULL, 3 },
		{ 16, 1ULL << 61 }, { 1ULL << 63, 3 },
	};
	struct ring_sample sample;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ring_reader_sample(&reader,
			&requested(bad[i][0], bad[i][1])->rec, &sample),
			-EPROTO);
}

static void test_a_field_of_a_later_version_is_left_alone(void **state)
{
	struct lbrscope_sample *s = memory_ring_sample(&memory, 1, 2, 2);
	struct ring_sample sample;

	(void)state;
	s->rec.format |= 1U << 15;
	s->rec.size += 8;
	assert_int_equal(ring_reader_sample(&reader, &s->rec, &sample), 0);
	assert_int_equal(sample.to[1], 2001);
}

static void test_samples_shorter_than_their_format_are_refused(void **state)
{
	struct lbrscope_sample *s = memory_ring_sample(&memory, 1, 2, 4);
	uint16_t whole = s->rec.size, size;
	struct ring_sample sample;

	(void)state;
	for (size = sizeof(s->rec); size < whole; size += 8) {
		s->rec.size = size;
		assert_int_equal(ring_reader_sample(&reader, &s->rec, &sample), -EPROTO);
	}
	s->rec.size = sizeof(*s);
	s->rec.nr = 0;
	s->rec.format = LBRSCOPE_FORMAT_USER_IP;
	assert_int_equal(ring_reader_sample(&reader, &s->rec, &sample), -EPROTO);
}

/* The fields of a record of a time off the CPU, in the order of the format. */
static void test_offcpu_fields(void **state)
{
	const uint64_t words[] = { 0x2000, 11, 21, 12, 22, 3, 31, 32, 33 };
	struct lbrscope_offcpu *o = memory_ring_put(&memory,
		(struct lbrscope_record){ .size = sizeof(*o) + sizeof(words),
			.type = LBRSCOPE_RECORD_OFFCPU, .nr = 2,
			.format = LBRSCOPE_FORMAT_USER_IP |
				  LBRSCOPE_FORMAT_LBR_FROM |
				  LBRSCOPE_FORMAT_LBR_TO |
				  LBRSCOPE_FORMAT_KERNEL_CHAIN,
			.flags = LBRSCOPE_OFFCPU_BY_INTERRUPT });
	struct ring_offcpu offcpu;

	(void)state;
	memcpy(o + 1, words, sizeof(words));
	o->time = 99;
	o->off = 7;
	o->pid = 1;
	o->tid = 2;
	o->waker_pid = 3;
	o->waker_tid = 4;
	o->state = 'D';
	assert_int_equal(ring_reader_time(&o->rec), 99);
	assert_int_equal(ring_reader_offcpu(&reader, &o->rec, &offcpu), 0);
	assert_int_equal(offcpu.at.time, 99);
	assert_int_equal(offcpu.off, 7);
	assert_int_equal(offcpu.at.pid, 1);
	assert_int_equal(offcpu.at.tid, 2);
	assert_int_equal(offcpu.waker_pid, 3);
	assert_int_equal(offcpu.waker_tid, 4);
	assert_int_equal(offcpu.state, 'D');
	assert_true(offcpu.by_interrupt);
	assert_int_equal(offcpu.at.user_ip, 0x2000);
	assert_int_equal(offcpu.at.from[1], 12);
	assert_int_equal(offcpu.at.to[0], 21);
	assert_int_equal(offcpu.at.nr_chain, 3);
	assert_int_equal(offcpu.at.chain[2], 33);
	/* An invalid state is printed as '?'. */
	o->state = '\n';
	assert_int_equal(ring_reader_offcpu(&reader, &o->rec, &offcpu), 0);
	assert_int_equal(offcpu.state, '?');
}

static void test_offcpu_callers(void **state)
{
	struct lbrscope_offcpu *o = memory_ring_put(&memory,
		(struct lbrscope_record){ .size = sizeof(*o) + 8 * 4,
			.type = LBRSCOPE_RECORD_OFFCPU,
			.format = LBRSCOPE_FORMAT_USER_IP | LBRSCOPE_FORMAT_USER_CHAIN });
	uint64_t *words = (uint64_t *)(o + 1);
	struct lbrscope_user_chain *chain = (void *)(words + 1);
	struct ring_offcpu offcpu;

	(void)state;
	words[0] = 0x2000;
	*chain = (struct lbrscope_user_chain){ .nr = 2, .end = LBRSCOPE_CHAIN_MEMORY, .generation = 77 };
	words[2] = 0x2100;
	words[3] = 0x2200;
	assert_int_equal(ring_reader_offcpu(&reader, &o->rec, &offcpu), 0);
	assert_int_equal(offcpu.at.callers->nr, 2);
	assert_int_equal(offcpu.at.callers->end, LBRSCOPE_CHAIN_MEMORY);
	assert_int_equal(offcpu.at.callers->generation, 77);
	assert_memory_equal(offcpu.at.callers + 1, words + 2, 16);
	chain->nr = 3;
	assert_int_equal(ring_reader_offcpu(&reader, &o->rec, &offcpu), -EPROTO);
	o->rec.size = sizeof(*o) + 8;
	assert_int_equal(ring_reader_offcpu(&reader, &o->rec, &offcpu), -EPROTO);
	o->rec.format = LBRSCOPE_FORMAT_USER_IP;
	assert_int_equal(ring_reader_offcpu(&reader, &o->rec, &offcpu), 0);
	assert_null(offcpu.at.callers);
}

static void test_offcpu_shorter_than_its_format_is_refused(void **state)
{
	struct lbrscope_offcpu *o = memory_ring_put(&memory,
		(struct lbrscope_record){ .size = sizeof(*o) + 8 * 8,
			.type = LBRSCOPE_RECORD_OFFCPU,
			.format = LBRSCOPE_FORMAT_KERNEL_CHAIN });
	uint64_t *nr = (uint64_t *)(o + 1);
	struct ring_offcpu offcpu;

	(void)state;
	*nr = 7;
	assert_int_equal(ring_reader_offcpu(&reader, &o->rec, &offcpu), 0);
	*nr = 8;
	assert_int_equal(ring_reader_offcpu(&reader, &o->rec, &offcpu), -EPROTO);
	*nr = -1ULL;
	assert_int_equal(ring_reader_offcpu(&reader, &o->rec, &offcpu), -EPROTO);
	o->rec.size = sizeof(*o) + 8 * (2 + LBRSCOPE_KERNEL_CHAIN_MAX);
	*nr = LBRSCOPE_KERNEL_CHAIN_MAX + 1;
	assert_int_equal(ring_reader_offcpu(&reader, &o->rec, &offcpu), -EPROTO);
	o->rec.size = sizeof(*o);
	assert_int_equal(ring_reader_offcpu(&reader, &o->rec, &offcpu), -EPROTO);
	o->rec.size = sizeof(*o) - 8;
	assert_int_equal(ring_reader_offcpu(&reader, &o->rec, &offcpu), -EPROTO);
	assert_int_equal(ring_reader_time(&o->rec), 0);
}

static void test_budget_fields(void **state)
{
	struct lbrscope_budget *b = memory_ring_put(&memory,
		(struct lbrscope_record){ .size = sizeof(*b),
			.type = LBRSCOPE_RECORD_BUDGET });
	struct ring_budget budget;

	(void)state;
	b->time = 99;
	b->stretch = 1100;
	b->share = 12;
	b->left_out = 3;
	assert_int_equal(ring_reader_time(&b->rec), 99);
	assert_int_equal(ring_reader_budget(&b->rec, &budget), 0);
	assert_int_equal(budget.time, 99);
	assert_int_equal(budget.stretch, 1100);
	assert_int_equal(budget.share, 12);
	assert_int_equal(budget.left_out, 3);
	b->rec.size -= 8;
	assert_int_equal(ring_reader_time(&b->rec), 0);
	assert_int_equal(ring_reader_budget(&b->rec, &budget), -EPROTO);
}

static void test_a_trigger_has_a_value_first(void **state)
{
	struct lbrscope_trigger *trigger;
	struct ring_trigger got;
	uint64_t *words;

	(void)state;
	trigger = memory_ring_put(&memory, (struct lbrscope_record){
		.size = sizeof(*trigger) + 4 * 8,
		.type = LBRSCOPE_RECORD_TRIGGER, .event = 5, .nr = 1,
		.format = LBRSCOPE_FORMAT_TASK | LBRSCOPE_FORMAT_USER_IP |
			  LBRSCOPE_FORMAT_LBR_FROM | LBRSCOPE_FORMAT_LBR_TO });
	trigger->sample.time = 77;
	trigger->value = 88;
	words = (uint64_t *)(trigger + 1);
	words[0] = 0x500000006;
	words[1] = 1;
	words[2] = 2;
	words[3] = 3;
	assert_int_equal(ring_reader_time(&trigger->sample.rec), 77);
	assert_int_equal(ring_reader_trigger(&reader, &trigger->sample.rec, &got), 0);
	assert_int_equal(got.value, 88);
	assert_int_equal(got.at.time, 77);
	assert_int_equal(got.at.event, 5);
	assert_int_equal(got.at.pid, 5);
	assert_int_equal(got.at.tid, 6);
	assert_int_equal(got.at.user_ip, 1);
	assert_int_equal(got.at.from[0], 2);
	assert_int_equal(got.at.to[0], 3);
	trigger->sample.rec.format &= ~LBRSCOPE_FORMAT_TASK;
	assert_int_equal(ring_reader_trigger(&reader, &trigger->sample.rec, &got),
			 -EPROTO);
	trigger->sample.rec.format |= LBRSCOPE_FORMAT_TASK;
	trigger->sample.rec.size -= 8;
	assert_int_equal(ring_reader_trigger(&reader, &trigger->sample.rec, &got),
			 -EPROTO);
	trigger->sample.rec.size = sizeof(struct lbrscope_sample);
	assert_int_equal(ring_reader_trigger(&reader, &trigger->sample.rec, &got),
			 -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_sample_fields),
		TEST(test_sample_of_the_kernel_has_the_user_ip_first),
		TEST(test_what_was_requested),
		TEST(test_lengths_that_cannot_be_are_refused),
		TEST(test_a_field_of_a_later_version_is_left_alone),
		TEST(test_samples_shorter_than_their_format_are_refused),
		TEST(test_offcpu_fields),
		TEST(test_offcpu_callers),
		TEST(test_offcpu_shorter_than_its_format_is_refused),
		TEST(test_budget_fields),
		TEST(test_a_trigger_has_a_value_first),
	};

	return cmocka_run_group_tests_name("ring_fields", tests, NULL, NULL);
}
