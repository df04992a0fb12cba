// SPDX-License-Identifier: GPL-2.0
/* Merges the rings and the sideband into a perf.data file, sorted by time. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "record/capture.h"

#define CAPTURE_RELEASE		64	/* samples */
/* A process that begins meanwhile waits for its tables; the first look at a function takes long. */
#define CAPTURE_JUDGE_NS	10000000
#define CAPTURE_TABLES		8	/* processes that get their tables between two rounds */
#define CAPTURE_JUDGE		64	/* samples that are judged between two rounds */

/* One input: the ring of a CPU, or its sideband. */
struct capture_source {
	struct merge_source merge;
	struct capture *capture;
	uint32_t cpu;
	bool sampled;			/* a sample came from it */
	uint64_t begun;			/* ring_reader_begun() of the CPU's ring, as of the last
					 * look at the sideband
					 */
	struct ring_reader *ring;
	const struct lbrscope_record *ring_record;
	struct sideband_cpu *sideband;
	const struct perf_event_header *sideband_record;
};

static struct capture_source *capture_source(struct merge_source *source)
{
	return (struct capture_source *)source;
}

static int capture_ring_peek(struct merge_source *merge)
{
	struct capture_source *s = capture_source(merge);
	int result = ring_reader_peek(s->ring, &s->ring_record);
	uint64_t time;

	if (result < 0)
		return ring_reader_corrupt(s->cpu);
	if (!result)
		return 0;
	/* A record of unknown type stays with the record before it. */
	time = ring_reader_time(s->ring_record);
	if (time)
		merge->time = time;
	return 1;
}

/* Notes that a record of the source, of this process and time, is about to be written. */
static int capture_note(struct capture_source *s, uint32_t pid, uint64_t time)
{
	struct capture *c = s->capture;

	if (!c->first)
		c->first = time;
	c->last = time;
	c->nr_cpus += !s->sampled;
	s->sampled = true;
	return c->census ? census_meet(c->census, pid) : 0;
}

_Static_assert(ENCODE_MAX <= PERFDATA_RECORD_MAX, "a record has a place");

/* Writes the record that was built in the writer's buffer. Adds 1 to *unwritten if there is no
 * room for it. */
static int capture_write(struct capture *c, size_t size, uint64_t *unwritten)
{
	int err = perfdata_write(c->writer, perfdata_write_place(c->writer), size);

	if (err != PERFDATA_WRITE_FULL)
		return err;
	if (unwritten)
		++*unwritten;
	return 0;
}

/* Whether what happened at this time is not to be written. Counts it in *omitted. */
static bool capture_omits(const struct capture *c, uint64_t time, uint64_t *omitted)
{
	if (!c->gate || gate_is_open(c->gate, time))
		return false;
	++*omitted;
	return true;
}

static int capture_sample(struct capture_source *s)
{
	struct capture *c = s->capture;
	struct encode_callers callers;
	struct ring_sample sample;
	size_t size;

	if (ring_reader_sample(s->ring, s->ring_record, &sample) ||
	    sample.event >= c->nr_formats)
		return ring_reader_corrupt(s->cpu);
	c->samples++;
	c->sampled[sample.event] = true;
	if (capture_omits(c, sample.time, &c->omitted))
		return 0;
	if (capture_note(s, sample.pid, sample.time) || tables_callers(c->tables, &sample, &callers))
		return -1;
	size = encode_sample(&c->formats[sample.event], &sample, &callers, s->cpu,
			     perfdata_write_place(c->writer));
	if (c->judging && judging_sample(c->judging, &sample, perfdata_write_place(c->writer)))
		return -1;
	return capture_write(c, size, &c->unwritten);
}

static int capture_offcpu(struct capture_source *s)
{
	struct capture *c = s->capture;
	struct encode_callers callers;
	struct ring_offcpu offcpu;
	size_t size;

	if (ring_reader_offcpu(s->ring, s->ring_record, &offcpu))
		return ring_reader_corrupt(s->cpu);
	c->offcpu++;
	if (capture_omits(c, offcpu.at.time, &c->omitted_offcpu))
		return 0;
	if (capture_note(s, offcpu.at.pid, offcpu.at.time) ||
	    tables_offcpu_callers(c->tables, &offcpu.at, &callers))
		return -1;
	size = encode_offcpu(&c->offcpu_format, &offcpu, &callers, s->cpu,
			     perfdata_write_place(c->writer));
	return capture_write(c, size, &c->unwritten_offcpu);
}

