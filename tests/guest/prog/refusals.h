/* SPDX-License-Identifier: GPL-2.0 */
/* Requests that the module must refuse, with a reason: for client.c. */
/* Requests of one event with a period and one wrong attribute. */
static void refusals_of_set(int fd)
{
	static const struct {
		const char *what;
		uint64_t config, period;
		int err;
	} events[] = {
		{ "period 0", INSTRUCTIONS_U, 0, ERANGE },
		{ "period 1", INSTRUCTIONS_U, 1, ERANGE },
		{ "period 2^31", INSTRUCTIONS_U, 1ULL << 31, ERANGE },
		{ "period 2^64 - 1", INSTRUCTIONS_U, ~0ULL, ERANGE },
		{ "neither USR nor OS", 0xc0, 100003, EINVAL },
		{ "INT", INSTRUCTIONS_U | 1 << 20, 100003, EINVAL },
		{ "EN", INSTRUCTIONS_U | 1 << 22, 100003, EINVAL },
		{ "PC", INSTRUCTIONS_U | 1 << 19, 100003, EINVAL },
		{ "bits above 32", INSTRUCTIONS_U | 1ULL << 33, 100003, EINVAL },
	};
	static const struct {
		const char *what;
		uint16_t type;
		uint32_t value;
		int err;
	} extras[] = {
		{ "an unknown branch mode", LBRSCOPE_SESSION_A_BRANCHES, 99, ERANGE },
		{ "target pid 0", LBRSCOPE_SESSION_A_TARGET_PIDS, 0, ESRCH },
		{ "a target pid that is not there", LBRSCOPE_SESSION_A_TARGET_PIDS, 4000000, ESRCH },
		{ "target pid 2^32 - 1", LBRSCOPE_SESSION_A_TARGET_PIDS, ~0U, ESRCH },
		{ "a target thread that is not there", LBRSCOPE_SESSION_A_TARGET_TIDS, 4000000,
		  ESRCH },
		{ "a kernel thread", LBRSCOPE_SESSION_A_TARGET_TIDS, 2, EINVAL },
		{ "a cgroup that is not open", LBRSCOPE_SESSION_A_TARGET_CGROUP, 9999, EBADF },
		{ "a descriptor that is no cgroup", LBRSCOPE_SESSION_A_TARGET_CGROUP, 0, EBADF },
		{ "a ring of 0 bytes", LBRSCOPE_SESSION_A_RING_SIZE, 0, ERANGE },
		{ "a ring of 2^31 bytes", LBRSCOPE_SESSION_A_RING_SIZE, 1U << 31, ERANGE },
		{ "a ring that is no power of two", LBRSCOPE_SESSION_A_RING_SIZE, 65537, EINVAL },
		{ "a sample of something unknown", LBRSCOPE_SESSION_A_SAMPLE, 1U << 31, EINVAL },
		{ "a sample without addresses", LBRSCOPE_SESSION_A_SAMPLE,
		  LBRSCOPE_FORMAT_LBR_FROM, EINVAL },
		{ "a stack without registers", LBRSCOPE_SESSION_A_SAMPLE,
		  LBRSCOPE_FORMAT_USER_STACK, EINVAL },
		{ "a stack that was not asked for", LBRSCOPE_SESSION_A_USER_STACK, 8192, EINVAL },
		{ "a stack of 0 bytes", LBRSCOPE_SESSION_A_USER_STACK, 0, ERANGE },
		{ "a stack of 2^31 bytes", LBRSCOPE_SESSION_A_USER_STACK, 1U << 31, ERANGE },
		{ "0 branch entries", LBRSCOPE_SESSION_A_BRANCH_DEPTH, 0, ERANGE },
		{ "branch entries without branches", LBRSCOPE_SESSION_A_BRANCH_DEPTH, 1, EINVAL },
		{ "an unknown attribute", LBRSCOPE_SESSION_A_MAX + 1, 1, EINVAL },
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		begin(family, LBRSCOPE_CMD_SESSION_SET);
		put32(LBRSCOPE_SESSION_A_FD, fd);
		put_event(events[i].config, events[i].period);
		talk();
		refused(events[i].what, events[i].err);
	}
	for (size_t i = 0; i < sizeof(extras) / sizeof(extras[0]); i++) {
		begin(family, LBRSCOPE_CMD_SESSION_SET);
		put32(LBRSCOPE_SESSION_A_FD, fd);
		put_event(INSTRUCTIONS_U, 100003);
		put32(extras[i].type, extras[i].value);
		talk();
		refused(extras[i].what, extras[i].err);
	}
	begin_set(fd, 100003, false);
	put32(LBRSCOPE_SESSION_A_SAMPLE,
	      LBRSCOPE_FORMAT_USER_REGS | LBRSCOPE_FORMAT_USER_STACK);
	put32(LBRSCOPE_SESSION_A_USER_STACK, 1004);
	talk();
	refused("a stack that is no multiple of 8", EINVAL);
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	talk();
	refused("no event", EINVAL);
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put(LBRSCOPE_SESSION_A_EVENTS | NLA_F_NESTED, NULL, 0);
	talk();
	refused("an array of no events", EINVAL);
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put(LBRSCOPE_SESSION_A_EVENTS | NLA_F_NESTED, "\4\0\1\200", 4);
	talk();
	refused("an empty event", EINVAL);
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put(LBRSCOPE_SESSION_A_EVENTS | NLA_F_NESTED, "\377\377\377\377", 4);
	talk();
	refused("an event of garbage", EINVAL);
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put(LBRSCOPE_SESSION_A_FD, "\0", 1);
	talk();
	refused("a descriptor of one byte", EINVAL);
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(INSTRUCTIONS_U, 100003);
	put(LBRSCOPE_SESSION_A_ENABLE_ON_EXEC, NULL, 0);
	talk();
	refused("enable on exec without a target", EINVAL);
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(INSTRUCTIONS_U, 100003);
	put(LBRSCOPE_SESSION_A_BRANCH_RESET, NULL, 0);
	talk();
	refused("a reset of branches that are not recorded", EINVAL);
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(INSTRUCTIONS_U, 100003);
	put32(LBRSCOPE_SESSION_A_BRANCHES, LBRSCOPE_BRANCHES_HISTORY);
	put(LBRSCOPE_SESSION_A_BRANCH_CALLERS, NULL, 0);
	talk();
	refused("callers alone of a history", EINVAL);
	for (uint32_t rate = 0; rate < 2; rate++) {
		begin(family, LBRSCOPE_CMD_SESSION_SET);
		put32(LBRSCOPE_SESSION_A_FD, fd);
		put_offcpu(rate ? LBRSCOPE_OFFCPU_RATE_MAX + 1 : 0);
		talk();
		refused(rate ? "too many off-CPU records" : "no off-CPU records", ERANGE);
	}
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put(LBRSCOPE_SESSION_A_OFFCPU | NLA_F_NESTED, "\10\0\377\0\0\0\0\0", 8);
	talk();
	refused("something unknown of off-CPU", EINVAL);
}

