/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_SAMPLE_WRITE_H
#define LBRSCOPE_SAMPLE_WRITE_H
/*
 * What a sample says: one record, read from the registers and from the
 * interrupted task.
 *
 * In NMI context, with all that nmi.c says of it; or in a trigger's, which the NMI
 * interrupts.  It is inline there, as far as every sample needs it, and not told of
 * what it can look up: of a sample of few words each call and each register that is
 * put aside for it counts.
 */
#include <linux/kprobes.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <asm/ptrace.h>

#include <linux/lbrscope_ring.h>

#include "cpu.h"
#include "events.h"
#include "lbr.h"
#include "ring.h"
#include "session.h"
#include "user.h"

/* A sample in the making. */
struct sample_source {
	struct cpu_ctx *cpu;
	struct lbr_stack *lbr;		/* its branches */
	bool trigger;			/* it is one's, and has no event */
	const struct event *event;
	u32 index;			/* of its event, or trigger */
	const struct pt_regs *regs;	/* where the CPU was interrupted */
	const struct pt_regs *user;	/* of user mode; NULL: not known */
	u64 ip, period, value;		/* value: of a trigger */
	u64 now;			/* ns; of a plain one, the TSC */
	u16 format;			/* what follows */
	u8 flags;
	/*
	 * Constant where this is compiled: the event is plain, and user mode was
	 * interrupted, so that all else than ring and branches is known.
	 */
	bool plain;
	bool tells;			/* it says of which task it is; constant */
};

/* What comes behind the branches and the period, and is asked for rarely. */
#define SAMPLE_MORE	(LBRSCOPE_FORMAT_GROUP | LBRSCOPE_FORMAT_USER_REGS | \
			 LBRSCOPE_FORMAT_USER_STACK | \
			 LBRSCOPE_FORMAT_KERNEL_CHAIN | LBRSCOPE_FORMAT_CGROUP)
#define SAMPLE_ARRAYS	(LBRSCOPE_FORMAT_LBR_FROM | LBRSCOPE_FORMAT_LBR_TO | \
			 LBRSCOPE_FORMAT_LBR_INFO | LBRSCOPE_FORMAT_LBR_PACKED)

/*
 * How many words SAMPLE_MORE is, at most; and these words, to the end that is
 * returned.  They are not told of the source as such, which would have to be in
 * memory then, for every sample.
 */
u32 ls_sample_words_more(u16 format, const struct event *event, u32 stack);
u64 *ls_sample_put_more(u64 *word, u16 format, struct cpu_ctx *cpu, u32 index,
			const struct pt_regs *regs, const struct pt_regs *user);

/* Returns the sample's flags. */
static nokprobe_inline u8 ls_sample_branches(const struct cpu_ctx *cpu,
					     struct lbr_stack *lbr)
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
		ls_lbr_read_calls(lbr, mode->targets);
	else
		ls_lbr_read_history(lbr);
	/* A branch into user mode begins in the kernel. */
	if (unlikely(cpu->session->cred))
		ls_lbr_hide_kernel(lbr, mode);
	return 0;
}

/*
 * The same where user mode was interrupted and nothing has to be hidden; false: the
 * registers do not hold this task's.
 */
static nokprobe_inline bool sample_plain_branches(const struct cpu_ctx *cpu,
						  struct lbr_stack *lbr)
{
	const struct lbr_mode *mode = &cpu->session->config.branches;

	/* The usual case is asked for first. */
	if (!mode->targets && !mode->call_stack && !mode->history) {
		lbr->nr = 0;
		return true;
	}
	if (unlikely(cpu->lbr_task != current))
		return false;
	if (mode->targets)
		ls_lbr_read_calls(lbr, true);
	else if (mode->call_stack)
		ls_lbr_read_calls(lbr, false);
	else
		ls_lbr_read_history(lbr);
	return true;
}

/* The word of a struct lbrscope_task: of the current one, as init sees it. */
static nokprobe_inline u64 sample_task(void)
{
	/* The compiler of older kernels does not see that this is one load. */
	static_assert(offsetof(struct task_struct, tgid) ==
		      offsetof(struct task_struct, pid) + sizeof(u32));
	return *(const u64 *)&current->pid;
}

