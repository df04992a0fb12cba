// SPDX-License-Identifier: GPL-2.0
/* The JSON writer: commas, escapes, numbers, and misuse that it refuses. */
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "base/json.h"

/* The text that is written between start() and finish(). */
static char *text;
static size_t size;
static struct json json;

static struct json *start(void)
{
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	json = json_to(out);
	return &json;
}

static void finish(const char *want)
{
	assert_int_equal(fclose(json.out), 0);
	assert_string_equal(text, want);
	free(text);
}

static void test_nesting(void **state)
{
	struct json *j = start();

	(void)state;
	json_head(j, "test");
	json_array(j, "empty");
	json_close(j);
	json_array(j, "list");
	json_unsigned(j, NULL, 1);
	json_array(j, NULL);
	json_signed(j, NULL, -1);
	json_null(j, NULL);
	json_close(j);
	json_object(j, NULL);
	json_bool(j, "yes", true);
	json_bool(j, "no", false);
	json_close(j);
	json_close(j);
	json_string_open(j, "raw");
	fputs("AAAA", j->out);
	json_string_close(j);
	json_text(j, "last", NULL);
	json_close(j);
	json_end(j);
	finish("{\"version\":1,\"verb\":\"test\",\"empty\":[],\"list\":[1,[-1,null],"
	       "{\"yes\":true,\"no\":false}],\"raw\":\"AAAA\",\"last\":null}\n");
}

static void test_lines(void **state)
{
	struct json *j = start();

	(void)state;
	json_array(j, NULL);
	for (int i = 0; i < 2; i++) {
		json_line(j);
		json_unsigned(j, NULL, i);
	}
	/* No element follows: no line. */
	json_line(j);
	json_close(j);
	finish("[\n0,\n1]");
}

static void test_texts(void **state)
{
	struct json *j = start();

	(void)state;
	json_object(j, NULL);
	json_text(j, "a\"b", "\" \\ / \n \x1f <b> \x7f");
	json_text(j, "utf8", "\xc3\xa9\xf0\x9f\x94\xa5");
	json_text(j, "not", "\xff\xc3(\xe2\x82");
	json_close(j);
	finish("{\"a\\u0022b\":\"\\u0022 \\u005c / \\u000a \\u001f \\u003cb> \x7f\","
	       "\"utf8\":\"\xc3\xa9\xf0\x9f\x94\xa5\",\"not\":\"\\ufffd\\ufffd(\\ufffd\\ufffd\"}");
}

static void test_numbers(void **state)
{
	struct json *j = start();

	(void)state;
	json_array(j, NULL);
	json_unsigned(j, NULL, UINT64_MAX);
	json_signed(j, NULL, INT64_MIN);
	json_hex(j, NULL, 0);
	json_hex(j, NULL, UINT64_MAX);
	json_fixed(j, NULL, 0.5, 6);
	json_fixed(j, NULL, -2.0 / 3, 2);
	json_fixed(j, NULL, NAN, 2);
	json_real(j, NULL, INFINITY, 6);
	json_real(j, NULL, 2.0 / 3, 6);
	json_real(j, NULL, 3, 6);
	json_real(j, NULL, 0.1, JSON_EXACT);
	json_real(j, NULL, 1e9 / 997, JSON_EXACT);
	json_real(j, NULL, 500000, JSON_EXACT);
	json_real(j, NULL, 1e300, JSON_EXACT);
	json_close(j);
	finish("[18446744073709551615,-9223372036854775808,\"0x0\",\"0xffffffffffffffff\","
	       "0.500000,-0.67,null,null,0.666667,3,0.1,1003009.0270812437,500000,1e+300]");
}

/* JSON_EXACT: every value is read back as it was, without superfluous digits. */
static void test_exact(void **state)
{
	uint64_t bits = 88172645463325252;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		double value, back;

		/* xorshift64: Marsaglia, "Xorshift RNGs" */
		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&value, &bits, sizeof(value));
		if (!isfinite(value))
			continue;
		json_real(start(), NULL, value, JSON_EXACT);
		assert_int_equal(fclose(json.out), 0);
		back = strtod(text, NULL);
		assert_memory_equal(&back, &value, sizeof(value));
		free(text);
	}
}

static void key_in_array(struct json *j)
{
	json_array(j, NULL);
	json_null(j, "key");
}

static void no_key_in_object(struct json *j)
{
	json_object(j, NULL);
	json_null(j, NULL);
}

static void closed_twice(struct json *j)
{
	json_array(j, NULL);
	json_close(j);
	json_close(j);
}

static void left_open(struct json *j)
{
	json_array(j, NULL);
	json_end(j);
}

static void too_deep(struct json *j)
{
	for (int i = 0; i <= JSON_LEVELS; i++)
		json_array(j, NULL);
}

static void test_misuse(void **state)
{
	void (*const misuses[])(struct json *j) = {
		key_in_array, no_key_in_object, closed_twice, left_open, too_deep,
	};

	(void)state;
	for (size_t i = 0; i < NR(misuses); i++) {
		int status;
		pid_t child = fork();

		assert_true(child >= 0);
		if (!child) {
			signal(SIGABRT, SIG_DFL);
			fclose(stderr);
			misuses[i](start());
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_misuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