/* Samples by a ratio: two events of one group, a third alone. -1: the attribute is absent. */
static void refusals_of_only(int fd)
{
	static const struct {
		const char *what;
		int64_t over, under, above, below, period;
		int err;
	} ratios[] = {
		{ "a ratio without a limit", 0, 1, -1, -1, 100003, EINVAL },
		{ "a ratio without its second event", 0, -1, 1, -1, 100003, EINVAL },
		{ "a limit without a ratio", -1, -1, 1, -1, 100003, EINVAL },
		{ "a ratio without samples", 0, 1, 1, -1, -1, EINVAL },
		{ "a ratio of an event to itself", 1, 1, 1, -1, 100003, EINVAL },
		{ "a ratio to an event of no group", 0, 2, 1, -1, 100003, EINVAL },
		{ "a ratio to an event that is not there", 0, 3, 1, -1, 100003, EINVAL },
		{ "a ratio to event 2^32 - 1", 0, 0xffffffff, 1, -1, 100003, ERANGE },
		{ "a ratio above 0", 0, 1, 0, -1, 100003, ERANGE },
		{ "a ratio below more than LBRSCOPE_ONLY_MAX", 0, 1, -1,
		  LBRSCOPE_ONLY_MAX + 1, 100003, ERANGE },
	};

	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		struct nlattr *array, *event;

		begin(family, LBRSCOPE_CMD_SESSION_SET);
		put32(LBRSCOPE_SESSION_A_FD, fd);
		array = nest_open(LBRSCOPE_SESSION_A_EVENTS);
		for (int k = 0; k < 3; k++) {
			event = nest_open(1 + k);
			put64(LBRSCOPE_EVENT_A_CONFIG, k ? BRANCHES_U : INSTRUCTIONS_U);
			if (k < 2)
				put32(LBRSCOPE_EVENT_A_GROUP, 7);
			if (!k && ratios[i].period >= 0)
				put64(LBRSCOPE_EVENT_A_PERIOD, ratios[i].period);
			if (!k && ratios[i].over >= 0)
				put32(LBRSCOPE_EVENT_A_ONLY_OVER, ratios[i].over);
			if (!k && ratios[i].under >= 0)
				put32(LBRSCOPE_EVENT_A_ONLY_UNDER, ratios[i].under);
			if (!k && ratios[i].above >= 0)
				put64(LBRSCOPE_EVENT_A_ONLY_ABOVE, ratios[i].above);
			if (!k && ratios[i].below >= 0)
				put64(LBRSCOPE_EVENT_A_ONLY_BELOW, ratios[i].below);
			nest_close(event);
		}
		nest_close(array);
		talk();
		refused(ratios[i].what, ratios[i].err);
	}
}

