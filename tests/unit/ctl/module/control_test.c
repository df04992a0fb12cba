// SPDX-License-Identifier: GPL-2.0
/* ctl/module/netlink.c: the text of an extended ack, from any bytes that follow an error. The
 * layout is that of struct nlmsgerr in <linux/netlink.h>. */
#include <linux/netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "module/netlink.h"

/* A kernel's answer: the error, the rest of the request, attributes. */
struct message {
	size_t len;
	unsigned char *bytes;
};

static void append(struct message *m, const void *bytes, size_t len)
{
	/* Exactly as long as its size, so that the sanitizer notices a read beyond it. */
	unsigned char *grown = malloc(m->len + len);

	if (m->len)
		memcpy(grown, m->bytes, m->len);
	memcpy(grown + m->len, bytes, len);
	free(m->bytes);
	m->bytes = grown;
	m->len += len;
}

static void attribute(struct message *m, uint16_t type, const char *text,
		      uint16_t len)
{
	struct nlattr head = { .nla_len = NLA_HDRLEN + len, .nla_type = type };

	append(m, &head, sizeof(head));
	append(m, text, len);
	append(m, "\0\0\0", NLA_ALIGN(len) - len);
}

static struct message error(uint32_t request_len, size_t echoed)
{
	struct nlmsgerr err = { .error = -16,
				.msg = { .nlmsg_len = request_len } };
	char request[64] = "";
	struct message m = {};

	append(&m, &err, sizeof(err));
	append(&m, request, echoed);
	return m;
}

static const char *text_of(struct message m, uint16_t flags)
{
	static char text[32];

	memset(text, 'x', sizeof(text));
	control_extack_text((struct nlmsgerr *)m.bytes, m.len, flags, text,
			    sizeof(text));
	free(m.bytes);
	return text;
}

#define TLVS	NLM_F_ACK_TLVS
#define CAPPED	(NLM_F_ACK_TLVS | NLM_F_CAPPED)

static void test_after_a_capped_request(void **state)
{
	struct message m = error(4096, 0);
	uint32_t offset = 24;

	(void)state;
	attribute(&m, NLMSGERR_ATTR_OFFS, (char *)&offset, sizeof(offset));
	attribute(&m, NLMSGERR_ATTR_MSG, "taken", 6);
	assert_string_equal(text_of(m, CAPPED), "taken");
}

static void test_after_an_echoed_request(void **state)
{
	struct message m = error(NLMSG_HDRLEN + 21, 24);

	(void)state;
	attribute(&m, NLMSGERR_ATTR_MSG, "no", 3);
	assert_string_equal(text_of(m, TLVS), "no");
}

static void test_without_one(void **state)
{
	(void)state;
	assert_string_equal(text_of(error(NLMSG_HDRLEN, 0), 0), "");
	assert_string_equal(text_of(error(NLMSG_HDRLEN, 0), CAPPED), "");
	assert_string_equal(text_of(error(NLMSG_HDRLEN, 0), TLVS), "");
}

static void test_a_text_that_is_not_ended_and_too_long(void **state)
{
	struct message m = error(0, 0);
	char longer[100];

	(void)state;
	memset(longer, 'a', sizeof(longer));
	attribute(&m, NLMSGERR_ATTR_MSG, longer, sizeof(longer));
	assert_int_equal(strlen(text_of(m, CAPPED)), 31);
}

static void test_lengths_that_cannot_be(void **state)
{
	struct message m;
	struct nlattr bad = { .nla_len = 0, .nla_type = NLMSGERR_ATTR_MSG };
	uint16_t len;

	(void)state;
	for (len = 0; len < 200; len += len < 8 ? 1 : 64) {
		if (len == NLA_HDRLEN)
			continue;
		m = error(0, 0);
		bad.nla_len = len;
		append(&m, &bad, sizeof(bad));
		assert_string_equal(text_of(m, CAPPED), "");
	}
	/* A request that claims to be longer than the message, or than any. */
	m = error(4096, 8);
	assert_string_equal(text_of(m, TLVS), "");
	m = error(-1U, 8);
	assert_string_equal(text_of(m, TLVS), "");
	m = error(3, 8);
	assert_string_equal(text_of(m, TLVS), "");
}

static void test_without_the_module(void **state)
{
	struct control control;

	(void)state;
	if (!control_open(&control)) {
		control_close(&control);
		skip();		/* it is loaded here */
	}
	assert_int_equal(control_open(&control), -2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_after_a_capped_request),
		cmocka_unit_test(test_after_an_echoed_request),
		cmocka_unit_test(test_without_one),
		cmocka_unit_test(test_a_text_that_is_not_ended_and_too_long),
		cmocka_unit_test(test_lengths_that_cannot_be),
		cmocka_unit_test(test_without_the_module),
	};

	return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
