// SPDX-License-Identifier: GPL-2.0
/* Finds what the machine is short of. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/numbered.h"
#include "triage/triage.h"

/* Percentages from which on a value is mentioned. */
#define PRESSED		10
#define BUSY		50
#define STOLEN		10

static FILE *triage_open(const char *proc, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	return fopen(path, "re");
}

/* user nice system idle iowait irq softirq steal: Documentation/filesystems/proc.rst */
static void read_cpu(const char *line, struct triage_state *s)
{
	uint64_t t[8] = {};

	sscanf(line, "%*s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
	       " %" SCNu64 " %" SCNu64 " %" SCNu64, &t[0], &t[1], &t[2], &t[3], &t[4],
	       &t[5], &t[6], &t[7]);
	s->busy = t[0] + t[1] + t[2] + t[5] + t[6];
	s->idle = t[3] + t[4];
	s->iowait = t[4];
	s->steal = t[7];
}

int triage_read_stat(const char *proc, struct triage_state *s)
{
	FILE *in = triage_open(proc, "stat");
	char *line = NULL;
	size_t size = 0;

	if (!in)
		return err_errno("opening %s/stat", proc);
	while (getline(&line, &size, in) > 0) {
		if (!strncmp(line, "cpu ", 4))
			read_cpu(line, s);
		else if (!strncmp(line, "cpu", 3))
			s->cpus++;
		else if (sscanf(line, "procs_running %u", &s->running) == 1)
			s->running -= !!s->running;
		else
			sscanf(line, "procs_blocked %u", &s->blocked);
	}
	free(line);
	fclose(in);
	return 0;
}

/* Documentation/accounting/psi.rst */
static void read_pressure(const char *proc, struct triage_state *s)
{
	static const char *const names[TRIAGE_RESOURCES] = {
		"pressure/cpu", "pressure/memory", "pressure/io",
	};
	char line[256];
	FILE *in;
	int i;

	for (i = 0; i < TRIAGE_RESOURCES; i++) {
		in = triage_open(proc, names[i]);
		while (in && fgets(line, sizeof(line), in)) {
			char *total = strstr(line, "total=");
			uint64_t *to = !strncmp(line, "some", 4) ? &s->some[i] : &s->full[i];

			if (total)
				*to = strtoull(total + 6, NULL, 10);
			s->has_pressure |= total != NULL;
		}
		if (in)
			fclose(in);
	}
}

static void read_numbers(const char *proc, const char *name, struct triage_state *s)
{
	uint64_t total = 0, unused = 0, other;
	const struct {
		const char *name;
		uint64_t *to;
	} numbers[] = {
		{ "MemTotal: %" SCNu64, &s->memory },
		{ "MemAvailable: %" SCNu64, &s->available },
		{ "SwapTotal: %" SCNu64, &total },
		{ "SwapFree: %" SCNu64, &unused },
		{ "pswpin %" SCNu64, &s->swapped },
		{ "pswpout %" SCNu64, &other },
		{ "pgmajfault %" SCNu64, &s->major_faults },
		{ "oom_kill %" SCNu64, &s->oom_kills },
	};
	FILE *in = triage_open(proc, name);
	char line[256];
	size_t i;

	while (in && fgets(line, sizeof(line), in))
		for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
			if (sscanf(line, numbers[i].name, numbers[i].to) == 1 &&
			    numbers[i].to == &other)
				s->swapped += other;
	if (in)
		fclose(in);
	if (total)
		s->swap_used = total - unused;
}

/* Documentation/admin-guide/iostats.rst: field 10 behind the name, ms with requests in flight. */
static int read_disks(const char *proc, struct triage_state *s)
{
	FILE *in = triage_open(proc, "diskstats");
	char line[512];

	while (in && fgets(line, sizeof(line), in)) {
		struct triage_disk disk;

		if (sscanf(line, "%*u %*u %31s %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
			   disk.name, &disk.busy) != 2)
			continue;
		if (room_for(&s->disks, s->nr_disks + 1, &s->max_disks, sizeof(*s->disks))) {
			fclose(in);
			return err_errno("reading %s/diskstats", proc);
		}
		s->disks[s->nr_disks++] = disk;
	}
	if (in)
		fclose(in);
	return 0;
}

