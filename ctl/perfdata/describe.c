// SPDX-License-Identifier: GPL-2.0
/* Writes the description of a capture: machine, command, build ids. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "base/version.h"
#include "perfdata/describe.h"

/* Sections are written to memory streams, since their length is known last. */
struct section {
	FILE *out;
	char *data;
	size_t len;
};

static int section_open(struct section *s)
{
	memset(s, 0, sizeof(*s));
	s->out = open_memstream(&s->data, &s->len);
	return s->out ? 0 : err_fail("out of memory");
}

/* Passes the section to the writer. */
static int section_close(struct section *s, struct perfdata_writer *writer,
			 enum perfdata_feature feature)
{
	int err = fclose(s->out);

	if (err)
		err_fail("out of memory");
	else
		err = perfdata_write_feature(writer, feature, s->data, s->len);
	free(s->data);
	return err;
}

static void put_u32(struct section *s, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, s->out);
}

/* Writes length and text, NUL-padded to 64 bytes as perf pads them. */
static void put_string(struct section *s, const char *text)
{
	static const char zeros[64];
	size_t len = strlen(text), padded = (len + 64) & ~63UL;

	put_u32(s, padded);
	fwrite(text, 1, len, s->out);
	fwrite(zeros, 1, padded - len, s->out);
}

static int describe_string(struct perfdata_writer *writer,
			   enum perfdata_feature feature, const char *text)
{
	struct section s;

	if (section_open(&s))
		return -1;
	put_string(&s, text);
	return section_close(&s, writer, feature);
}

static int describe_u64s(struct perfdata_writer *writer,
			 enum perfdata_feature feature, const uint64_t *values,
			 unsigned int nr)
{
	return perfdata_write_feature(writer, feature, values,
				      nr * sizeof(*values));
}

static int describe_machine(struct perfdata_writer *writer,
			    const struct perfdata_description *d)
{
	uint32_t cpus[2] = { sysconf(_SC_NPROCESSORS_CONF),
			     sysconf(_SC_NPROCESSORS_ONLN) };
	struct utsname name;
	uint64_t memory_kb;
	char value[256];

	snprintf(value, sizeof(value), "lbrctl %s", version_text);
	if (uname(&name))
		return err_errno("asking for the kernel's release");
	if (describe_string(writer, PERFDATA_HOSTNAME, name.nodename) ||
	    describe_string(writer, PERFDATA_OSRELEASE, name.release) ||
	    describe_string(writer, PERFDATA_ARCH, name.machine) ||
	    describe_string(writer, PERFDATA_VERSION, value) ||
	    describe_string(writer, PERFDATA_CPUID, d->cpuid) ||
	    perfdata_write_feature(writer, PERFDATA_NRCPUS, cpus, sizeof(cpus)))
		return -1;

	text_proc_value("/proc/cpuinfo", "model name", value, sizeof(value));
	if (describe_string(writer, PERFDATA_CPUDESC, value))
		return -1;
	text_proc_value("/proc/meminfo", "MemTotal", value, sizeof(value));
	memory_kb = strtoull(value, NULL, 10);
	return describe_u64s(writer, PERFDATA_TOTAL_MEM, &memory_kb, 1);
}

static int describe_cmdline(struct perfdata_writer *writer,
			    const struct perfdata_description *d)
{
	struct section s;
	int i;

	if (section_open(&s))
		return -1;
	put_u32(&s, d->argc + 1);
	put_string(&s, "lbrctl");
	for (i = 0; i < d->argc; i++)
		put_string(&s, d->argv[i]);
	return section_close(&s, writer, PERFDATA_CMDLINE);
}

static int describe_events(struct perfdata_writer *writer,
			   const struct perfdata_description *d)
{
	const struct perfdata_event *event = d->events;
	struct perf_event_attr attr;
	struct section s;
	unsigned int i;

	if (section_open(&s))
		return -1;
	put_u32(&s, d->nr_events);
	put_u32(&s, PERF_ATTR_SIZE_VER5);
	for (i = 0; i < d->nr_events; i++, event++) {
		attr = event->attr;
		attr.size = PERF_ATTR_SIZE_VER5;
		fwrite(&attr, PERF_ATTR_SIZE_VER5, 1, s.out);
		put_u32(&s, event->nr_ids);
		put_string(&s, event->name);
		fwrite(event->ids, sizeof(event->ids[0]), event->nr_ids, s.out);
	}
	return section_close(&s, writer, PERFDATA_EVENT_DESC);
}

/* For each group: name, index of the leader, members. */
static int describe_groups(struct perfdata_writer *writer,
			   const struct perfdata_description *d)
{
	struct section s;
	unsigned int i;
	uint32_t nr = 0;

	for (i = 0; i < d->nr_events; i++)
		nr += d->events[i].leads > 0;
	if (!nr)
		return 0;
	if (section_open(&s))
		return -1;
	put_u32(&s, nr);
	for (i = 0; i < d->nr_events; i++) {
		if (!d->events[i].leads)
			continue;
		put_string(&s, "{anon_group}");
		put_u32(&s, i);
		put_u32(&s, d->events[i].leads);
	}
	return section_close(&s, writer, PERFDATA_GROUP_DESC);
}

static int describe_buildids(struct perfdata_writer *writer,
			     const struct buildid_table *table)
{
	const struct buildid_entry *e = table->entries;
	static const char zeros[8];
	struct section s;
	size_t i, len;

	if (section_open(&s))
		return -1;
	for (i = 0; i < table->nr; i++, e++) {
		struct perfdata_build_id record = {
			.header.misc = e->cpumode | PERFDATA_MISC_BUILD_ID_SIZE,
			.pid = -1,
			.size = e->id.size,
		};

		len = strlen(e->name);
		record.header.size = sizeof(record) + ((len + 8) & ~7UL);
		memcpy(record.build_id, e->id.bytes, e->id.size);
		fwrite(&record, sizeof(record), 1, s.out);
		fwrite(e->name, 1, len, s.out);
		fwrite(zeros, 1, record.header.size - sizeof(record) - len,
		       s.out);
	}
	return section_close(&s, writer, PERFDATA_BUILD_ID);
}