static int capture_trigger(struct capture_source *s)
{
	struct capture *c = s->capture;
	struct encode_callers callers;
	struct ring_trigger trigger;
	size_t size;

	if (ring_reader_trigger(s->ring, s->ring_record, &trigger) ||
	    trigger.at.event >= c->nr_triggers)
		return ring_reader_corrupt(s->cpu);
	c->samples++;
	if (capture_omits(c, trigger.at.time, &c->omitted))
		return 0;
	if (capture_note(s, trigger.at.pid, trigger.at.time) ||
	    tables_callers(c->tables, &trigger.at, &callers))
		return -1;
	size = encode_trigger(&c->trigger_formats[trigger.at.event], &trigger, &callers,
			      s->cpu, perfdata_write_place(c->writer));
	return capture_write(c, size, &c->unwritten);
}

static int capture_budget(struct capture_source *s)
{
	struct capture *c = s->capture;
	struct ring_budget budget;
	struct budget_record record;
	size_t size;

	if (ring_reader_budget(s->ring_record, &budget))
		return ring_reader_corrupt(s->cpu);
	record = encode_budget_record(&budget);
	budget_add(&c->budget, &record, s->cpu);
	size = encode_budget(&c->budget_format, &budget, s->cpu,
			     perfdata_write_place(c->writer));
	return capture_write(c, size, NULL);
}

static int capture_write_lost(struct capture *c, uint64_t lost, uint64_t time,
			      uint32_t cpu)
{
	size_t size = encode_lost(c->lost_format, lost, time, cpu,
				  perfdata_write_place(c->writer));

	if (perfdata_write_is_full(c->writer))
		return 0;	/* counted with the other losses at the end */
	c->lost += lost;
	return capture_write(c, size, NULL);
}

static int capture_ring_emit(struct merge_source *merge)
{
	struct capture_source *s = capture_source(merge);
	uint64_t lost;
	int err = 0;

	if (s->ring_record->type == LBRSCOPE_RECORD_SAMPLE) {
		err = capture_sample(s);
	} else if (s->ring_record->type == LBRSCOPE_RECORD_OFFCPU) {
		err = capture_offcpu(s);
	} else if (s->ring_record->type == LBRSCOPE_RECORD_TRIGGER) {
		err = capture_trigger(s);
	} else if (s->ring_record->type == LBRSCOPE_RECORD_BUDGET) {
		err = capture_budget(s);
	} else if (s->ring_record->type == LBRSCOPE_RECORD_LOST) {
		if (ring_reader_lost(s->ring_record, &lost))
			err = ring_reader_corrupt(s->cpu);
		else
			err = capture_write_lost(s->capture, lost, merge->time,
						 s->cpu);
	}
	ring_reader_consume(s->ring);
	/* A round over many CPUs takes long: release space in between. */
	if (!((s->capture->samples + s->capture->offcpu) % CAPTURE_RELEASE))
		ring_reader_release(s->ring);
	return err;
}

static int capture_sideband_peek(struct merge_source *merge)
{
	struct capture_source *s = capture_source(merge);
	int result = sideband_peek(s->capture->sideband, s->sideband,
				   &s->sideband_record);

	if (result < 0)
		return err_fail("perf's ring of CPU %u is corrupt", s->cpu);
	if (result)
		merge->time = sideband_id(s->sideband_record)->time;
	return result;
}

/* Whether the record concerns a captured process, or no process. The kernel's records about
 * tasks all begin with the pid; forks have the parent's pid next. */
static bool capture_wanted(struct capture *c,
			   const struct perf_event_header *record)
{
	const uint32_t *pids = (const uint32_t *)(record + 1);

	if (!c->pids || record->type == PERF_RECORD_LOST ||
	    record->type == PERF_RECORD_CGROUP)
		return true;
	if (record->type == PERF_RECORD_FORK && pidset_has(c->pids, pids[1]))
		pidset_add(c->pids, pids[0]);
	return pidset_has(c->pids, pids[0]);
}

