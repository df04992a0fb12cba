// SPDX-License-Identifier: GPL-2.0
/* The events of a list that Linux counts: page faults, context switches, migrations. */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "base/descriptors.h"
#include "base/err.h"
#include "base/grow.h"
#include "base/numbered.h"
#include "base/text.h"
#include "pmu/list.h"
#include "stat/counts.h"
#include "stat/software.h"
#include "workload/workload.h"

/* The threads, each once and in order: taken before the first is counted, so that none is counted by itself that is
 * counted with the one that created it. */
struct software_threads {
	uint32_t *ids;
	size_t nr, max;
};

/* What an event of the list is counted by. */
struct software_event {
	struct stat_software *software;
	const struct events_event *event;
	unsigned int index;	/* of the event */
	struct perf_event_attr attr;
};

static int software_refused(const struct stat_software *s, const struct events_event *event, int err)
{
	char paranoid[16];

	if (err == EMFILE)
		return err_fail("counting '%s': each thread and each CPU takes a file for each of Linux's events, and "
				"%zu of them are all that this process may have open: raise ulimit -n, or count fewer",
				event->name, s->nr);
	if (err == ENOENT)	/* of a cgroup */
		return err_fail("counting '%s' of a cgroup: the cgroup has no perf_event controller; Linux adds it "
				"when another one is enabled: echo +memory >/sys/fs/cgroup/cgroup.subtree_control",
				event->name);
	if (err != EACCES && err != EPERM)
		return err_fail("counting '%s' by perf_event_open(): %s", event->name, strerror(err));
	text_first_line("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid));
	return err_fail("counting '%s': perf does not let this user (kernel.perf_event_paranoid is %s); root may, "
			"and whoever has CAP_PERFMON", event->name, paranoid);
}

static int software_open_one(struct perf_event_attr *attr, int id, int cpu, unsigned long flags)
{
	return syscall(SYS_perf_event_open, attr, id, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
}

/* Opens a counter of a task, or of a CPU (id: -1, or a cgroup). A task that has ended has none; a CPU that is offline
 * has one without a file. */
static int software_add(struct software_event *e, int id, int cpu, unsigned int place, unsigned long flags)
{
	struct stat_software *s = e->software;
	int fd = software_open_one(&e->attr, id, cpu, flags);

	if (fd < 0 && errno == EMFILE && descriptors_raise())
		fd = software_open_one(&e->attr, id, cpu, flags);
	if (fd < 0 && errno == ESRCH)
		return 0;
	if (fd < 0 && errno != ENODEV)
		return software_refused(s, e->event, errno);
	if (room_for(&s->list, s->nr + 1, &s->max, sizeof(*s->list))) {
		close(fd);
		return err_fail("out of memory");
	}
	s->list[s->nr++] = (struct software_counter){ .fd = fd, .event = e->index, .place = place, .cpu = cpu };
	return 0;
}

static int software_take(struct software_threads *t, uint32_t tid)
{
	if (room_for(&t->ids, t->nr + 1, &t->max, sizeof(*t->ids)))
		return err_fail("out of memory");
	t->ids[t->nr++] = tid;
	return 0;
}

static int software_take_process(struct software_threads *t, uint32_t pid)
{
	char path[32];
	uint32_t tid;
	int err = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return errno == ENOENT ? 0 : err_errno("reading %s", path);
	while (!err && numbered_next(tasks, &tid))
		err = software_take(t, tid);
	closedir(tasks);
	return err;
}

static int software_compare(const void *left, const void *right)
{
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static int software_take_all(struct software_threads *t, const struct control_session *who)
{
	size_t nr = 0;
	int err = 0;

	for (unsigned int i = 0; i < who->pids->nr && !err; i++)
		err = software_take_process(t, who->pids->ids[i]);
	for (unsigned int i = 0; i < who->tids->nr && !err; i++)
		err = software_take(t, who->tids->ids[i]);
	if (t->nr)
		qsort(t->ids, t->nr, sizeof(*t->ids), software_compare);
	for (size_t i = 0; i < t->nr; i++)
		if (!i || t->ids[i] != t->ids[i - 1])
			t->ids[nr++] = t->ids[i];
	t->nr = nr;
	return err;
}

static bool software_has_cpu(const struct cpulist *list, unsigned int cpu)
{
	for (unsigned int i = 0; i < list->nr; i++)
		if (list->cpus[i] == cpu)
			return true;
	return false;
}

static int software_add_cpus(struct software_event *e, const struct control_session *who, const struct cpulist *possible)
{
	struct cpulist only = { 0 };
	int err = who->cpus ? cpulist_option("stat", &only, who->cpus) : 0;

	for (unsigned int i = 0; i < possible->nr && !err; i++)
		if (!who->cpus || software_has_cpu(&only, possible->cpus[i]))
			err = software_add(e, who->in_cgroup ? who->cgroup : -1, possible->cpus[i], i,
					   who->in_cgroup ? PERF_FLAG_PID_CGROUP : 0);
	cpulist_free(&only);
	return err ? -1 : 0;
}

/* These happen in the kernel: perf counts none of them in user mode, and says 0. */
static bool software_is_kernels(const struct events_event *event)
{
	return event->perf_config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
	       event->perf_config == PERF_COUNT_SW_CPU_MIGRATIONS;
}

/* threads: NULL: the CPUs are counted. */
static int software_add_event(struct software_event *e, const struct control_session *who,
			      const struct software_threads *threads, const struct cpulist *possible)
{
	int err = 0;

	if (!(e->event->select & EVENTS_SELECT_OS) && software_is_kernels(e->event))
		return err_fail("event '%s' happens in the kernel, never in user mode: root counts it, without :u",
				e->event->name);
	e->attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(e->attr), .config = e->event->perf_config,
		.disabled = 1, .inherit = !!threads, .enable_on_exec = who->enable_on_exec,
		.exclude_user = !(e->event->select & EVENTS_SELECT_USR),
		.exclude_kernel = !(e->event->select & EVENTS_SELECT_OS),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	if (!threads)
		return software_add_cpus(e, who, possible);
	for (size_t i = 0; i < threads->nr && !err; i++)
		err = software_add(e, threads->ids[i], -1, 0, 0);
	return err;
}

int stat_software_open(struct stat_software *s, const struct eventlist *events, struct subject *subject,
		       const struct cpulist *possible)
{
	struct software_threads threads = { 0 };
	struct control_session who = { 0 };
	int err = 0;

	*s = (struct stat_software){ .of_cpus = !subject_of_tasks(subject) };
	subject_ask(subject, &who);
	s->of_cpus &= !who.in_cgroup;
	if (subject_of_tasks(subject))
		err = software_take_all(&threads, &who);
	for (unsigned int i = 0; i < events->nr && !err; i++) {
		struct software_event e = { .software = s, .event = &events->list[i].event, .index = i };

		if (e.event->software)
			err = software_add_event(&e, &who, subject_of_tasks(subject) ? &threads : NULL, possible);
	}
	free(threads.ids);
	return err ? -1 : 0;
}

void stat_software_start(const struct stat_software *s, const struct subject *subject)
{
	for (size_t i = 0; i < s->nr && !subject->of_command; i++)
		ioctl(s->list[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

static bool software_read_one(const struct software_counter *c, struct lbrscope_count *count)
{
	struct { uint64_t value, enabled, running; } one;

	if (c->fd < 0 || read(c->fd, &one, sizeof(one)) != sizeof(one))
		return false;
	*count = (struct lbrscope_count){ .value = one.value, .enabled = one.enabled, .running = one.running };
	return true;
}

void stat_software_read(const struct stat_software *s, struct lbrscope_count *counts, unsigned int nr_events)
{
	struct lbrscope_count one;

	for (size_t i = 0; i < s->nr; i++)
		counts[s->list[i].place * nr_events + s->list[i].event] = (struct lbrscope_count){ 0 };
	for (size_t i = 0; i < s->nr; i++)
		if (software_read_one(&s->list[i], &one))
			counts_add(&counts[s->list[i].place * nr_events + s->list[i].event], &one);
}

/* perf drops the counter of a CPU that goes offline without notice, and its enabled time stops. */
static bool software_missed(const struct software_counter *c)
{
	const struct timespec ticks = { .tv_nsec = 20000000 };
	struct perf_event_attr probe = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(probe), .config = PERF_COUNT_SW_DUMMY };
	struct lbrscope_count before, after;
	int fd;

	if (c->fd < 0) {
		fd = software_open_one(&probe, -1, c->cpu, 0);
		if (fd >= 0)
			close(fd);
		return fd >= 0;
	}
	if (!software_read_one(c, &before) || !software_read_one(c, &after))
		return true;
	if (after.enabled > before.enabled)
		return false;
	/* With an unreliable TSC, perf's clock may have the resolution of the tick. */
	nanosleep(&ticks, NULL);
	return !software_read_one(c, &after) || after.enabled == before.enabled;
}

void stat_software_warn(const struct stat_software *s)
{
	for (size_t i = 0; i < s->nr && s->list[i].event == s->list[0].event; i++)
		if (s->of_cpus && software_missed(&s->list[i]))
			err_warn("CPU %d was offline for a part of the time: what Linux counted on it afterwards is missing",
				 s->list[i].cpu);
}

void stat_software_close(struct stat_software *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->list[i].fd >= 0)
			close(s->list[i].fd);
	free(s->list);
	*s = (struct stat_software){ 0 };
}