static int describe_lbr(struct perfdata_writer *writer, uint32_t depth)
{
	struct section s;
	char text[16];

	snprintf(text, sizeof(text), "%u", depth);
	if (section_open(&s))
		return -1;
	put_u32(&s, 1);
	put_string(&s, "branches");
	put_string(&s, text);
	return section_close(&s, writer, PERFDATA_CPU_PMU_CAPS);
}

/* Relates the clock of the samples to the wall clock (perf script -F tod). */
static int describe_clock(struct perfdata_writer *writer)
{
	const uint64_t times[2] = { clock_ns(CLOCK_REALTIME), clock_ns(CLOCK_MONOTONIC) };
	struct section s;

	if (section_open(&s))
		return -1;
	put_u32(&s, 1);
	put_u32(&s, CLOCK_MONOTONIC);
	fwrite(times, sizeof(times), 1, s.out);
	return section_close(&s, writer, PERFDATA_CLOCK_DATA);
}

static int describe_own(struct perfdata_writer *writer, const struct perfdata_description *d)
{
	const size_t nr = d->audited + d->nr_audits + (d->losses.known ? LOSSES_NR : 0);
	struct perfdata_own *own = calloc(nr + 1, sizeof(*own)), *at = own;
	int err;

	if (!own)
		return err_errno("describing the capture");
	if (d->audited)
		(at++)->kind = PERFDATA_OWN_AUDITED;
	for (size_t i = 0; d->audited && i < d->nr_audits; i++)
		*at++ = (struct perfdata_own){ d->audits[i].pid, PERFDATA_OWN_AUDIT,
					       d->audits[i].checked, d->audits[i].disagreed };
	for (uint32_t i = 0; d->losses.known && i < LOSSES_NR; i++)
		*at++ = (struct perfdata_own){ i, PERFDATA_OWN_LOSS, d->losses.samples[i], 0 };
	err = at == own ? 0 : perfdata_write_feature(writer, PERFDATA_OWN, own,
						     (at - own) * sizeof(*own));
	free(own);
	return err;
}

int perfdata_describe(struct perfdata_writer *writer,
		      const struct perfdata_description *d)
{
	uint64_t times[2] = { d->first, d->last };
	struct timespec resolution = {};
	uint64_t resolution_ns;

	clock_getres(CLOCK_MONOTONIC, &resolution);
	resolution_ns = resolution.tv_sec * 1000000000ULL + resolution.tv_nsec;
	if (describe_machine(writer, d) || describe_cmdline(writer, d) ||
	    describe_events(writer, d) || describe_groups(writer, d) ||
	    describe_buildids(writer, d->buildids) ||
	    describe_u64s(writer, PERFDATA_SAMPLE_TIME, times, 2) ||
	    describe_u64s(writer, PERFDATA_CLOCKID, &resolution_ns, 1) ||
	    describe_clock(writer))
		return -1;
	if (d->history && perfdata_write_feature(writer, PERFDATA_BRANCH_STACK,
						 "", 0))
		return -1;
	if (describe_own(writer, d))
		return -1;
	return d->lbr_depth ? describe_lbr(writer, d->lbr_depth) : 0;
}

/* The relation is one of the clocks' zeros. */
static int describe_clock_of(struct perfdata_writer *writer, const struct perfdata_info *info)
{
	const uint64_t times[2] = { info->wall, 0 };
	struct section s;

	if (!info->wall_known)
		return 0;
	if (section_open(&s))
		return -1;
	put_u32(&s, 1);
	put_u32(&s, info->wall_clockid);
	fwrite(times, sizeof(times), 1, s.out);
	return section_close(&s, writer, PERFDATA_CLOCK_DATA);
}

static int describe_cmdline_of(struct perfdata_writer *writer, const char *cmdline)
{
	struct section s;

	if (section_open(&s))
		return -1;
	put_u32(&s, 1);
	put_string(&s, cmdline);
	return section_close(&s, writer, PERFDATA_CMDLINE);
}

int perfdata_describe_again(struct perfdata_writer *writer, const struct perfdata_description *d,
			    const struct perfdata_info *info)
{
	const struct {
		enum perfdata_feature feature;
		const char *text;
	} texts[] = {
		{ PERFDATA_HOSTNAME, info->hostname }, { PERFDATA_OSRELEASE, info->osrelease },
		{ PERFDATA_ARCH, info->arch }, { PERFDATA_VERSION, info->version },
	};
	const uint64_t times[2] = { d->first, d->last };
	const uint32_t cpus[2] = { d->nr_cpus, d->nr_cpus };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].text && describe_string(writer, texts[i].feature, texts[i].text))
			return -1;
	if ((d->nr_cpus && perfdata_write_feature(writer, PERFDATA_NRCPUS, cpus, sizeof(cpus))) ||
	    (info->cmdline && describe_cmdline_of(writer, info->cmdline)) ||
	    describe_events(writer, d) || describe_buildids(writer, d->buildids) ||
	    describe_u64s(writer, PERFDATA_SAMPLE_TIME, times, 2) ||
	    describe_clock_of(writer, info))
		return -1;
	return d->history ? perfdata_write_feature(writer, PERFDATA_BRANCH_STACK, "", 0) : 0;
}
