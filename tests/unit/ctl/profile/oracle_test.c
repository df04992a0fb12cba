// SPDX-License-Identifier: GPL-2.0
/*
 * The reader, and the stacks that are replayed, on branch records that a real CPU wrote
 * (a Westmere, 16 entries), held against objdump of the program that ran: nothing here
 * comes from our own decoder.
 * The captures are not part of this project; without them there is nothing to test.
 */
#include <unistd.h>

#include "profile/samples.h"
#include "test.h"

#define CAPTURE	"../shared/oracle/westmere-b/perf.data"
#define PROGRAM	"../shared/oracle/westmere-b/test.binary"

/* The path of the program when it was recorded, and a path of that length for it here. */
#define RECORDED	"/export/hda3/tmp/test.binary"
#define HERE		"/tmp/westmere.XXXXXX/program"

struct insn {
	uint64_t addr, target;		/* target 0: not direct */
	bool branch;
	char kind;			/* c: a call, r: a return */
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
		insn.kind = *op;
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
	size_t paired, paired_bad, replayed, open, other, broken, nowhere;
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

static uint64_t behind(uint64_t addr)
{
	const struct insn *insn = insn_at(addr);

	return insn && insn + 1 < insns + nr_insns ? insn[1].addr : 0;
}

/* The calls that have not returned, the newest last; -1 where the branches leave the
 * program. */
static int replay(const struct perfdata_sample *raw, uint64_t *open)
{
	int nr = 0;

	for (uint64_t i = raw->branches_nr; i-- > 0;) {
		uint64_t from = perfdata_u64(raw->branches + 24 * i);
		uint64_t to = perfdata_u64(raw->branches + 24 * i + 8);
		const struct insn *insn = insn_at(from);

		if (!insn || !in_program(to))
			return -1;
		if (insn->kind == 'c') {
			open[nr++] = from;
		} else if (insn->kind == 'r' && nr) {
			seen.paired++;
			seen.paired_bad += to != behind(open[--nr]);
		}
	}
	return nr;
}

static void check_replay(struct samples *samples, const struct recorded_sample *s)
{
	static struct stacks_stack stack;
	struct stacks_code code = samples_code(samples);
	uint64_t open[16];
	int nr = replay(&s->raw, open);
	bool same = (size_t)nr == s->stack.nr_lbr;

	for (size_t i = 0; i < s->nr_frames; i++)
		seen.nowhere += s->frames[i].place.file == MAPS_NOTHING;
	if (stacks_build(&s->stack, &code, &stack) ||
	    stack.verdict == STACKS_BROKEN)
		seen.broken++;
	if (nr < 0 || s->stack.history != STACKS_HISTORY_WHOLE)
		return;
	for (int i = 0; same && i < nr; i++)
		same = s->stack.lbr[i].from.addr == open[nr - 1 - i];
	seen.replayed++;
	seen.open += nr > 0;
	seen.other += !same;
}

/* The capture, with the program where it is here. */
static const char *moved_capture(char *here)
{
	static char capture[64];
	char command[512];

	*strrchr(here, '/') = '\0';
	if (!mkdtemp(here))
		return NULL;
	snprintf(capture, sizeof(capture), "%s/capture", here);
	snprintf(command, sizeof(command),
		 "cp " PROGRAM " %s/program && sed 's!" RECORDED "!%s/program!g' "
		 CAPTURE " > %s", here, here, capture);
	return system(command) ? NULL : capture;
}

static void clean_up(const char *here)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", here);
	if (system(command))
		failed = 1;
}

int main(void)
{
	_Static_assert(sizeof(RECORDED) == sizeof(HERE), "the same length");
	char here[] = HERE;
	struct recorded_sample s;
	struct samples *samples;
	const char *capture;
	int ret = -1;

	if (access(CAPTURE, R_OK)) {
		printf("ok - a real CPU's branches # SKIP there is no " CAPTURE "\n");
		return 0;
	}
	verdict(load_program(), "objdump knows the program");
	capture = moved_capture(here);
	samples = capture ? samples_open(capture) : NULL;
	while (samples && (ret = samples_take(samples, &s)) > 0) {
		const uint64_t *words;
		size_t nr_words;

		if (samples_place(samples, &s) || samples_words(samples, &s, &words, &nr_words))
			break;
		seen.samples++;
		check_sample(&s.raw);
		check_replay(samples, &s);
	}
	verdict(ret == 0, "the capture reads to its end");
	printf("# %zu samples, %zu entries, %zu from in the program (%zu bad), %zu direct (%zu bad), %zu ranges (%zu bad)\n",
	       seen.samples, seen.entries, seen.from, seen.from_bad, seen.direct,
	       seen.direct_bad, seen.ranges, seen.ranges_bad);
	printf("# %zu returns paired (%zu bad), %zu windows replayed, %zu with open calls (%zu other than ours), %zu broken, %zu addresses nowhere\n",
	       seen.paired, seen.paired_bad, seen.replayed, seen.open, seen.other,
	       seen.broken, seen.nowhere);
	verdict(seen.paired > 5000 && !seen.paired_bad,
		"every return with its call in the window goes behind it");
	verdict(seen.open > 1000 && !seen.other, "the open calls are those of our replay");
	verdict(!seen.broken, "no stack is broken");
	verdict(!seen.nowhere, "every sampled address is mapped");
	verdict(seen.samples == 9232 && seen.entries == 16 * 9232,
		"9,232 samples of 16 entries");
	verdict(seen.from > 100000 && !seen.from_bad,
		"every from is a branch of the program");
	verdict(seen.direct > 50000 && !seen.direct_bad,
		"every direct branch goes to its target");
	verdict(seen.ranges > 100000 && !seen.ranges_bad,
		"every stretch between two branches is straight");
	samples_close(samples);
	clean_up(here);
	free(insns);
	return failed;
}