static void refusals_of_targets(int fd)
{
	static const uint32_t pids[LBRSCOPE_TARGETS_MAX + 1] = { 1 };
	static const struct {
		const char *what;
		uint16_t len, more;	/* bytes of TARGET_PIDS, of TARGET_TIDS */
		int err;
	} lists[] = {
		{ "no target pids", 0, 0, EINVAL },
		{ "one and a half target pids", 6, 0, EINVAL },
		{ "a target pid too many", sizeof(pids), 0, ERANGE },
		{ "a target of two kinds too many", sizeof(pids) - 4, 4, E2BIG },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		begin_set(fd, 100003, false);
		put(LBRSCOPE_SESSION_A_TARGET_PIDS, pids, lists[i].len);
		if (lists[i].more)
			put(LBRSCOPE_SESSION_A_TARGET_TIDS, pids, lists[i].more);
		talk();
		refused(lists[i].what, lists[i].err);
	}
	begin_set(fd, 100003, false);
	put32(LBRSCOPE_SESSION_A_TARGET_PIDS, 1);
	put32(LBRSCOPE_SESSION_A_TARGET_CGROUP, 0);
	talk();
	refused("a process and a cgroup", EINVAL);
}

static void refusals_of_order(int fd)
{
	command(LBRSCOPE_CMD_SESSION_START, 9999);
	refused("start of a descriptor that is not open", EBADF);
	command(LBRSCOPE_CMD_SESSION_START, sock);
	refused("start of a descriptor of something else", EBADF);
	command(LBRSCOPE_CMD_SESSION_START, fd);
	refused("start before it is configured", ENODATA);
	holds("no ring before it is configured",
	      mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == ENODEV);
	command(LBRSCOPE_CMD_SESSION_STOP, fd);
	refused("stop before it is started", EINVAL);
	begin(family, LBRSCOPE_CMD_SESSION_START);
	talk();
	refused("start of nothing", EINVAL);
	command(LBRSCOPE_CMD_SESSION_FREEZE, fd);
	refused("freezing what does not run", EINVAL);
}

