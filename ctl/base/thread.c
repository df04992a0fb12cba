// SPDX-License-Identifier: GPL-2.0
/* Starts a thread. */
#include <signal.h>

#include "base/thread.h"

int thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(thread, NULL, run, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}
