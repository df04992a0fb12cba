/* SPDX-License-Identifier: GPL-2.0 */
/* What the module refuses of a session that selects processes; for stacks.c. */

static void refused(const char *what, int want)
{
	holds(what, reply_errno == want && reply_text[0]);
	if (failed_last)
		printf("# want: %s\n# got:  %s \"%s\"\n", strerror(want), strerror(reply_errno),
		       reply_text);
}

static void granted(const char *what)
{
	holds(what, !reply_errno);
	if (failed_last)
		printf("# %s \"%s\"\n", strerror(reply_errno), reply_text);
}

static void set_refused(const char *what, int want, uint32_t format, uint32_t mode, uint32_t audit)
{
	int fd = device();

	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(INSTRUCTIONS_U, 100003);
	put32(LBRSCOPE_SESSION_A_SAMPLE, format);
	if (mode)
		put32(LBRSCOPE_SESSION_A_STACK_MODE, mode - 1);
	if (audit)
		put32(LBRSCOPE_SESSION_A_STACK_AUDIT, audit);
	talk();
	refused(what, want);
	close(fd);
}

/* Runs as another user, with a session of its own and a descriptor of root's. */
static void as_user(int roots, uint32_t mine, uint32_t foreign)
{
	struct ask ask = { .period = 1000003, .selects = true, .nr = 1, .targets = &mine };
	int fd;

	if (connect_family())
		exit(1);
	select_one(roots, mine);
	refused("root's session, for a user with its descriptor", EPERM);
	fd = device();
	set_up(fd, &ask);
	granted("a user's session selects");
	/* Root's session holds the PMU. */
	select_one(fd, mine);
	refused("a session that does not run", EINVAL);
	close(roots);
	for (int i = 0; i < 1000 && command(LBRSCOPE_CMD_SESSION_START, fd) == EBUSY; i++)
		usleep(10000);
	select_one(fd, mine);
	granted("a user selects a process of his own");
	select_one(fd, foreign);
	refused("another user's process", ESRCH);
	select_one(fd, 1);
	refused("init", ESRCH);
}

static void many_pids(int fd)
{
	static uint32_t pids[4096];
	unsigned int i, wrong = 0;

	for (i = 0; i < 4096; i++)
		pids[i] = (1 << 22) + i;
	task_stack(fd, pids, 4096, true);
	refused("4096 processes at once", ERANGE);
	for (i = 0; i < 100000; i += 64)
		wrong += task_stack(fd, pids + i % 4032, 64, i & 64) != ESRCH;
	holds("100,000 processes that are not there", !wrong);
}

static void case_refusals(void)
{
	struct child a = spawn(1000), b = spawn(1000);
	struct ask ask = { .period = 1000003, .selects = true, .nr = 1, .targets = &a.pid };
	int fd = device(), status;
	const uint32_t stack = STACK_FORMAT;
	pid_t user;

	select_one(fd, a.pid);
	refused("a session that is not configured", ENODATA);
	close(fd);
	set_refused("a mode without a stack", EINVAL, LBRSCOPE_FORMAT_USER_DEPTH, 1 + 1, 0);
	set_refused("a mode that is not there", ERANGE, stack, 1 + LBRSCOPE_STACKS_MAX + 1, 0);
	set_refused("an audit without a selection", EINVAL, stack, 0, 10);
	set_refused("an audit of samples that all have the stack", EINVAL, stack, 1 + 0, 10);
	set_refused("an audit of one in 2^31", ERANGE, stack, 1 + 1, 1U << 31);

	fd = start(&ask);
	select_one(fd, b.pid);
	refused("a process that is no target", ESRCH);
	select_one(fd, 0);
	refused("process 0", ESRCH);
	select_one(fd, 2);
	refused("a kernel thread", ESRCH);
	select_one(fd, -1);
	refused("process -1", ESRCH);
	task_stack(fd, NULL, 0, true);
	refused("no process at all", EINVAL);
	command(LBRSCOPE_CMD_TASK_STACK, fd);
	refused("no list of processes", EINVAL);
	many_pids(fd);
	user = fork();
	if (!user) {
		struct child mine;

		failed = 0;
		if (setgid(1000) || setuid(1000) || prctl(PR_SET_DUMPABLE, 1))
			_exit(1);
		mine = spawn(1000);
		as_user(fd, mine.pid, a.pid);
		reap(mine);
		fflush(stdout);
		_exit(failed);
	}
	usleep(300000);
	stop(fd);
	waitpid(user, &status, 0);
	holds("a user's own session", !status);

	ask.selects = false;
	fd = start(&ask);
	select_one(fd, a.pid);
	refused("a session that does not select", EINVAL);
	stop(fd);
	reap(a);
	reap(b);
}
