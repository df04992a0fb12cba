// SPDX-License-Identifier: GPL-2.0
/* Writes the attributes of the request that sets a session up. */
#include <errno.h>
#include <netlink/attr.h>
#include <netlink/netlink.h>

#include "module/request.h"
#include "module/triggers.h"

static int control_put_only(struct nl_msg *msg, const struct control_only *only)
{
	if (!only->wanted)
		return 0;
	NLA_PUT_U32(msg, LBRSCOPE_EVENT_A_ONLY_OVER, only->over);
	NLA_PUT_U32(msg, LBRSCOPE_EVENT_A_ONLY_UNDER, only->under);
	if (only->above)
		NLA_PUT_U64(msg, LBRSCOPE_EVENT_A_ONLY_ABOVE, only->above);
	if (only->below)
		NLA_PUT_U64(msg, LBRSCOPE_EVENT_A_ONLY_BELOW, only->below);
	return 0;

nla_put_failure:
	return -EMSGSIZE;
}

static int control_put_event(struct nl_msg *msg, const struct control_event *e,
			     unsigned int index)
{
	struct nlattr *nest = nla_nest_start(msg, 1 + index);

	if (!nest)
		goto nla_put_failure;
	NLA_PUT_U64(msg, LBRSCOPE_EVENT_A_CONFIG, e->config);
	if (e->clock)
		NLA_PUT_U32(msg, LBRSCOPE_EVENT_A_SOURCE, LBRSCOPE_SOURCE_CLOCK);
	if (e->frequency)
		NLA_PUT_U32(msg, LBRSCOPE_EVENT_A_FREQUENCY, e->frequency);
	if (e->period)
		NLA_PUT_U64(msg, LBRSCOPE_EVENT_A_PERIOD, e->period);
	if (e->jitter) {
		NLA_PUT_U32(msg, LBRSCOPE_EVENT_A_JITTER, e->jitter);
		NLA_PUT_U64(msg, LBRSCOPE_EVENT_A_SEED, e->seed);
	}
	if (e->grouped)
		NLA_PUT_U32(msg, LBRSCOPE_EVENT_A_GROUP, e->group);
	if (e->counters)
		NLA_PUT_U64(msg, LBRSCOPE_EVENT_A_COUNTERS, e->counters);
	if (e->has_extra)
		NLA_PUT_U64(msg, LBRSCOPE_EVENT_A_EXTRA, e->extra);
	if (e->read_group)
		NLA_PUT_FLAG(msg, LBRSCOPE_EVENT_A_READ_GROUP);
	if (control_put_only(msg, &e->only))
		goto nla_put_failure;
	nla_nest_end(msg, nest);
	return 0;

nla_put_failure:
	return -EMSGSIZE;
}

static int control_put_offcpu(struct nl_msg *msg,
			      const struct control_offcpu *o)
{
	struct nlattr *nest;

	if (!o->wanted)
		return 0;
	nest = nla_nest_start(msg, LBRSCOPE_SESSION_A_OFFCPU);
	if (!nest)
		goto nla_put_failure;
	NLA_PUT_U64(msg, LBRSCOPE_OFFCPU_A_MIN, o->min);
	if (o->rate)
		NLA_PUT_U32(msg, LBRSCOPE_OFFCPU_A_RATE, o->rate);
	if (o->waker)
		NLA_PUT_FLAG(msg, LBRSCOPE_OFFCPU_A_WAKER);
	if (o->callers)
		NLA_PUT_FLAG(msg, LBRSCOPE_OFFCPU_A_CALLERS);
	nla_nest_end(msg, nest);
	return 0;

nla_put_failure:
	return -EMSGSIZE;
}

static int control_put_trigger(struct nl_msg *msg,
			       const struct triggers_trigger *t, bool freeze,
			       int type)
{
	struct nlattr *nest = nla_nest_start(msg, type);

	if (!nest)
		goto nla_put_failure;
	NLA_PUT_U32(msg, LBRSCOPE_TRIGGER_A_KIND, t->kind);
	if (freeze)
		NLA_PUT_FLAG(msg, LBRSCOPE_TRIGGER_A_FREEZE);
	if (t->kind == LBRSCOPE_TRIGGER_WATCHPOINT) {
		NLA_PUT_U64(msg, LBRSCOPE_TRIGGER_A_ADDRESS, t->address);
		NLA_PUT_U32(msg, LBRSCOPE_TRIGGER_A_LENGTH, t->length);
		if (t->reads)
			NLA_PUT_FLAG(msg, LBRSCOPE_TRIGGER_A_READS);
	}
	if (t->kind == LBRSCOPE_TRIGGER_UPROBE) {
		NLA_PUT_U32(msg, LBRSCOPE_TRIGGER_A_FILE, t->file);
		NLA_PUT_U64(msg, LBRSCOPE_TRIGGER_A_OFFSET, t->offset);
	}
	if (t->symbol)
		NLA_PUT_STRING(msg, LBRSCOPE_TRIGGER_A_SYMBOL, t->symbol);
	if (t->signal)
		NLA_PUT_U32(msg, LBRSCOPE_TRIGGER_A_SIGNAL, t->signal);
	if (t->event)
		NLA_PUT_U32(msg, LBRSCOPE_TRIGGER_A_EVENT, t->index);
	if (t->min)
		NLA_PUT_U64(msg, LBRSCOPE_TRIGGER_A_MIN, t->min);
	nla_nest_end(msg, nest);
	return 0;

nla_put_failure:
	return -EMSGSIZE;
}