static nokprobe_inline u64 sample_task_seen(struct pid_namespace *ns)
{
	if (ns == &init_pid_ns)
		return sample_task();
	return (u64)task_tgid_nr_ns(current, ns) << 32 |
	       (u32)task_pid_nr_ns(current, ns);
}

/* Returns the word behind it. */
static nokprobe_inline u64 *sample_put_task(const struct sample_source *source,
					    u64 *word)
{
	struct cpu_ctx *cpu = source->cpu;

	*word = sample_task_seen(cpu->session->pid_ns);
	if (!source->trigger)
		ls_ring_learn(cpu->ring, *word);
	return word + 1;
}

/* Of user mode: what it was interrupted with is what it has. */
static nokprobe_inline void sample_of_user(struct sample_source *source)
{
	source->user = source->regs;
	source->format &= ~LBRSCOPE_FORMAT_KERNEL_CHAIN;
	source->flags |= LBRSCOPE_SAMPLE_USER;
}

/*
 * The kernel was interrupted.  An event of user mode alone may overflow there and be
 * told of in the kernel: who may not look at that sees where it was entered, or
 * nowhere.
 */
static nokprobe_inline void sample_of_kernel(struct sample_source *source)
{
	bool hides = source->cpu->session->cred;

	source->user = ls_user_regs(source->regs);
	if (unlikely(hides))
		source->ip = source->user ? source->user->ip : 0;
	if (!source->user) {
		source->format &= ~(LBRSCOPE_FORMAT_USER_REGS |
				    LBRSCOPE_FORMAT_USER_STACK);
	} else if (unlikely(hides)) {
		source->regs = source->user;
		sample_of_user(source);
	} else {
		source->format |= LBRSCOPE_FORMAT_USER_IP;
	}
}

/* How many words follow the fixed part of the record, at most. */
static nokprobe_inline u32 sample_words(const struct sample_source *source)
{
	const struct sample_config *config = &source->cpu->session->config.sample;
	u16 format = source->format;
	u32 words = source->lbr->nr * config->arrays + source->trigger +
		    source->tells;

	if (source->plain)
		return words;
	words += !!(format & LBRSCOPE_FORMAT_USER_IP);
	words += !!(format & LBRSCOPE_FORMAT_PERIOD);
	if (unlikely(format & SAMPLE_MORE))
		words += ls_sample_words_more(format, source->event,
					      config->stack);
	return words;
}

/* In line, since a call costs more than to copy so few words. */
static nokprobe_inline u64 *sample_put_array(u64 *word, const u64 *from, u64 nr)
{
	asm volatile("rep movsq" : "+D" (word), "+S" (from), "+c" (nr)
		     : : "memory");
	return word;
}

/* Writes what the format says, in the order of its bits; returns the end. */
static nokprobe_inline u64 *sample_put(const struct sample_source *source, u64 *word)
{
	const struct lbr_stack *lbr = source->lbr;
	u16 format = source->plain ? source->event->format : source->format;

	if (source->tells)
		word = sample_put_task(source, word);
	if (!source->plain && format & LBRSCOPE_FORMAT_USER_IP)
		*word++ = source->user->ip;
	/* Where there is INFO, there is TO, and where there is TO, there is FROM. */
	if (format & LBRSCOPE_FORMAT_LBR_TO) {
		word = sample_put_array(word, lbr->from, lbr->nr);
		word = sample_put_array(word, lbr->to, lbr->nr);
		if (format & LBRSCOPE_FORMAT_LBR_INFO)
			word = sample_put_array(word, lbr->info, lbr->nr);
	} else if (format & LBRSCOPE_FORMAT_LBR_FROM) {
		word = sample_put_array(word, lbr->from, lbr->nr);
	} else if (format & LBRSCOPE_FORMAT_LBR_PACKED) {
		word = sample_put_array(word, (u64 *)lbr->packed, 2 * lbr->nr);
	}
	if (source->plain)
		return word;
	if (format & LBRSCOPE_FORMAT_PERIOD)
		*word++ = source->period;
	if (unlikely(format & SAMPLE_MORE))
		word = ls_sample_put_more(word, format, source->cpu, source->index,
					  source->regs, source->user);
	return word;
}