/* Notes the file of a MMAP2 record with a build id. Its layout (enum perf_event_type in
 * <linux/perf_event.h>): pid, tid, addr, len, pgoff, id size and id, prot, flags, name. */
static int capture_note_file(struct capture *c,
			     const struct perf_event_header *record)
{
	const size_t id_at = 40, name_at = 72;
	const char *bytes = (const char *)record;
	size_t end = record->size - sizeof(struct sideband_id);
	struct buildid id = {};

	if (record->type != PERF_RECORD_MMAP2 || end <= name_at ||
	    !(record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) ||
	    bytes[end - 1])
		return 0;
	id.size = bytes[id_at];
	if (id.size > BUILDID_MAX)
		return 0;
	memcpy(id.bytes, bytes + id_at + 4, id.size);
	return buildid_table_add(c->buildids, &id, PERF_RECORD_MISC_USER,
				 bytes + name_at);
}

static int capture_sideband_emit(struct merge_source *merge)
{
	struct capture_source *s = capture_source(merge);
	const struct perf_event_header *record = s->sideband_record;
	size_t size = record->size;
	int err = 0;

	if (capture_wanted(s->capture, record)) {
		err = capture_note_file(s->capture, record) ||
		      tables_record(s->capture->tables, record) ||
		      callers_record(s->capture->callers, record) ||
		      (s->capture->judging && judging_record(s->capture->judging, record));
		if (!err && (perfdata_write(s->capture->writer, record, size) < 0 ||
			     (s->capture->next &&
			      perfdata_write(s->capture->next, record, size) < 0)))
			err = -1;
	}
	sideband_consume(s->sideband, size);
	return err;
}

static void capture_add(struct capture *c, struct capture_source source)
{
	struct capture_source *s = &c->streams[c->nr_sources];

	source.capture = c;
	/* If a mapping and a sample have the same time, the mapping must come first: the
	 * sideband has the lower numbers. */
	source.merge.order = c->nr_sources;
	source.merge.peek = source.ring ? capture_ring_peek :
					  capture_sideband_peek;
	source.merge.emit = source.ring ? capture_ring_emit :
					  capture_sideband_emit;
	*s = source;
	c->sources[c->nr_sources++] = &s->merge;
}

int capture_init(struct capture *c)
{
	unsigned int nr = c->sideband->nr + c->session->nr_rings, i;

	c->streams = calloc(nr, sizeof(*c->streams));
	c->sources = calloc(nr, sizeof(*c->sources));
	c->heap = calloc(nr, sizeof(*c->heap));
	if (!c->streams || !c->sources || !c->heap)
		return err_fail("out of memory");
	for (i = 0; i < c->sideband->nr; i++)
		capture_add(c, (struct capture_source){
			.sideband = &c->sideband->cpus[i],
			.begun = c->sideband->cpus[i].fd >= 0,
			.cpu = c->sideband->cpus[i].cpu });
	for (i = 0; i < c->session->nr_rings; i++)
		capture_add(c, (struct capture_source){
			.ring = &c->session->rings[i],
			.cpu = c->session->possible.cpus[i] });
	return 0;
}

void capture_free(struct capture *c)
{
	free(c->streams);
	free(c->sources);
	free(c->heap);
	c->streams = NULL;
	c->sources = c->heap = NULL;
	c->nr_sources = 0;
}

/* Reads the heads of the rings. Sets *pressed if a ring is half full: its records are then
 * written without waiting for older ones. */
static int capture_refresh_rings(struct capture *c, bool *pressed)
{
	struct ring_reader *ring;
	unsigned int i;

	*pressed = false;
	for (i = 0; i < c->session->nr_rings; i++) {
		ring = &c->session->rings[i];
		if (ring_reader_refresh(ring))
			return ring_reader_corrupt(c->session->possible.cpus[i]);
		if (ring_reader_pending(ring) > ring->data_size / 2)
			*pressed = true;
	}
	return 0;
}

