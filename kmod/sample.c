// SPDX-License-Identifier: GPL-2.0
/*
 * What a sample says: one record, read from the registers and from the
 * interrupted task.
 *
 * In NMI context, with all that nmi.c says of it; or in a trigger's, which the NMI
 * interrupts.
 */
#include <linux/bitops.h>
#include <linux/kprobes.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <asm/ptrace.h>

#include "caps.h"
#include "chain.h"
#include "counters.h"
#include "compat/cgroup.h"
#include "cpu.h"
#include "ring.h"
#include "sample.h"
#include "session.h"
#include "trigger.h"
#include "user.h"

/* Returns the sample's flags. */
static nokprobe_inline u8 sample_read_branches(const struct cpu_ctx *cpu, struct lbr_stack *lbr)
{
	const struct lbr_mode *mode = &cpu->session->config.branches;

	lbr->nr = 0;
	/*
	 * A virtual CPU is running: the counter and the branches are the
	 * guest's, the interrupted code is KVM's.
	 */
	if (current->flags & PF_VCPU)
		return LBRSCOPE_SAMPLE_GUEST;
	if (!ls_lbr_wanted(mode) ||
	    (current->flags & PF_KTHREAD && !ls_lbr_of_kernel(mode)))
		return 0;
	/* Nobody sees what belongs to another task. */
	if (READ_ONCE(cpu->lbr_task) != current)
		return LBRSCOPE_SAMPLE_LBR_BUSY;
	if (mode->call_stack)
		ls_lbr_read_calls(lbr);
	else
		ls_lbr_read_history(lbr);
	/* A branch into user mode begins in the kernel. */
	if (unlikely(cpu->session->cred))
		ls_lbr_hide_kernel(lbr);
	return 0;
}

static nokprobe_inline void sample_set_pids(const struct session *session,
			    struct lbrscope_sample *sample)
{
	if (session->pid_ns == &init_pid_ns) {
		sample->pid = current->tgid;
		sample->tid = current->pid;
	} else {
		sample->pid = task_tgid_nr_ns(current, session->pid_ns);
		sample->tid = task_pid_nr_ns(current, session->pid_ns);
	}
}

/* What comes behind the branches and the period, and is asked for rarely. */
#define SAMPLE_MORE	(LBRSCOPE_FORMAT_GROUP | LBRSCOPE_FORMAT_USER_REGS | \
			 LBRSCOPE_FORMAT_USER_STACK | \
			 LBRSCOPE_FORMAT_KERNEL_CHAIN | LBRSCOPE_FORMAT_CGROUP)

void ls_sample_prepare(struct sample_config *config,
		       const struct lbr_mode *mode, struct events *events)
{
	u32 i;

	if (ls_lbr_wanted(mode)) {
		config->format |= LBRSCOPE_FORMAT_LBR_FROM |
				  LBRSCOPE_FORMAT_LBR_TO;
		config->arrays = 2;
	}
	if (mode->history && ls_caps.lbr_info) {
		config->format |= LBRSCOPE_FORMAT_LBR_INFO;
		config->arrays++;
	}
	for (i = 0; i < events->nr; i++) {
		struct event *event = &events->list[i];

		event->format = config->format;
		if (ls_pace_varies(&event->pace))
			event->format |= LBRSCOPE_FORMAT_PERIOD;
		if (event->reads_group)
			event->format |= LBRSCOPE_FORMAT_GROUP;
	}
}

/* A sample in the making. */
struct sample_source {
	struct cpu_ctx *cpu;
	struct lbr_stack *lbr;		/* its branches */
	bool trigger;			/* it is one's, and has no event */
	const struct event *event;
	u32 index;			/* of its event, or trigger */
	const struct pt_regs *regs;	/* where the CPU was interrupted */
	const struct pt_regs *user;	/* of user mode; NULL: not known */
	u64 ip, now, value;		/* value: of a trigger */
	u16 format;			/* what follows */
	u8 flags;
};

static nokprobe_inline bool sample_in_user(const struct sample_source *source)
{
	return source->user == source->regs;
}

