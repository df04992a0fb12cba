// SPDX-License-Identifier: GPL-2.0
/*
 * xswitch PROCESSES ROUNDS: processes that each keep a state of their own in
 * x87, SSE, AVX and PKRU registers, across preemption, sched_yield(), signals whose
 * handlers have yet another state, and fork(); none may ever see another's.
 *
 * Between the loading of the registers and their storing there is assembler only.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "xsave.h"

#define STACK (1 << 16)

static volatile sig_atomic_t signals, bad_signals;
static unsigned int handler_seed;

/* Loads in, makes the system call nr repeatedly with spins in between, and stores. */
static __attribute__((noinline)) long keep(const struct state *in, long times, long nr,
					   struct state *out)
{
	register const void *rdi asm("rdi") = in;
	register long r8 asm("r8") = times;
	register void *r9 asm("r9") = out;
	register long r10 asm("r10") = nr;
	register long result asm("rbx") = 0;

	asm volatile(LOAD_STATE
		     "mov %%rdi, %%r12\n"
		     "1: mov $3000, %%ecx\n 2: dec %%ecx\n jnz 2b\n"
		     "mov %%r10, %%rax\n test %%rax, %%rax\n js 3f\n"
		     "xor %%edi, %%edi\n cmp %[clone], %%rax\n jne 4f\n"
		     "mov $17, %%edi\n xor %%esi, %%esi\n xor %%edx, %%edx\n"
		     "push %%r8\n push %%r10\n xor %%r8d, %%r8d\n xor %%r10d, %%r10d\n"
		     "syscall\n pop %%r10\n pop %%r8\n jmp 5f\n"
		     "4: syscall\n"
		     "5: mov %%rax, %%rbx\n"
		     "3: dec %%r8\n jnz 1b\n"
		     "mov %%r12, %%rdi\n"
		     STORE_STATE
		     : "+r" (rdi), "+r" (r8), "+r" (r9), "+r" (r10), "+r" (result)
		     : [clone] "i" (SYS_clone)
		     : "r12", "rsi", STATE_CLOBBERS);
	return result;
}

static void on_signal(int signal)
{
	struct state mine, seen;

	(void)signal;
	/* Often nothing is in use, so that the kernel has INIT states to restore. */
	if (signals++ & 1)
		state_init(&mine);
	else
		state_fill(&mine, handler_seed + signals);
	keep(&mine, 1, signals & 2 ? SYS_sched_yield : -1, &seen);
	bad_signals |= state_differs(&mine, &seen);
}

/* A child starts with what its parent had in the registers. */
static int forked(const struct state *mine)
{
	struct state seen;
	int status;
	/* PKRU comes along as well; MXCSR and x87 too. */
	long pid = keep(mine, 1, SYS_clone, &seen);

	if (pid == 0)
		_exit(state_differs(mine, &seen));
	return state_differs(mine, &seen) || pid < 0 || waitpid(pid, &status, 0) != pid || status;
}

static int one(unsigned int seed, unsigned long rounds)
{
	struct itimerval timer = { { 0, 1700 + seed * 100 }, { 0, 1000 } };
	unsigned long round;
	stack_t stack = { .ss_sp = malloc(STACK), .ss_size = STACK };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK };
	struct state mine, seen;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	handler_seed = seed + 100;
	sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (round = 0; round < rounds; round++) {
		state_fill(&mine, seed + round);
		if (round % 5 == 4)
			memset(mine.ymm[3], 0, sizeof(mine.ymm[3]));
		if (round % 7 == 6)
			state_init(&mine);
		keep(&mine, 1 + round % 5, round & 1 ? SYS_sched_yield : -1, &seen);
		if (state_differs(&mine, &seen)) {
			printf("# process %u: round %lu\n", seed, round);
			return 1;
		}
		if (round % 64 == 63 && forked(&mine)) {
			printf("# process %u: a fork in round %lu\n", seed, round);
			return 1;
		}
	}
	printf("# process %u: %d signals\n", seed, (int)signals);
	if (bad_signals)
		printf("# process %u: a handler's state changed\n", seed);
	return bad_signals || signals < 5;
}

int main(int argc, char **argv)
{
	int i, status, failed = 0, processes = argc > 2 ? atoi(argv[1]) : 4;
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 0) : 1000;

	for (i = 0; i < processes; i++) {
		fflush(stdout);
		if (fork() == 0) {
			status = one(i * 17 + 1, rounds);
			fflush(stdout);
			_exit(status);
		}
	}
	while (wait(&status) > 0)
		failed |= status != 0;
	printf("%s - %d processes keep their extended states apart\n",
	       failed ? "not ok" : "ok", processes);
	return failed;
}
