// SPDX-License-Identifier: GPL-2.0
/* Unwinds user stacks while they are recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/err.h"
#include "object/buildid.h"
#include "record/callers.h"
#include "record/sideband.h"
#include "stacks/marks.h"
#include "stacks/recorded.h"
#include "stacks/unwind.h"

/* Number of ended processes that may still have samples to come. */
#define CALLERS_ENDED	256

struct callers {
	struct perfdata_known_id kernel;
	struct perfdata_info info;
	struct recorded *recorded;
	struct maps *maps;		/* owned by recorded */
	struct unwind *unwind;
	uint32_t ended[CALLERS_ENDED];	/* a ring of pids */
	unsigned int nr_ended;
	uint64_t addresses[2 + LBRSCOPE_USER_CHAIN_MAX];	/* of callers_by_module() */
};

/* Stores the build id of the running kernel, which provides the vdso. */
static void callers_know_kernel(struct callers *c)
{
	static char name[] = "[kernel.kallsyms]";
	struct buildid id = buildid_notes("/sys/kernel/notes");

	c->kernel = (struct perfdata_known_id){
		.filename = name, .size = id.size, .kernel = true };
	memcpy(c->kernel.build_id, id.bytes, id.size);
	c->info.known_ids = &c->kernel;
	c->info.nr_known_ids = 1;
}

struct callers *callers_new(uint32_t lbr_depth)
{
	struct callers *c = calloc(1, sizeof(*c));

	if (!c) {
		err_fail("out of memory");
		return NULL;
	}
	/* Each mapped file takes one. */
	descriptors_raise();
	callers_know_kernel(c);
	c->info.lbr_depth = lbr_depth;
	c->recorded = recorded_new(&c->info, "call stacks");
	if (!c->recorded) {
		free(c);
		return NULL;
	}
	c->maps = recorded_maps(c->recorded);
	maps_live(c->maps);
	c->unwind = unwind_new(c->maps);
	if (c->unwind)
		return c;
	err_fail("out of memory");
	callers_free(c);
	return NULL;
}

struct recorded *callers_recorded(struct callers *c)
{
	return c->recorded;
}

void callers_free(struct callers *c)
{
	if (!c)
		return;
	unwind_free(c->unwind);
	recorded_free(c->recorded);
	free(c);
}

/* Notes the end of a process. EXIT comes before its last samples, so its mappings are kept
 * until CALLERS_ENDED others have ended. They stay if a new process has the pid by then. */
static void callers_end(struct callers *c, uint32_t pid)
{
	uint32_t *place = &c->ended[c->nr_ended++ % CALLERS_ENDED];
	char path[32];

	if (*place) {
		snprintf(path, sizeof(path), "/proc/%u", *place);
		if (access(path, F_OK))
			maps_forget(c->maps, *place);
	}
	*place = pid;
}

int callers_record(struct callers *c, const struct perf_event_header *record)
{
	const uint32_t *ids = (const uint32_t *)(record + 1);

	if (!c || record->size < sizeof(*record) + 16 + sizeof(struct sideband_id))
		return 0;
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (maps_mapped(c->maps, ids[0]) >= CALLERS_MAPPINGS_MAX)
			maps_forget(c->maps, ids[0]);
		break;
	case PERF_RECORD_EXIT:		/* pid, ppid, tid, ptid */
		if (ids[0] == ids[2])
			callers_end(c, ids[0]);
		return 0;
	case PERF_RECORD_COMM:
		if (!(record->misc & PERF_RECORD_MISC_COMM_EXEC))
			return 0;
		break;
	case PERF_RECORD_FORK:
		if (ids[0] == ids[1])
			return 0;	/* a thread */
		break;
	default:
		return 0;
	}
	return maps_record(c->maps, &(struct perfdata_record){
		.data = (const unsigned char *)record, .size = record->size,
		.body_size = record->size - sizeof(struct sideband_id),
		.type = record->type, .misc = record->misc });
}

/* Maps DWARF's register numbers 0, 1, 2 … (x86-64 psABI, figure 3.36) to perf's, which index
 * the registers of a ring_sample. */
static const unsigned char registers[OBJECT_CFI_NR_REGISTERS] = {
	[0] = 0, [1] = 3, [2] = 2, [3] = 1, [4] = 4, [5] = 5, [6] = 6, [7] = 7,
	12, 13, 14, 15, 16, 17, 18, 19, [16] = 8,
};

struct encode_callers callers_of(struct callers *c, const struct ring_sample *s)
{
	uint64_t leaf = ring_sample_user_ip(s);
	struct unwind_start start = { .pid = s->pid };
	struct unwind_result result;

	/* Branch records show callers where nothing of the stack was in memory. */
	if (!c || !s->user_regs || !s->user_stack || (!s->user_stack_size && s->from) || !encode_is_64bit(s))
		return (struct encode_callers){ .nr = 0 };
	for (unsigned int i = 0; i < OBJECT_CFI_NR_REGISTERS; i++)
		start.registers[i] = s->user_regs[registers[i]];
	start.stack = (const unsigned char *)s->user_stack;
	start.size = s->user_stack_size;
	/* A chain begins with the sampled address. */
	if (start.registers[OBJECT_CFI_RETURN_ADDRESS] != leaf)
		return (struct encode_callers){ .nr = 0 };
	result = unwind_stack(c->unwind, &start);
	return (struct encode_callers){ result.addresses, result.nr, marks_end(result.end),
					result.pointed };
}

struct encode_callers callers_by_module(struct callers *c, const struct ring_sample *s)
{
	static const enum stacks_end ends[] = {
		[LBRSCOPE_CHAIN_ENTRY] = STACKS_END_ENTRY, [LBRSCOPE_CHAIN_NO_TABLE] = STACKS_END_RULES,
		[LBRSCOPE_CHAIN_NO_RULE] = STACKS_END_RULES, [LBRSCOPE_CHAIN_MEMORY] = STACKS_END_WINDOW,
		[LBRSCOPE_CHAIN_FULL] = STACKS_END_LIMIT, [LBRSCOPE_CHAIN_TIME] = STACKS_END_LIMIT,
	};
	const uint64_t *words = (const uint64_t *)(s->callers + 1);
	struct unwind_chain chain = { .addresses = c->addresses };

	if (!s->callers || s->callers->end >= sizeof(ends) / sizeof(*ends))
		return (struct encode_callers){ .nr = 0 };
	chain.end = ends[s->callers->end];
	chain.nr = 1 + s->callers->nr;
	chain.top = s->callers->top ? words + s->callers->nr : NULL;
	c->addresses[0] = ring_sample_user_ip(s);
	memcpy(c->addresses + 1, words, s->callers->nr * sizeof(*words));
	unwind_judge(c->unwind, s->pid, &chain);
	return (struct encode_callers){ chain.addresses, chain.nr, marks_end(chain.end), chain.pointed };
}