/* The one that has just ended. */
static nokprobe_inline u64 sample_period(const struct sample_source *source)
{
	return source->cpu->owner[source->index].pace.period;
}

static nokprobe_inline u16 sample_format(const struct sample_source *source)
{
	const struct event *event = source->event;
	u16 format;

	if (!source->trigger) {
		format = event->format;
		/* The budget has stretched one that does not vary otherwise. */
		if (sample_period(source) != event->pace.period)
			format |= LBRSCOPE_FORMAT_PERIOD;
	} else {
		format = source->cpu->session->config.sample.format;
	}
	if (sample_in_user(source))
		return format & ~LBRSCOPE_FORMAT_KERNEL_CHAIN;
	if (source->user)
		return format | LBRSCOPE_FORMAT_USER_IP;
	return format & ~(LBRSCOPE_FORMAT_USER_REGS | LBRSCOPE_FORMAT_USER_STACK);
}

/*
 * How many words SAMPLE_MORE is, at most.  It is not told of the source as such, which
 * would have to be in memory then, for every sample.
 */
static u32 sample_words_more(u16 format, const struct event *event, u32 stack)
{
	u32 words = 0;

	if (format & LBRSCOPE_FORMAT_GROUP)
		words += 1 + hweight64(event->members);
	if (format & LBRSCOPE_FORMAT_USER_REGS)
		words += LBRSCOPE_USER_REGS_NR;
	if (format & LBRSCOPE_FORMAT_USER_STACK)
		words += 1 + stack / sizeof(u64);
	if (format & LBRSCOPE_FORMAT_KERNEL_CHAIN)
		words += 1 + LBRSCOPE_KERNEL_CHAIN_MAX;
	if (format & LBRSCOPE_FORMAT_CGROUP)
		words++;
	return words;
}
NOKPROBE_SYMBOL(sample_words_more);

/* How many words follow the fixed part of the record, at most. */
static nokprobe_inline u32 sample_words(const struct sample_source *source)
{
	const struct sample_config *config = &source->cpu->session->config.sample;
	u16 format = source->format;
	u32 words = source->lbr->nr * config->arrays;

	words += !!(format & LBRSCOPE_FORMAT_USER_IP);
	words += !!(format & LBRSCOPE_FORMAT_PERIOD);
	words += source->trigger;
	if (unlikely(format & SAMPLE_MORE))
		words += sample_words_more(format, source->event, config->stack);
	return words;
}

static nokprobe_inline u64 *sample_put_array(u64 *word, const u64 *from, u32 nr)
{
	memcpy(word, from, nr * sizeof(u64));
	return word + nr;
}

static u64 *sample_put_group(u64 *word, struct cpu_ctx *cpu, u32 index)
{
	u32 members = hweight64(cpu->session->events->list[index].members);

	*word++ = members;
	ls_counters_read_group(cpu, index, word);
	return word + members;
}
NOKPROBE_SYMBOL(sample_put_group);

static u64 *sample_put_more(u64 *word, u16 format, struct cpu_ctx *cpu, u32 index,
			    const struct pt_regs *regs, const struct pt_regs *user)
{
	if (format & LBRSCOPE_FORMAT_GROUP)
		word = sample_put_group(word, cpu, index);
	if (format & LBRSCOPE_FORMAT_USER_REGS)
		word = ls_user_put_regs(word, user);
	if (format & LBRSCOPE_FORMAT_USER_STACK)
		word = ls_user_put_stack(word, user,
					 cpu->session->config.sample.stack);
	if (format & LBRSCOPE_FORMAT_KERNEL_CHAIN)
		word = ls_chain_put(word, current, regs);
	if (format & LBRSCOPE_FORMAT_CGROUP)
		*word++ = compat_cgroup_id();
	return word;
}
NOKPROBE_SYMBOL(sample_put_more);

