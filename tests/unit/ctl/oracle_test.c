// SPDX-License-Identifier: GPL-2.0
/*
 * The reader, on branch records that a real CPU wrote (a Westmere, 16 entries), held
 * against objdump of the program that ran: nothing here comes from our own decoder.
 * The captures are not part of this project; without them there is nothing to test.
 */
#include <unistd.h>

#include "samples.h"
#include "test.h"

#define CAPTURE	"../shared/oracle/westmere-b/perf.data"
#define PROGRAM	"../shared/oracle/westmere-b/test.binary"

struct insn {
	uint64_t addr, target;		/* target 0: not direct */
	bool branch;
};

static struct insn *insns;
static size_t nr_insns;
static int failed;

static void verdict(bool good, const char *name)
{
	printf("%s - %s\n", good ? "ok" : "not ok", name);
	failed |= !good;
}

static bool is_branch(const char *op)
{
	return *op == 'j' || !strncmp(op, "call", 4) || !strncmp(op, "ret", 3) ||
	       !strncmp(op, "loop", 4) || !strncmp(op, "syscall", 7);
}

static bool load_program(void)
{
	FILE *in = popen("objdump -d --no-show-raw-insn " PROGRAM, "r");
	size_t max = 0;
	char line[512];

	while (in && fgets(line, sizeof(line), in)) {
		struct insn insn = { 0 };
		char op[32], more[32], target[64];
		int got = sscanf(line, " %lx: %31s %31s %63s", &insn.addr, op, more,
				 target);

		if (got < 2 || strchr(op, ':'))
			continue;
		if (!strncmp(op, "rep", 3) || !strcmp(op, "bnd")) {
			memcpy(op, more, sizeof(op));
			memcpy(more, target, sizeof(more));
		}
		insn.branch = is_branch(op);
		if (insn.branch && got > 2 && *op != 'r' && *more != '*')
			insn.target = strtoull(more, NULL, 16);
		if (nr_insns == max) {
			max = max ? 2 * max : 4096;
			insns = realloc(insns, max * sizeof(*insns));
		}
		insns[nr_insns++] = insn;
	}
	if (in)
		pclose(in);
	return nr_insns > 1000;
}

static const struct insn *insn_at(uint64_t addr)
{
	size_t low = 0, high = nr_insns;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (insns[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < nr_insns && insns[low].addr == addr ? &insns[low] : NULL;
}

static bool in_program(uint64_t addr)
{
	return addr >= insns[0].addr && addr <= insns[nr_insns - 1].addr;
}

static struct {
	size_t samples, entries, from, from_bad, direct, direct_bad, ranges,
	       ranges_bad;
} seen;

/* Between two records, the newer first, runs code without a taken branch. */
static void check_range(uint64_t start, uint64_t end)
{
	if (!in_program(start) || !in_program(end))
		return;
	seen.ranges++;
	if (end < start || !insn_at(start) || end - start > 0x10000)
		seen.ranges_bad++;
}

static void check_sample(const struct perfdata_sample *raw)
{
	for (uint64_t i = 0; i < raw->branches_nr; i++) {
		uint64_t from = perfdata_u64(raw->branches + 24 * i);
		uint64_t to = perfdata_u64(raw->branches + 24 * i + 8);
		const struct insn *insn = insn_at(from);

		seen.entries++;
		if (i + 1 < raw->branches_nr)
			check_range(perfdata_u64(raw->branches + 24 * (i + 1) + 8),
				    from);
		if (!in_program(from))
			continue;
		seen.from++;
		seen.from_bad += !insn || !insn->branch;
		if (insn && insn->target) {
			seen.direct++;
			seen.direct_bad += insn->target != to;
		}
	}
}

int main(void)
{
	struct samples_sample s;
	struct samples *samples;
	int ret = -1;

	if (access(CAPTURE, R_OK)) {
		printf("ok - a real CPU's branches # SKIP there is no " CAPTURE "\n");
		return 0;
	}
	verdict(load_program(), "objdump knows the program");
	samples = samples_open(CAPTURE);
	while (samples && (ret = samples_next(samples, &s)) > 0) {
		seen.samples++;
		check_sample(&s.raw);
	}
	verdict(ret == 0, "the capture reads to its end");
	printf("# %zu samples, %zu entries, %zu from in the program (%zu bad), %zu direct (%zu bad), %zu ranges (%zu bad)\n",
	       seen.samples, seen.entries, seen.from, seen.from_bad, seen.direct,
	       seen.direct_bad, seen.ranges, seen.ranges_bad);
	verdict(seen.samples == 9232 && seen.entries == 16 * 9232,
		"9,232 samples of 16 entries");
	verdict(seen.from > 100000 && !seen.from_bad,
		"every from is a branch of the program");
	verdict(seen.direct > 50000 && !seen.direct_bad,
		"every direct branch goes to its target");
	verdict(seen.ranges > 100000 && !seen.ranges_bad,
		"every stretch between two branches is straight");
	samples_close(samples);
	free(insns);
	return failed;
}
