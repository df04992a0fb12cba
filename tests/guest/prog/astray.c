// SPDX-License-Identifier: GPL-2.0
/*
 * Sends itself signals whose handler is at an address that no instruction can have, and works
 * in the handler of the fault that follows.
 */
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#define NOWHERE	0x8000000000000000UL

static sigjmp_buf back;

static void on_fault(int sig)
{
	for (volatile int i = 0; i < 200000; i++)
		;
	siglongjmp(back, sig);
}

int main(void)
{
	struct sigaction fault = { .sa_handler = on_fault };
	struct sigaction nowhere = { .sa_handler = (void (*)(int))NOWHERE };

	if (sigaction(SIGSEGV, &fault, NULL) || sigaction(SIGUSR1, &nowhere, NULL))
		return 1;
	for (volatile int i = 0; i < 20; i++)
		if (!sigsetjmp(back, 1))
			raise(SIGUSR1);
	return 0;
}
