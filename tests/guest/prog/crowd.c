// SPDX-License-Identifier: GPL-2.0
/*
 * Many threads whose requests are refused at the same time, each with a different text of a
 * different length. Every thread checks that it receives its own text.
 *
 *   crowd THREADS ROUNDS
 */
#include <linux/lbrscope.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "protocol.h"

static unsigned long rounds;
static pthread_barrier_t ready;
static atomic_ulong refused, foreign, missing;
static pthread_mutex_t example_lock = PTHREAD_MUTEX_INITIALIZER;
static char example[600];

/* Each thread has numbers of its own, which no process has (pid_max is 2^22). */
static uint32_t absent(unsigned long thread, unsigned long round)
{
	return 5000000 + 1000000 * (uint32_t)(thread % 1000) + (uint32_t)(round % 1000000);
}

/*
 * The memory of an answer comes in few sizes. A list of CPUs gives the requests of each thread
 * another length. The answers contain the requests, so that on each kernel there are threads
 * whose answer has room for the short text and none for the long one.
 */
static void put_padding(unsigned long thread)
{
	char cpus[400];
	size_t len = 40 + 8 * (thread % 40);
	size_t i;

	for (i = 0; i < len; i++)
		cpus[i] = i % 2 ? ',' : '0';
	cpus[len - 1] = 0;
	put(LBRSCOPE_SESSION_A_CPUS, cpus, len);
}

/* Three texts of some 30, 30 and 85 bytes, in another order for each thread. */
static void ask(int fd, unsigned long thread, unsigned long round, char *want)
{
	uint32_t nr = absent(thread, round);

	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(INSTRUCTIONS_U, 100003);
	put_padding(thread);
	switch ((thread + round) % 3) {
	case 0:
		put32(LBRSCOPE_SESSION_A_TARGET_TIDS, nr);
		sprintf(want, "there is no thread %u", nr);
		break;
	case 1:
		put32(LBRSCOPE_SESSION_A_TARGET_PIDS, nr);
		sprintf(want, "there is no process %u", nr);
		break;
	default:
		/* kthreadd */
		put32(LBRSCOPE_SESSION_A_TARGET_TIDS, 2);
		sprintf(want, "2 is a");
	}
}

static void check(const char *want)
{
	refused += reply_errno != 0;
	if (!reply_text[0])
		missing++;
	if (!strncmp(reply_text, want, strlen(want)))
		return;
	foreign++;
	pthread_mutex_lock(&example_lock);
	if (!example[0])
		snprintf(example, sizeof(example), "want: %s\n# got:  %s", want, reply_text);
	pthread_mutex_unlock(&example_lock);
}

static void *be_refused(void *arg)
{
	unsigned long thread = (unsigned long)arg, round;
	char want[100];
	int fd, off = 0;

	if (connect_family())
		exit(1);
	setsockopt(sock, SOL_NETLINK, NETLINK_CAP_ACK, &off, sizeof(off));
	fd = device();
	pthread_barrier_wait(&ready);
	for (round = 0; round < rounds; round++) {
		ask(fd, thread, round, want);
		talk();
		check(want);
	}
	close(fd);
	close(sock);
	return NULL;
}

static void verdict(const char *what, unsigned long bad)
{
	printf("%sok - %s\n", bad ? "not " : "", what);
	if (bad)
		printf("# %lu of %lu; %s\n", bad, (unsigned long)refused, example);
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 2 ? strtoul(argv[1], NULL, 0) : 0, i;
	pthread_t *threads = calloc(nr, sizeof(*threads));

	if (!nr || !threads)
		return 2;
	rounds = strtoul(argv[2], NULL, 0);
	pthread_barrier_init(&ready, NULL, nr);
	for (i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, be_refused, (void *)i))
			return 2;
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	verdict("requests at the same time are refused, each", nr * rounds - refused);
	verdict("each refusal has a text", missing);
	verdict("each refusal has the text of its own request", foreign);
	return missing || foreign || refused != nr * rounds;
}
