/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of a C library that these programs need, since they have none. */
#ifndef BENCH_CALL_H
#define BENCH_CALL_H

enum call_which {
	CALL_READ = 0,
	CALL_WRITE = 1,
	CALL_PIPE = 22,
	CALL_GETPID = 39,
	CALL_FORK = 57,
	CALL_EXIT = 60,
	CALL_KILL = 62,
	CALL_SCHED_SETSCHEDULER = 144,
};

#define CALL_SCHED_FIFO	1
#define CALL_SIGSTOP	19

static inline long call(enum call_which number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall" : "=a" (result) : "a" (number), "D" (a), "S" (b), "d" (c)
			 : "rcx", "r11", "memory");
	return result;
}

__attribute__((noreturn)) static inline void call_exit(int status)
{
	call(CALL_EXIT, status, 0, 0);
	__builtin_unreachable();
}

/* Sets a real-time priority, which comes before all tasks without one. */
static inline void call_be_first(void)
{
	int priority = 1;

	if (call(CALL_SCHED_SETSCHEDULER, 0, CALL_SCHED_FIFO, (long)&priority))
		call_exit(1);
}

/* Decimal. */
static inline unsigned long call_number(const char *text)
{
	unsigned long value = 0;

	while (*text)
		value = 10 * value + (*text++ - '0');
	return value;
}

#endif