/* Writes what the format says, in the order of its bits; returns the end. */
static nokprobe_inline u64 *sample_put(const struct sample_source *source, u64 *word)
{
	const struct lbr_stack *lbr = source->lbr;
	u16 format = source->format;

	if (format & LBRSCOPE_FORMAT_USER_IP)
		*word++ = source->user->ip;
	if (format & LBRSCOPE_FORMAT_LBR_FROM) {
		word = sample_put_array(word, lbr->from, lbr->nr);
		word = sample_put_array(word, lbr->to, lbr->nr);
	}
	if (format & LBRSCOPE_FORMAT_LBR_INFO)
		word = sample_put_array(word, lbr->info, lbr->nr);
	if (format & LBRSCOPE_FORMAT_PERIOD)
		*word++ = sample_period(source);
	if (unlikely(format & SAMPLE_MORE))
		word = sample_put_more(word, format, source->cpu, source->index,
				       source->regs, source->user);
	return word;
}

/*
 * An event of user mode alone may overflow there and be told of in the kernel: it
 * belongs to where the kernel was entered, or to nowhere.
 */
static nokprobe_inline void sample_hide_kernel(struct sample_source *source)
{
	if (sample_in_user(source))
		return;
	source->ip = source->user ? source->user->ip : 0;
	if (source->user)
		source->regs = source->user;
}

/* Into the ring, or counted as lost. */
static nokprobe_inline void sample_write(struct sample_source *source)
{
	struct ring *ring = source->cpu->ring;
	struct lbrscope_sample *sample;
	u64 *word;
	u32 room;

	if (unlikely(source->cpu->session->cred))
		sample_hide_kernel(source);
	source->format = sample_format(source);
	room = sizeof(*sample) + sample_words(source) * sizeof(u64);
	ls_ring_report_lost(ring);
	sample = ls_ring_reserve(ring, room);
	if (!sample) {
		ls_ring_lose(ring, ls_ring_refusal(ring, room));
		return;
	}
	sample->time = source->now;
	sample->ip = source->ip;
	sample_set_pids(source->cpu->session, sample);
	word = (u64 *)(sample + 1);
	if (source->trigger)
		*word++ = source->value;
	word = sample_put(source, word);
	sample->rec = (struct lbrscope_record){
		.size = (u8 *)word - (u8 *)sample,
		.type = source->trigger ? LBRSCOPE_RECORD_TRIGGER :
				  LBRSCOPE_RECORD_SAMPLE,
		.event = source->index,
		.format = source->format,
		.nr = source->lbr->nr,
		.flags = source->flags | (sample_in_user(source) ?
					  LBRSCOPE_SAMPLE_USER : 0),
	};
	ls_ring_trim(ring, sample, room, sample->rec.size);
	ls_ring_deliver(ring);
	ls_ring_commit(ring);
}

void ls_sample(struct cpu_ctx *cpu, const struct pt_regs *regs, u32 index,
	       u64 now)
{
	struct sample_source source = {
		.cpu = cpu,
		.lbr = &cpu->scratch,
		.event = &cpu->session->events->list[index],
		.index = index,
		.regs = regs,
		.user = ls_user_regs(regs),
		.ip = regs->ip,
		.now = now,
		.flags = sample_read_branches(cpu, &cpu->scratch),
	};

	sample_write(&source);
}
NOKPROBE_SYMBOL(ls_sample);

void ls_sample_trigger(struct cpu_ctx *cpu, struct lbr_stack *lbr,
		       const struct trigger *trigger,
		       const struct pt_regs *regs, u64 ip, u64 value)
{
	struct sample_source source = {
		.cpu = cpu,
		.trigger = true,
		.lbr = lbr,
		.index = trigger->index,
		.regs = regs,
		.user = ls_user_regs(regs),
		.ip = ip,
		.value = value,
		.now = ktime_get_mono_fast_ns(),
	};

	if (trigger->kind == LBRSCOPE_TRIGGER_EXEC) {
		lbr->nr = 0;
		source.flags = LBRSCOPE_SAMPLE_LBR_BUSY;
	} else {
		source.flags = sample_read_branches(cpu, lbr);
	}
	sample_write(&source);
}
NOKPROBE_SYMBOL(ls_sample_trigger);