/* "pid (comm) state ...": comm may contain any character; the times are fields 14 and 15. */
static bool read_process(const char *proc, uint32_t pid, struct triage_process *p)
{
	char name[32], line[1024], *open, *close;
	uint64_t user, kernel;
	size_t got;
	FILE *in;

	snprintf(name, sizeof(name), "%u/stat", pid);
	in = triage_open(proc, name);
	if (!in)
		return false;
	got = fread(line, 1, sizeof(line) - 1, in);
	fclose(in);
	line[got] = '\0';
	open = strchr(line, '(');
	close = strrchr(line, ')');
	if (!open || !close || close < open ||
	    sscanf(close + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64
		   " %" SCNu64, &user, &kernel) != 2)
		return false;
	p->pid = pid;
	p->ticks = user + kernel;
	*close = '\0';
	snprintf(p->comm, sizeof(p->comm), "%s", open + 1);
	return true;
}

static int process_compare(const void *x, const void *y)
{
	const struct triage_process *a = x, *b = y;

	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static int read_processes(const char *proc, struct triage_state *s)
{
	DIR *dir = opendir(proc);
	uint32_t pid;

	if (!dir)
		return err_errno("reading %s", proc);
	while (numbered_next(dir, &pid)) {
		if (room_for(&s->processes, s->nr_processes + 1, &s->max_processes,
			     sizeof(*s->processes))) {
			closedir(dir);
			return err_errno("reading %s", proc);
		}
		if (read_process(proc, pid, &s->processes[s->nr_processes]))
			s->nr_processes++;
	}
	closedir(dir);
	if (s->nr_processes)
		qsort(s->processes, s->nr_processes, sizeof(*s->processes),
		      process_compare);
	return 0;
}

int triage_read(const char *proc, struct triage_state *s)
{
	memset(s, 0, sizeof(*s));
	if (triage_read_stat(proc, s) || read_disks(proc, s) || read_processes(proc, s))
		return -1;
	read_pressure(proc, s);
	read_numbers(proc, "meminfo", s);
	read_numbers(proc, "vmstat", s);
	return 0;
}

void triage_free(struct triage_state *s)
{
	free(s->disks);
	free(s->processes);
}

static double share(uint64_t before, uint64_t after, double whole)
{
	return after > before && whole > 0 ? 100.0 * (after - before) / whole : 0;
}

/* Skips the process of lbrctl itself. */
static void compare_processes(const struct triage_state *before,
			      const struct triage_state *after, double seconds,
			      struct triage_result *r)
{
	const struct triage_process *old;
	uint64_t ticks, most = 0;
	size_t i;

	for (i = 0; i < after->nr_processes; i++) {
		const struct triage_process *p = &after->processes[i];

		old = before->nr_processes ?
		      bsearch(p, before->processes, before->nr_processes, sizeof(*p),
			      process_compare) : NULL;
		ticks = p->ticks - (old && old->ticks < p->ticks ? old->ticks : 0);
		if ((old && old->ticks >= p->ticks) || ticks <= most ||
		    p->pid == (uint32_t)getpid())
			continue;
		most = ticks;
		r->top = *p;
	}
	r->top_busy = 100.0 * most / sysconf(_SC_CLK_TCK) / seconds;
}

static void compare_disks(const struct triage_state *before,
			  const struct triage_state *after, double seconds,
			  struct triage_result *r)
{
	size_t i, j;
	double busy;

	for (i = 0; i < after->nr_disks; i++)
		for (j = 0; j < before->nr_disks; j++) {
			if (strcmp(after->disks[i].name, before->disks[j].name))
				continue;
			busy = share(before->disks[j].busy, after->disks[i].busy,
				     1000 * seconds);
			if (busy <= r->disk_busy)
				continue;
			r->disk_busy = busy;
			memcpy(r->disk, after->disks[i].name, sizeof(r->disk));
		}
}

void triage_compare(const struct triage_state *before, const struct triage_state *after,
		    double seconds, struct triage_result *r)
{
	double ticks = after->busy + after->idle + after->steal -
		       (double)(before->busy + before->idle + before->steal);
	int i;

	r->cpus = after->cpus;
	r->busy = share(before->busy, after->busy, ticks);
	r->iowait = share(before->iowait, after->iowait, ticks);
	r->steal = share(before->steal, after->steal, ticks);
	r->has_pressure = before->has_pressure && after->has_pressure;
	for (i = 0; i < TRIAGE_RESOURCES; i++) {
		r->some[i] = share(before->some[i], after->some[i], 1e6 * seconds);
		r->full[i] = share(before->full[i], after->full[i], 1e6 * seconds);
	}
	r->available = share(0, after->available, after->memory);
	r->swap_used = after->swap_used;
	r->swapped = after->swapped - before->swapped;
	r->major_faults = after->major_faults - before->major_faults;
	r->oom_kills = after->oom_kills - before->oom_kills;
	compare_disks(before, after, seconds, r);
	compare_processes(before, after, seconds, r);
}

/* Finds the process that uses most of the CPUs, if there is one. */
static void command(struct triage_advice *a, const struct triage_result *r,
		    const char *options)
{
	if (r->top.pid && r->top_busy > 0.5 * r->busy * r->cpus)
		snprintf(a->command, sizeof(a->command), "lbrctl record %s-p %u -- sleep 10",
			 options, r->top.pid);
	else
		snprintf(a->command, sizeof(a->command), "lbrctl record %s-a -- sleep 10",
			 options);
}

static void advise_on_cpu(const struct triage_result *r, struct triage_advice *a)
{
	bool slow = r->has_ipc && r->ipc < 0.5;

	a->kind = "on-cpu";
	snprintf(a->reason, sizeof(a->reason), "the CPUs are %.0f %% busy, %s for them %.0f %% "
		 "of the time%s: see which functions", r->busy, r->has_pressure ?
		 "tasks waited" : "waiting is not known,", r->some[TRIAGE_CPU], slow ?
		 ", and an instruction takes two cycles or more, so they probably wait for "
		 "memory" : "");
	command(a, r, slow ? "-e '{cycles,instructions,cache-misses}:S' " : "");
}

void triage_advise(const struct triage_result *r, struct triage_advice *a)
{
	memset(a, 0, sizeof(*a));
	if (r->steal >= STOLEN) {
		a->kind = "steal";
		snprintf(a->reason, sizeof(a->reason), "the hypervisor gives %.0f %% of the "
			 "CPUs' time to others: the host is short of CPUs, which no profile of "
			 "this machine shows", r->steal);
		command(a, r, "");
	} else if (r->some[TRIAGE_MEMORY] >= PRESSED || r->oom_kills) {
		a->kind = "memory";
		snprintf(a->reason, sizeof(a->reason), "tasks waited for memory %.0f %% of the "
			 "time: it is too small for the load, or a process grows; see which "
			 "tasks wait", r->some[TRIAGE_MEMORY]);
		snprintf(a->command, sizeof(a->command),
			 "lbrctl record --off-cpu -a -- sleep 10");
	} else if (r->some[TRIAGE_IO] >= PRESSED && r->some[TRIAGE_IO] >= r->busy) {
		a->kind = "off-cpu";
		snprintf(a->reason, sizeof(a->reason), "tasks waited for I/O %.0f %% of the "
			 "time%s%s: see where", r->some[TRIAGE_IO], *r->disk ?
			 ", the busiest disk is " : "", r->disk);
		snprintf(a->command, sizeof(a->command),
			 "lbrctl record --off-cpu -a -- sleep 10");
	} else if (r->busy >= BUSY || r->some[TRIAGE_CPU] >= PRESSED ||
		   r->top_busy >= BUSY) {
		advise_on_cpu(r, a);
	} else {
		a->kind = "idle";
		snprintf(a->reason, sizeof(a->reason), "no resource is short: the CPUs are %.0f "
			 "%% busy. Slow programs wait for something else; see where",
			 r->busy);
		command(a, r, "--off-cpu ");
	}
}