static int control_put_triggers(struct nl_msg *msg,
				const struct control_session *s)
{
	struct nlattr *nest;
	size_t i;

	if (!s->triggers || !s->triggers->nr)
		return 0;
	nest = nla_nest_start(msg, LBRSCOPE_SESSION_A_TRIGGERS);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < s->triggers->nr; i++)
		if (control_put_trigger(msg, &s->triggers->list[i],
					s->overwrite, i + 1))
			return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

static int control_put_events(struct nl_msg *msg,
			      const struct control_session *s)
{
	struct nlattr *nest;
	unsigned int i;

	if (!s->nr_events)
		return 0;
	nest = nla_nest_start(msg, LBRSCOPE_SESSION_A_EVENTS);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < s->nr_events; i++)
		if (control_put_event(msg, &s->events[i], i))
			return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

int control_put_session(struct nl_msg *msg,
			       const struct control_session *s)
{
	NLA_PUT_U32(msg, LBRSCOPE_SESSION_A_FD, s->fd);
	if (control_put_events(msg, s))
		goto nla_put_failure;
	NLA_PUT_U32(msg, LBRSCOPE_SESSION_A_BRANCHES, s->branches);
	if (s->branches == LBRSCOPE_BRANCHES_HISTORY)
		NLA_PUT_U32(msg, LBRSCOPE_SESSION_A_BRANCH_FILTER,
			    s->branch_filter);
	if (s->branch_reset)
		NLA_PUT_FLAG(msg, LBRSCOPE_SESSION_A_BRANCH_RESET);
	if (s->branch_callers)
		NLA_PUT_FLAG(msg, LBRSCOPE_SESSION_A_BRANCH_CALLERS);
	if (s->branch_depth)
		NLA_PUT_U32(msg, LBRSCOPE_SESSION_A_BRANCH_DEPTH, s->branch_depth);
	NLA_PUT_U32(msg, LBRSCOPE_SESSION_A_RING_SIZE, s->ring_size);
	NLA_PUT_U32(msg, LBRSCOPE_SESSION_A_SAMPLE, s->sample);
	if (s->sample & LBRSCOPE_FORMAT_USER_STACK)
		NLA_PUT_U32(msg, LBRSCOPE_SESSION_A_USER_STACK, s->user_stack);
	if (s->stacks_selected)
		NLA_PUT_U32(msg, LBRSCOPE_SESSION_A_STACK_MODE, LBRSCOPE_STACKS_NEW);
	if (s->stacks_selected && s->stack_audit)
		NLA_PUT_U32(msg, LBRSCOPE_SESSION_A_STACK_AUDIT, s->stack_audit);
	if (s->budget)
		NLA_PUT_U32(msg, LBRSCOPE_SESSION_A_BUDGET, s->budget);
	if (s->cpus)
		NLA_PUT_STRING(msg, LBRSCOPE_SESSION_A_CPUS, s->cpus);
	if (s->pids && s->pids->nr)
		NLA_PUT(msg, LBRSCOPE_SESSION_A_TARGET_PIDS,
			s->pids->nr * sizeof(s->pids->ids[0]), s->pids->ids);
	if (s->tids && s->tids->nr)
		NLA_PUT(msg, LBRSCOPE_SESSION_A_TARGET_TIDS,
			s->tids->nr * sizeof(s->tids->ids[0]), s->tids->ids);
	if (s->in_cgroup)
		NLA_PUT_U32(msg, LBRSCOPE_SESSION_A_TARGET_CGROUP, s->cgroup);
	if (s->enable_on_exec)
		NLA_PUT_FLAG(msg, LBRSCOPE_SESSION_A_ENABLE_ON_EXEC);
	if (s->task_counts)
		NLA_PUT_FLAG(msg, LBRSCOPE_SESSION_A_TASK_COUNTS);
	if (s->overwrite)
		NLA_PUT_FLAG(msg, LBRSCOPE_SESSION_A_OVERWRITE);
	return control_put_offcpu(msg, &s->offcpu) ||
	       control_put_triggers(msg, s) ? -EMSGSIZE : 0;

nla_put_failure:
	return -EMSGSIZE;
}

int control_put_selection(struct nl_msg *msg, int fd, const struct tasks_list *pids, bool on)
{
	NLA_PUT_U32(msg, LBRSCOPE_SESSION_A_FD, fd);
	NLA_PUT(msg, LBRSCOPE_SESSION_A_TARGET_PIDS, pids->nr * sizeof(pids->ids[0]), pids->ids);
	if (!on)
		NLA_PUT_FLAG(msg, LBRSCOPE_SESSION_A_STACK_OFF);
	return 0;

nla_put_failure:
	return -EMSGSIZE;
}
