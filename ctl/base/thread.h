/* SPDX-License-Identifier: GPL-2.0 */
/* Starts a thread. */
#ifndef LBRCTL_BASE_THREAD_H
#define LBRCTL_BASE_THREAD_H

#include <pthread.h>

/* Starts a thread that takes no signals: these are for the thread that waits for them. Returns 0, or
 * an errno. */
int thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx);

#endif
