// SPDX-License-Identifier: GPL-2.0
/* Checks the options of a recording against the CPU and the module, chooses what they leave open
 * (the event without a PMU, where stacks come from, the size of the rings), and opens the session. */
#include <stdio.h>

#include "base/err.h"
#include "pmu/branches.h"
#include "record/recording.h"

#define RECORD_RING_WINDOWS	256

static int record_owned(const struct control_info *info)
{
	char owner[80];

	return err_fail("another session uses the PMU (%s): end it and try again",
			control_owner(info, owner, sizeof(owner)));
}

/* Branches are recorded in the modes that the events count, as in perf; without events, in user
 * mode. */
static uint32_t record_levels(const struct eventlist *events)
{
	uint32_t levels = events->nr ? 0 : LBRSCOPE_FILTER_USER;
	unsigned int i;

	for (i = 0; i < events->nr; i++) {
		if (events->list[i].event.select & EVENTS_SELECT_USR)
			levels |= LBRSCOPE_FILTER_USER;
		if (events->list[i].event.select & EVENTS_SELECT_OS)
			levels |= LBRSCOPE_FILTER_KERNEL;
	}
	return levels;
}

/* If the CPU has no call stacks, or does not prove them, each whole stack is read from memory. */
static void record_ask_stacks(struct record *r)
{
	struct record_options *o = r->options;

	o->stacks_where_needed &= r->info.call_stack && !o->stack_window && !o->flight;
	if (o->stacks_where_needed)
		o->stack_window = LBRSCOPE_USER_STACK_MAX;
	if (r->info.call_stack || o->stack_window)
		return;
	if (o->flight)
		err_warn("this CPU's LBR has no call-stack mode, and a flight recorder "
			 "keeps stacks only as --stack-window asks for: samples will "
			 "hold the address only, no callers");
	else
		o->stack_window = LBRSCOPE_USER_STACK_MAX;
}

/* Decides what the branch registers record. */
static int record_ask_branches(struct record *r)
{
	struct record_options *o = r->options;

	if (o->lbr_callers && !r->info.call_stack)
		return err_fail("this CPU's LBR has no call-stack mode: record "
				"without --lbr-callers");
	if (o->lbr_depth && !r->info.lbr_depth)
		return err_fail("this CPU or virtual machine has no branch records: record without --lbr-depth");
	if (o->lbr_depth && !o->branches && !r->info.call_stack)
		return err_fail("this CPU's LBR has no call-stack mode: record with -b, or "
				"without --lbr-depth");
	if (o->lbr_depth > r->info.lbr_depth)
		return err_fail("--lbr-depth %u: this CPU's LBR has %u entries", o->lbr_depth,
				r->info.lbr_depth);
	r->lbr_depth = o->lbr_depth ? o->lbr_depth : r->info.lbr_depth;
	if (!o->branches) {
		r->branches = r->info.call_stack && !o->no_lbr ?
			      LBRSCOPE_BRANCHES_CALL_STACK :
			      LBRSCOPE_BRANCHES_NONE;
		if (!o->no_lbr)
			record_ask_stacks(r);
		return 0;
	}
	r->branches = LBRSCOPE_BRANCHES_HISTORY;
	if (!(o->branch_filter & LBRSCOPE_FILTER_LEVELS))
		o->branch_filter |= record_levels(&o->events);
	if (!r->info.branch_filter)
		return err_fail("this CPU or virtual machine has no branch records: record "
				"without -b and -j");
	if (o->branch_filter & ~r->info.branch_filter)
		return err_fail("this CPU records only user-mode branches: add :u to the event, "
				"or u to -j");
	return 0;
}

/* Without a PMU the default event is a clock. */
static int record_ask_without_pmu(struct record *r)
{
	struct record_options *o = r->options;
	char why[256];

	if (!r->info.no_pmu[0] || !o->default_event)
		return 0;
	o->events.nr = 0;
	return eventlist_parse(&o->events, "cpu-clock", why, sizeof(why)) ?
	       err_fail("%s", why) : 0;
}

static void record_warn_without_pmu(const struct record *r)
{
	if (r->info.no_pmu[0] && r->options->default_event)
		err_warn("no PMU (%s): a timer takes the samples (cpu-clock). Code that runs "
			 "with interrupts off is not seen, and there are no hardware events",
			 r->info.no_pmu);
}

/* The module refuses these as well, but cannot say which option is to change. */
static int record_ask_clocks(const struct record *r)
{
	const struct record_options *o = r->options;
	uint64_t period = eventlist_clock_period(o->period, o->frequency);
	unsigned int i, clocks = 0;

	for (i = 0; i < o->events.nr; i++)
		clocks += o->events.list[i].event.clock;
	if (clocks > LBRSCOPE_CLOCKS_MAX)
		return err_fail("%u clocks are to be sampled: %u at most", clocks,
				LBRSCOPE_CLOCKS_MAX);
	if (clocks && !r->info.privileged && period < LBRSCOPE_CLOCK_PERIOD_USER_MIN)
		return err_fail("a clock's period of %llu ns is too short without privilege: at "
				"least %u ns (-c), %u samples a second at most (-F)",
				(unsigned long long)period, LBRSCOPE_CLOCK_PERIOD_USER_MIN,
				1000000000 / LBRSCOPE_CLOCK_PERIOD_USER_MIN);
	return 0;
}

