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
#include <unistd.h>

#include "base/cpulist.h"
#include "base/descriptors.h"
#include "base/err.h"
#include "base/grow.h"
#include "base/text.h"
#include "pmu/list.h"
#include "stat/software.h"
#include "workload/workload.h"

/* Where an event of the list is counted. */
struct software_place {
	struct stat_software *software;
	const struct events_event *event;
	unsigned int index;	/* of the event */
	struct perf_event_attr attr;
};

static int software_refused(const struct events_event *event, int err)
{
	char paranoid[16];

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

/* Opens a counter of a task, or of a CPU (id: -1, or a cgroup); what has ended or is offline has none. */
static int software_add(struct software_place *p, int id, int cpu, unsigned int cpu_index, unsigned long flags)
{
	struct stat_software *s = p->software;
	int fd = syscall(SYS_perf_event_open, &p->attr, id, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EMFILE && descriptors_raise())
		fd = syscall(SYS_perf_event_open, &p->attr, id, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno == ESRCH || errno == ENODEV ? 0 : software_refused(p->event, errno);
	if (room_for(&s->list, s->nr + 1, &s->max, sizeof(*s->list))) {
		close(fd);
		return err_fail("out of memory");
	}
	s->list[s->nr++] = (struct software_counter){ .fd = fd, .event = p->index, .cpu = cpu_index };
	return 0;
}

/* Each thread of the process; what they fork is counted with them. */
static int software_add_process(struct software_place *p, uint32_t pid)
{
	struct dirent *entry;
	char path[32];
	int err = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return errno == ENOENT ? 0 : err_errno("reading %s", path);
	while (!err && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			err = software_add(p, atoi(entry->d_name), -1, 0, 0);
	closedir(tasks);
	return err;
}

static int software_add_tasks(struct software_place *p, const struct control_session *who)
{
	int err = 0;

	for (unsigned int i = 0; i < who->pids->nr && !err; i++)
		err = software_add_process(p, who->pids->ids[i]);
	for (unsigned int i = 0; i < who->tids->nr && !err; i++)
		err = software_add(p, who->tids->ids[i], -1, 0, 0);
	return err;
}

static bool software_has_cpu(const struct cpulist *list, unsigned int cpu)
{
	for (unsigned int i = 0; i < list->nr; i++)
		if (list->cpus[i] == cpu)
			return true;
	return false;
}

static int software_add_cpus(struct software_place *p, const struct control_session *who,
			     const struct cpulist *possible)
{
	struct cpulist only = { 0 };
	int err = who->cpus ? cpulist_option("stat", &only, who->cpus) : 0;

	for (unsigned int i = 0; i < possible->nr && !err; i++)
		if (!who->cpus || software_has_cpu(&only, possible->cpus[i]))
			err = software_add(p, who->in_cgroup ? who->cgroup : -1, possible->cpus[i], i,
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

static int software_open_event(struct software_place *p, const struct control_session *who, bool of_tasks,
			       const struct cpulist *possible)
{
	if (!(p->event->select & EVENTS_SELECT_OS) && software_is_kernels(p->event))
		return err_fail("event '%s' happens in the kernel: root counts it, without :u", p->event->name);
	p->attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(p->attr), .config = p->event->perf_config,
		.disabled = 1, .inherit = of_tasks, .enable_on_exec = who->enable_on_exec,
		.exclude_user = !(p->event->select & EVENTS_SELECT_USR),
		.exclude_kernel = !(p->event->select & EVENTS_SELECT_OS),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	return of_tasks ? software_add_tasks(p, who) : software_add_cpus(p, who, possible);
}

int stat_software_open(struct stat_software *s, const struct eventlist *events, struct subject *subject,
		  const struct cpulist *possible)
{
	struct control_session who = { 0 };
	int err = 0;

	*s = (struct stat_software){ 0 };
	subject_ask(subject, &who);
	for (unsigned int i = 0; i < events->nr && !err; i++) {
		struct software_place place = { .software = s, .event = &events->list[i].event, .index = i };

		if (place.event->software)
			err = software_open_event(&place, &who, subject_of_tasks(subject), possible);
	}
	return err;
}

void stat_software_start(const struct stat_software *s, const struct subject *subject)
{
	for (size_t i = 0; i < s->nr && !subject->of_command; i++)
		ioctl(s->list[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

void stat_software_read(const struct stat_software *s, struct lbrscope_count *counts, unsigned int nr_events)
{
	struct { uint64_t value, enabled, running; } one;

	for (size_t i = 0; i < s->nr; i++)
		counts[s->list[i].cpu * nr_events + s->list[i].event] = (struct lbrscope_count){ 0 };
	for (size_t i = 0; i < s->nr; i++) {
		struct lbrscope_count *sum = &counts[s->list[i].cpu * nr_events + s->list[i].event];

		if (read(s->list[i].fd, &one, sizeof(one)) != sizeof(one))
			continue;
		sum->value += one.value;
		sum->enabled += one.enabled;
		sum->running += one.running;
	}
}

void stat_software_close(struct stat_software *s)
{
	for (size_t i = 0; i < s->nr; i++)
		close(s->list[i].fd);
	free(s->list);
	*s = (struct stat_software){ 0 };
}
