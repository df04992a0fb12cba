// SPDX-License-Identifier: GPL-2.0
/* Attempts to deliver a body, with exponential back-off. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "push/delivery.h"

#define SECOND		1000000000ULL	/* ns */
#define DELAY_FIRST	(SECOND / 2)
#define DELAY_MAX	(30 * SECOND)

static void pause_for(uint64_t ns)
{
	struct timespec ts = { .tv_sec = ns / SECOND, .tv_nsec = ns % SECOND };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

/* Half of the delay, and a random part of the other half: many senders that failed at once do not
 * come again at once. */
static uint64_t jitter(uint64_t delay)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = clock_ns(CLOCK_MONOTONIC);
	return delay / 2 + random % (delay / 2);
}

static int refused(const struct target *t, const char *file, const struct http_answer *a)
{
	const char *text = a->body;

	if (!a->status)
		return err_fail("%s: not sent to %s: %s", file, t->url, a->error);
	while (*text == ' ' || *text == '\n')
		text++;
	return err_fail("%s: not sent: %s answered %ld%s%s%s", file, t->url, a->status,
			a->status / 100 == 3 ? " (redirects are not followed)" : "",
			*text ? ": " : "", text);
}

int delivery_send(const struct target *t, const struct http_body *body, const char *file,
		  uint64_t *patience, struct http_answer *a)
{
	uint64_t delay = DELAY_FIRST, begin, wait, spent;

	for (;; delay = delay * 2 < DELAY_MAX ? delay * 2 : DELAY_MAX) {
		begin = clock_ns(CLOCK_MONOTONIC);
		http_post(t, body, a);
		if (a->status / 100 == 2)
			return 0;
		wait = jitter(delay);
		wait = wait > a->retry_after ? wait : a->retry_after;
		spent = clock_ns(CLOCK_MONOTONIC) - begin;
		*patience = spent < *patience ? *patience - spent : 0;
		if (!a->again || wait >= *patience)
			return refused(t, file, a);
		pause_for(wait);
		*patience -= wait;
	}
}