int record_ask(struct record *r)
{
	const struct record_options *o = r->options;
	int err = 0;

	if (control_ask(&r->control, &r->info))
		return ERR_EXIT_FAILED;
	if (r->info.unsupported[0])
		err = err_fail("no session can be started on this CPU: %s",
			       r->info.unsupported);
	else if (r->info.lbr_depth && !branches_known(r->info.lbr_format))
		err = err_fail("this lbrctl does not know LBR format %u of the module: use the "
			       "lbrctl of the module's version",
			       r->info.lbr_format);
	else if (r->info.owned && !(r->info.owner_yields && r->info.privileged))
		/* START would fail too, but only after a file was made and the watchdog
		 * switched off. */
		err = record_owned(&r->info);
	if (err)
		return ERR_EXIT_FAILED;
	if (record_ask_without_pmu(r) ||
	    eventlist_check(&o->events, &r->info, o->subject.all) || record_ask_clocks(r))
		return ERR_EXIT_FAILED;
	if (o->period && o->period < r->info.period_min)
		return err_usage("record", "a period of %llu is too short: at least %llu events, "
				 "or ns of a clock, on this CPU",
				 (unsigned long long)o->period,
				 (unsigned long long)r->info.period_min);
	if (!r->info.privileged)
		eventlist_only_user(&r->options->events);
	eventlist_warn_cores(&o->events, &r->info, o->subject.cpus);
	if (o->audit_asked && !r->info.call_stack)
		return err_usage("record", "--audit: this CPU's LBR has no call-stack mode, so "
				 "there is nothing to check: record without --audit");
	if (record_ask_branches(r))
		return ERR_EXIT_FAILED;
	record_warn_without_pmu(r);
	return session_check() ? ERR_EXIT_FAILED : 0;
}

static void record_ask_events(const struct record *r,
			      struct control_event *events)
{
	const struct record_options *o = r->options;
	unsigned int i;

	eventlist_ask(&o->events, events);
	for (i = 0; i < o->events.nr; i++) {
		if (!eventlist_samples(&o->events, i))
			continue;
		events[i].period = o->period;
		events[i].frequency = o->frequency;
		if (events[i].clock) {
			events[i].period = eventlist_clock_period(o->period, o->frequency);
			events[i].frequency = 0;
		}
		events[i].jitter = o->jitter;
		events[i].seed = o->seed;
	}
}

/* The fields of samples besides addresses: LBRSCOPE_FORMAT_REQUESTS. */
static uint32_t record_requests(const struct record *r)
{
	uint32_t requests = 0;

	if (r->options->stack_window)
		requests |= LBRSCOPE_FORMAT_USER_REGS |
			    LBRSCOPE_FORMAT_USER_STACK;
	/* The recorder follows mappings if it unwinds stacks. */
	if (r->options->stack_window && !r->options->keep_stacks)
		requests |= LBRSCOPE_FORMAT_USER_CHAIN;
	if (record_events_chain(r->options, r->branches))
		requests |= LBRSCOPE_FORMAT_KERNEL_CHAIN;
	if (r->options->cgroups)
		requests |= LBRSCOPE_FORMAT_CGROUP;
	if (r->branches == LBRSCOPE_BRANCHES_CALL_STACK)
		requests |= LBRSCOPE_FORMAT_USER_DEPTH;
	return requests;
}

/* The default has room for RECORD_RING_WINDOWS windows of the user stack, for a caller who may
 * have rings of that size. Most of the largest window is seldom in use. */
static uint32_t record_ring_size(const struct record *r, uint32_t stack_window)
{
	uint32_t size = LBRSCOPE_RING_SIZE_DEFAULT;

	if (stack_window == LBRSCOPE_USER_STACK_MAX)
		stack_window = 2 * LBRSCOPE_USER_STACK_DEFAULT;

	if (r->options->flight)
		return r->options->flight;
	if (r->options->ring)
		return r->options->ring;
	while (r->info.privileged && size < LBRSCOPE_RING_SIZE_MAX &&
	       size / RECORD_RING_WINDOWS < stack_window)
		size *= 2;
	return size;
}

int record_open_session(struct record *r)
{
	const struct record_options *o = r->options;
	struct control_event events[LBRSCOPE_EVENTS_MAX];
	struct control_session settings = {
		.events = events,
		.nr_events = o->events.nr,
		.branches = r->branches,
		.branch_filter = o->branch_filter,
		.branch_reset = o->lbr_reset &&
				r->branches == LBRSCOPE_BRANCHES_CALL_STACK,
		.branch_callers = o->lbr_callers,
		.branch_depth = o->lbr_depth,
		.ring_size = record_ring_size(r, o->stack_window),
		.sample = record_requests(r),
		.user_stack = o->stack_window,
		.stacks_selected = o->stacks_where_needed,
		.stack_audit = o->audit,
		.budget = o->budget,
		.offcpu = o->offcpu,
		.overwrite = o->flight,
		.triggers = &o->triggers,
	};

	settings.offcpu.callers = o->offcpu.wanted && settings.sample & LBRSCOPE_FORMAT_USER_CHAIN;
	record_ask_events(r, events);
	subject_ask(&r->subject, &settings);
	return session_open(&r->session, &r->control, &settings);
}