/* At least one: a process whose samples fill the rings with stacks may be one that needs none. */
int capture_judge(struct capture *c)
{
	const uint64_t until = clock_ns(CLOCK_MONOTONIC) + CAPTURE_JUDGE_NS;
	bool pressed = false;
	int more = 1;

	for (int i = 0; more && i < CAPTURE_TABLES; i++) {
		more = tables_next(c->tables);
		if (more < 0)
			return -1;
	}
	for (int i = 0; c->judging && judging_waits(c->judging) && i < CAPTURE_JUDGE && !pressed &&
	     (!i || clock_ns(CLOCK_MONOTONIC) < until); i++)
		if (judging_next(c->judging) || capture_refresh_rings(c, &pressed))
			return -1;
	return 0;
}

static void capture_refresh_sideband(struct capture *c)
{
	unsigned int i;

	for (i = 0; i < c->sideband->nr; i++)
		sideband_refresh(&c->sideband->cpus[i]);
}

static void capture_release_rings(struct capture *c)
{
	unsigned int i;

	for (i = 0; i < c->session->nr_rings; i++)
		ring_reader_release(&c->session->rings[i]);
}

static void capture_release_sideband(struct capture *c)
{
	unsigned int i;

	for (i = 0; i < c->sideband->nr; i++)
		sideband_release(&c->sideband->cpus[i]);
}

/* capture_add() has put the sources of the sideband first. */
static int64_t capture_round_sideband(struct capture *c)
{
	int64_t records;

	capture_refresh_sideband(c);
	records = merge_run(c->sources, c->sideband->nr, c->heap, UINT64_MAX);
	capture_release_sideband(c);
	return records;
}

int capture_return(struct capture *c)
{
	bool drained = false, opened = false;
	unsigned int i;

	for (i = 0; i < c->sideband->nr; i++) {
		struct capture_source *s = &c->streams[i];
		uint64_t begun = ring_reader_begun(&c->session->rings[i]);

		if (begun <= s->begun)
			continue;
		s->begun = begun;
		if (!drained && capture_round_sideband(c) < 0)
			return -1;
		drained = true;
		opened |= sideband_return(c->sideband, s->sideband);
	}
	return opened;
}

int64_t capture_rings(struct capture *c, struct perfdata_writer *writer)
{
	struct perfdata_writer *own = c->writer;
	int64_t records;
	bool pressed;

	c->first = 0;
	if (capture_refresh_rings(c, &pressed))
		return -1;
	c->writer = writer;
	records = merge_run(c->sources + c->sideband->nr, c->session->nr_rings,
			    c->heap, UINT64_MAX);
	c->writer = own;
	capture_release_rings(c);
	return records;
}

static int64_t capture_round_all(struct capture *c, bool last)
{
	const struct perf_event_header finished = {
		.type = PERFDATA_RECORD_FINISHED_ROUND,
		.size = sizeof(finished),
	};
	uint64_t limit;
	int64_t records;
	bool pressed;

	/* Read the clock before the heads: an older record that arrives afterwards is late. */
	limit = clock_ns(CLOCK_MONOTONIC);
	if (capture_refresh_rings(c, &pressed))
		return -1;
	capture_refresh_sideband(c);
	/* The mappings read now are those of the youngest of these samples. */
	if (c->census && census_look(c->census, limit))
		return -1;
	if (last)
		limit = UINT64_MAX;
	else if (!pressed)
		limit -= CAPTURE_SLACK_NS;

	records = merge_run(c->sources, c->nr_sources, c->heap, limit);
	capture_release_rings(c);
	capture_release_sideband(c);
	if (records < 0)
		return -1;
	if (records && perfdata_write(c->writer, &finished, sizeof(finished)) < 0)
		return -1;
	return records;
}

int64_t capture_round(struct capture *c, bool last)
{
	if (!c->flight)
		return capture_round_all(c, last);
	if (capture_round_sideband(c) < 0)
		return -1;
	return last ? capture_rings(c, c->writer) : 0;
}

int capture_account(struct capture *c, uint64_t lost_total,
		    uint64_t lost_offcpu)
{
	size_t size;

	lost_total += c->unwritten;
	lost_offcpu += c->unwritten_offcpu;
	perfdata_write_last(c->writer);
	if (lost_total > c->lost &&
	    capture_write_lost(c, lost_total - c->lost, c->last, 0))
		return -1;
	if (!lost_offcpu)
		return 0;
	size = encode_lost(&c->offcpu_format, lost_offcpu, c->last, 0,
			   perfdata_write_place(c->writer));
	return capture_write(c, size, NULL);
}
