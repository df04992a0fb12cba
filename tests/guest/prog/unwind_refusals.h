/* SPDX-License-Identifier: GPL-2.0 */
/* Tables and ranges that the module must refuse; for unwind.c. */

static void refused_tables(int fd)
{
	struct table table = right;

	give(fd, 0, &right, sizeof(right), 8, 8);
	answers("a part that does not begin the table", ERANGE);
	give(fd, 0, &right, sizeof(right), 0, 64);
	answers("the first part of a table", 0);
	give(fd, 0, &right, sizeof(right), 32, 32);
	answers("a part for the second time", ERANGE);
	give(fd, 0, &right, sizeof(right) + 8, 64, 8);
	answers("a part of a table of another size", ERANGE);
	say(fd, getpid(), 1, &(struct lbrscope_unwind_range){ 0, 1, 0, 0, 0 }, 1);
	answers("a range of a table that is not whole", EINVAL);
	give(fd, 0, &right, sizeof(right), 64, sizeof(right) - 64);
	answers("the rest of a table", 0);
	give_all(fd, 0, &right);
	answers("a table that is whole", EEXIST);
	give(fd, LBRSCOPE_UNWIND_TABLES_MAX, &right, sizeof(right), 0, sizeof(right));
	answers("a number that is too large", ERANGE);
	give(fd, 1, &right, LBRSCOPE_UNWIND_SIZE_MAX + 1, 0, 64);
	answers("a size that is too large", ERANGE);
	give(fd, 1, &right, 8, 0, 64);
	answers("more data than the table has", ERANGE);
	table.rows[2].rule = RULES;
	give_all(fd, 1, &table);
	answers("a row with a rule that is not there", EINVAL);
	table = right;
	table.index[1] = ROWS;
	give_all(fd, 1, &table);
	answers("an index behind the rows", EINVAL);
	table = right;
	table.head.version++;
	give_all(fd, 1, &table);
	answers("another version", EINVAL);
	table = right;
	table.rules[0].kind = LBRSCOPE_UNWIND_NR_KINDS;
	give_all(fd, 1, &table);
	answers("a rule of no kind", EINVAL);
	give_all(fd, 1, &right);
	answers("the right table behind all that", 0);
	begin(family, LBRSCOPE_CMD_UNWIND_TABLE);
	put32(LBRSCOPE_UNWIND_A_FD, fd);
	talk();
	answers("no attributes of a table", EINVAL);
}

static void refused_ranges(int fd, uint32_t pid)
{
	const struct lbrscope_unwind_range good = naps(0);
	struct lbrscope_unwind_range many[2] = { good, good };
	const struct { const char *what; struct lbrscope_unwind_range range; } bad[] = {
		{ "an empty range", { good.start, good.start, good.bias, 0, 0 } },
		{ "a range of the kernel", { good.start, ~0ULL, good.bias, 0, 0 } },
		{ "a table that is not there", { good.start, good.end, good.bias, 7, 0 } },
		{ "a table with a wild number", { good.start, good.end, good.bias, ~1U, 0 } },
		{ "a reserved field", { good.start, good.end, good.bias, 0, 1 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		say(fd, pid, 1, &bad[i].range, 1);
		answers(bad[i].what, EINVAL);
	}
	say(fd, pid, 1, many, 2);
	answers("ranges that overlap", EINVAL);
	begin(family, LBRSCOPE_CMD_UNWIND_PROCESS);
	put32(LBRSCOPE_UNWIND_A_FD, fd);
	put32(LBRSCOPE_UNWIND_A_PID, pid);
	put32(LBRSCOPE_UNWIND_A_GENERATION, 1);
	put(LBRSCOPE_UNWIND_A_RANGES, many, sizeof(many[0]) + 8);
	talk();
	answers("half a range", EINVAL);
	say(fd, getpid(), 1, &good, 1);
	answers("a process that is no target", ESRCH);
	say(fd, 4000000, 1, &good, 1);
	answers("a process that is not there", ESRCH);
}