static void refusals_of_maps(int fd)
{
	size_t whole = PAGE + LBRSCOPE_RING_SIZE_MIN;
	static const struct {
		const char *what;
		uint64_t offset;
		size_t length;
		int prot, flags, err;
	} maps[] = {
		{ "writable records", 0, PAGE + LBRSCOPE_RING_SIZE_MIN,
		  PROT_READ | PROT_WRITE, MAP_SHARED, EPERM },
		{ "executable records", 0, PAGE + LBRSCOPE_RING_SIZE_MIN,
		  PROT_READ | PROT_EXEC, MAP_SHARED, EPERM },
		{ "half a ring", 0, PAGE, PROT_READ, MAP_SHARED, EINVAL },
		{ "a ring and more", 0, 2 * PAGE + LBRSCOPE_RING_SIZE_MIN,
		  PROT_READ, MAP_SHARED, EINVAL },
		{ "an odd offset", PAGE, LBRSCOPE_RING_SIZE_MIN, PROT_READ, MAP_SHARED, EINVAL },
		{ "the ring of a CPU that cannot be", 4096ULL << 32, PAGE + LBRSCOPE_RING_SIZE_MIN,
		  PROT_READ, MAP_SHARED, ENXIO },
		{ "two pages of tail", 1ULL << 31, 2 * PAGE,
		  PROT_READ | PROT_WRITE, MAP_SHARED, EINVAL },
	};
	void *p;

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		bool good;

		p = mmap(NULL, maps[i].length, maps[i].prot, maps[i].flags, fd, maps[i].offset);
		good = p == MAP_FAILED && errno == maps[i].err;
		printf("%sok - not mapped: %s\n", good ? "" : "not ", maps[i].what);
		if (!good) {
			printf("# want: %s\n# got:  %s\n", strerror(maps[i].err),
			       p == MAP_FAILED ? strerror(errno) : "mapped");
			failed = 1;
		}
	}
	p = mmap(NULL, whole, PROT_READ, MAP_SHARED, fd, 0);
	holds("the ring of CPU 0 is mapped, whole", p != MAP_FAILED);
	if (p == MAP_FAILED)
		return;
	holds("records do not become writable later",
	      mprotect(p, whole, PROT_READ | PROT_WRITE) && errno == EACCES);
	holds("records do not become executable later",
	      mprotect(p, whole, PROT_READ | PROT_EXEC) && errno == EACCES);
	munmap(p, whole);
}

/* Events with samples, more than the CPU has counters. */
static void begin_too_many(int fd)
{
	struct nlattr *array, *event;
	int i;

	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	array = nest_open(LBRSCOPE_SESSION_A_EVENTS);
	for (i = 0; i < LBRSCOPE_EVENTS_MAX; i++) {
		event = nest_open(1);
		put64(LBRSCOPE_EVENT_A_CONFIG, BRANCHES_U);
		put64(LBRSCOPE_EVENT_A_PERIOD, 100003);
		nest_close(event);
	}
	nest_close(array);
}

/* A request that is refused for another reason is not checked against the counters. */
static void refusals_before_counters(int fd)
{
	begin_too_many(fd);
	talk();
	refused("more events with samples than counters", ENOSPC);
	begin_too_many(fd);
	put32(LBRSCOPE_SESSION_A_TARGET_PIDS, 4000000);
	talk();
	refused("the same of a process that is not there: for that", ESRCH);
	begin_too_many(fd);
	put(LBRSCOPE_SESSION_A_CPUS, "no CPU", sizeof("no CPU"));
	talk();
	refused("the same on what is no list of CPUs: for that", EINVAL);
}

static int refusals(void)
{
	int fd = device(), second = device();

	if (fd < 0 || second < 0)
		return 1;
	refusals_of_order(fd);
	refusals_of_set(fd);
	refusals_of_only(fd);
	refusals_of_targets(fd);
	refusals_before_counters(fd);
	holds("after all that a session can be configured", !session_set(fd, 100003, false));
	session_set(fd, 100003, false);
	refused("configuring it twice", EALREADY);
	begin_too_many(fd);
	talk();
	refused("the same with events that do not fit: for that", EALREADY);
	refusals_of_maps(fd);
	holds("after these refusals the session starts", !command(LBRSCOPE_CMD_SESSION_START, fd));
	command(LBRSCOPE_CMD_SESSION_START, fd);
	refused("starting it twice", EALREADY);
	command(LBRSCOPE_CMD_SESSION_FREEZE, fd);
	refused("freezing rings that do not overwrite", EINVAL);
	command(LBRSCOPE_CMD_SESSION_THAW, fd);
	refused("thawing them", EINVAL);
	session_set(second, 100003, false);
	command(LBRSCOPE_CMD_SESSION_START, second);
	refused("a second session beside it", EBUSY);
	holds("the refusal names the owner of the PMU", strstr(reply_text, "client"));
	holds("the first session stops", !command(LBRSCOPE_CMD_SESSION_STOP, fd));
	holds("the second session starts after the first has stopped", !command(LBRSCOPE_CMD_SESSION_START, second));
	close(second);
	close(fd);
	return failed;
}
