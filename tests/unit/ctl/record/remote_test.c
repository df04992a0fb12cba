// SPDX-License-Identifier: GPL-2.0
/* ctl/record/remote.c: commands from a pipe, whole and in parts, valid and not. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/remote.h"
#include "test.h"

struct pipes {
	struct remote remote;
	int commands, acks;	/* the controller's ends */
};

static int setup(void **state)
{
	static struct pipes p;
	static char text[32];
	int commands[2], acks[2];

	if (pipe(commands) || pipe(acks))
		return -1;
	snprintf(text, sizeof(text), "fd:%d,%d", commands[0], acks[1]);
	p.commands = commands[1];
	p.acks = acks[0];
	*state = &p;
	return !remote_parse(&p.remote, text) || remote_open(&p.remote);
}

static void say(const struct pipes *p, const char *text)
{
	assert_int_equal(write(p->commands, text, strlen(text)), strlen(text));
}

static void test_grammar(void **state)
{
	static const char *const bad[] = { "", "fd", "fd:", "fd:x", "fd:-1", "fd:1x", "fd:1,",
		"fd:1,y", "fifo:", "fifo:a,", "fifo", "pipe:3", "3", "fd:99999999999" };
	struct remote r;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_false(remote_parse(&r, bad[i]));
		remote_close(&r);
	}
	assert_true(remote_parse(&r, "fd:7"));
	assert_int_equal(r.commands, 7);
	assert_int_equal(r.acks, -1);
	assert_true(remote_parse(&r, "fd:7,8"));
	assert_int_equal(r.acks, 8);
	assert_true(remote_parse(&r, "fifo:a,b"));
	assert_string_equal(r.fifos[0], "a");
	assert_string_equal(r.fifos[1], "b");
	remote_close(&r);
}

static void test_commands(void **state)
{
	struct pipes *p = *state;

	assert_int_equal(remote_next(&p->remote), REMOTE_NONE);
	say(p, "ena");
	assert_int_equal(remote_next(&p->remote), REMOTE_NONE);
	say(p, "ble\ndisable\nsnapshot\nping\nst");
	assert_int_equal(remote_next(&p->remote), REMOTE_ENABLE);
	assert_int_equal(remote_next(&p->remote), REMOTE_DISABLE);
	assert_int_equal(remote_next(&p->remote), REMOTE_SNAPSHOT);
	assert_int_equal(remote_next(&p->remote), REMOTE_PING);
	assert_int_equal(remote_next(&p->remote), REMOTE_NONE);
	say(p, "op\n");
	assert_int_equal(remote_next(&p->remote), REMOTE_STOP);
}

/* What is no command changes nothing for those behind it. */
static void test_nonsense(void **state)
{
	struct pipes *p = *state;

	say(p, "enabled\n\nENABLE\nstop \n");
	for (int i = 0; i < 100; i++)
		say(p, "enable");
	say(p, "\nping\n");
	assert_int_equal(remote_next(&p->remote), REMOTE_PING);
	assert_int_equal(remote_next(&p->remote), REMOTE_NONE);
}

/* A controller that never ends its line must not hold the recorder. */
static void test_endless(void **state)
{
	struct pipes *p = *state;
	int zero = open("/dev/zero", O_RDONLY);

	assert_true(zero >= 0);
	assert_int_equal(dup2(zero, p->remote.commands), p->remote.commands);
	close(zero);
	assert_int_equal(remote_next(&p->remote), REMOTE_NONE);
}

static void test_acks(void **state)
{
	struct pipes *p = *state;
	char said[16] = "";

	remote_ack(&p->remote);
	assert_int_equal(read(p->acks, said, sizeof(said)), 4);
	assert_string_equal(said, "ack\n");
	/* Neither a full pipe nor a missing reader stops the recorder. */
	for (int i = 0; i < 100000; i++)
		remote_ack(&p->remote);
	close(p->acks);
	remote_ack(&p->remote);
	remote_ack(&p->remote);
}

static void test_end(void **state)
{
	struct pipes *p = *state;

	say(p, "ping\nsto");
	close(p->commands);
	assert_int_equal(remote_next(&p->remote), REMOTE_PING);
	assert_int_equal(remote_next(&p->remote), REMOTE_NONE);
	assert_int_equal(p->remote.commands, -1);
}

static void test_refused(void **state)
{
	struct pipes *p = *state;
	char text[32];
	struct remote r;

	snprintf(text, sizeof(text), "fd:%d", p->commands);
	assert_true(remote_parse(&r, text));
	assert_int_equal(remote_open(&r), -1);	/* open for writing */
	assert_true(remote_parse(&r, "fd:999"));
	assert_int_equal(remote_open(&r), -1);
	assert_true(remote_parse(&r, "fifo:/dev/null"));
	assert_int_equal(remote_open(&r), -1);
	remote_close(&r);
	assert_true(remote_parse(&r, "fifo:/nonexistent"));
	assert_int_equal(remote_open(&r), -1);
	remote_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grammar),
		cmocka_unit_test_setup(test_commands, setup),
		cmocka_unit_test_setup(test_nonsense, setup),
		cmocka_unit_test_setup(test_endless, setup),
		cmocka_unit_test_setup(test_acks, setup),
		cmocka_unit_test_setup(test_end, setup),
		cmocka_unit_test_setup(test_refused, setup),
	};

	return cmocka_run_group_tests_name("ctl/remote", tests, NULL, NULL);
}