static nokprobe_inline void sample_set_record(const struct sample_source *source,
					      struct lbrscope_record *rec, u16 size)
{
	if (source->plain)
		*rec = source->event->rec;
	else
		*rec = (struct lbrscope_record){
			.type = source->trigger ? LBRSCOPE_RECORD_TRIGGER :
						  LBRSCOPE_RECORD_SAMPLE,
			.event = source->index,
			.format = source->format,
			.flags = source->flags,
		};
	if (source->tells)
		rec->format |= LBRSCOPE_FORMAT_TASK;
	rec->size = size;
	rec->nr = source->lbr->nr;
}

/* Into the ring, or counted as lost. */
static nokprobe_inline void sample_write(const struct sample_source *source)
{
	struct ring *ring = source->cpu->ring;
	u32 room = sizeof(struct lbrscope_sample) +
		   sample_words(source) * sizeof(u64);
	struct lbrscope_sample *sample;
	u64 *word;

	ls_ring_report_lost(ring);
	sample = ls_ring_reserve(ring, room);
	if (unlikely(!sample)) {
		ls_ring_lose(ring, ls_ring_refusal(ring, room));
		return;
	}
	sample->time = source->plain ?
		       ls_clock_ns(&source->cpu->clock, source->now) : source->now;
	sample->ip = source->plain ? source->regs->ip : source->ip;
	word = (u64 *)(sample + 1);
	if (source->trigger)
		*word++ = source->value;
	word = sample_put(source, word);
	/* All but what is rare is as long as was known before. */
	sample_set_record(source, &sample->rec,
			  source->plain ? room : (u8 *)word - (u8 *)sample);
	if (!source->plain && source->format & SAMPLE_MORE)
		ls_ring_trim(ring, sample, room, sample->rec.size);
	ls_ring_deliver(ring);
	ls_ring_commit(ring);
}

static nokprobe_inline void ls_sample_write(struct sample_source *source)
{
	if (user_mode((struct pt_regs *)source->regs))
		sample_of_user(source);
	else
		sample_of_kernel(source);
	sample_write(source);
}

/*
 * From the NMI: a sample of the event in this slot, of what regs were interrupted
 * at, at the time now (ns, CLOCK_MONOTONIC), goes into the CPU's ring, or counts as
 * lost.
 */
static nokprobe_inline void ls_sample(struct cpu_ctx *cpu, const struct pt_regs *regs,
				      const struct event_slot *at, u64 now)
{
	struct sample_source source = {
		.cpu = cpu,
		.lbr = &cpu->scratch,
		.event = at->of,
		.index = at->event,
		.regs = regs,
		.ip = regs->ip,
		.now = now,
		/* The one that has just ended. */
		.period = cpu->owner[at->event].pace.period,
		.format = at->of->format,
		.flags = ls_sample_branches(cpu, &cpu->scratch),
		.tells = true,
	};

	/* The budget has stretched one that does not vary otherwise. */
	if (source.period != at->of->pace.period)
		source.format |= LBRSCOPE_FORMAT_PERIOD;
	ls_sample_write(&source);
}

/*
 * The same of a plain event, where user mode was interrupted at the TSC's begin.
 * false: it is not as plain as that, and has not been taken.
 */
static nokprobe_inline bool ls_sample_plain(struct cpu_ctx *cpu,
					    const struct pt_regs *regs,
					    const struct event_slot *at, u64 begin)
{
	const struct sample_source source = {
		.plain = true,
		.cpu = cpu,
		.lbr = &cpu->scratch,
		.event = at->of,
		.regs = regs,
		.now = begin,
	};
	struct sample_source first = source;

	if (!sample_plain_branches(cpu, &cpu->scratch))
		return false;
	first.tells = true;
	if (likely(ls_ring_knows(cpu->ring, sample_task())))
		sample_write(&source);
	else
		sample_write(&first);
	return true;
}

#endif
