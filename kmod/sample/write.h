/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a sample: one record, made of the CPU's registers and the interrupted task.
 *
 * What every sample needs is inline, with few arguments: in a sample of a few words each
 * call, and each register that is saved for it, counts.
 *
 * Besides its registers, a sample costs mostly its bytes, which are written here, read,
 * and dropped by user space.  A sample therefore omits what its reader knows.  The task is
 * stated only if it differs from that of the sample before in the same ring
 * (ls_ring_knows()); rings that overwrite lose their oldest samples, and state it each
 * time.  An entry of a history has three registers where there is INFO, but only 48 + 48 +
 * 24 bits with a meaning: two words hold them (struct lbrscope_branch), and the reader
 * restores the registers' words.  With five levels of page tables addresses have 57 bits,
 * and 138 bits do not fit: there the three words are written as read.
 *
 * Context: NMI, with the rules of nmi.c, or the handler of a trigger, which the NMI may
 * interrupt.
 */
#ifndef LBRSCOPE_SAMPLE_WRITE_H
#define LBRSCOPE_SAMPLE_WRITE_H

#include <linux/kprobes.h>
#include <linux/sched.h>
#include <asm/ptrace.h>

#include <linux/lbrscope_ring.h>

#include "cpu/cpu.h"
#include "events/events.h"
#include "lbr/lbr.h"
#include "ring/ring.h"
#include "sample/task.h"
#include "sample/user.h"
#include "session/session.h"

/* The parts of a sample that is being made. */
struct ls_sample_source {
	struct ls_cpu_ctx *cpu;
	const struct ls_lbr_stack *lbr;	/* its branches; plain: they are in the registers */
	bool trigger;			/* of a trigger: there is no event */
	const struct ls_event *event;
	u32 index;			/* of its event, or trigger */
	const struct pt_regs *regs;	/* where the CPU was interrupted */
	const struct pt_regs *user;	/* registers of user mode; NULL: not known */
	unsigned long base;		/* of the user stack; 0: not known */
	u64 ip, period, value;		/* value: the trigger's */
	u64 task;			/* a struct lbrscope_task; 0: the current task's */
	u64 now;			/* ns */
	u16 format;			/* parts behind the fixed one */
	u8 flags;
	bool in_kernel;			/* the kernel was interrupted; regs may say otherwise */
	struct ls_unwind_walker *walker;	/* for a chain in place of the stack; NULL: none */
};

/* Parts that only some samples have, behind the branches and the period. */
#define SAMPLE_MORE	(LBRSCOPE_FORMAT_GROUP | LBRSCOPE_FORMAT_USER_REGS | \
			 LBRSCOPE_FORMAT_USER_STACK | \
			 LBRSCOPE_FORMAT_KERNEL_CHAIN | LBRSCOPE_FORMAT_CGROUP)
#define SAMPLE_BRANCHES	(LBRSCOPE_FORMAT_LBR_FROM | LBRSCOPE_FORMAT_LBR_TO | \
			 LBRSCOPE_FORMAT_LBR_INFO | LBRSCOPE_FORMAT_LBR_PACKED)
/* The parts that a plain sample may have. */
#define SAMPLE_PLAIN	(SAMPLE_BRANCHES | LBRSCOPE_FORMAT_PERIOD | \
			 LBRSCOPE_FORMAT_USER_DEPTH)

/*
 * The first returns the largest number of words of SAMPLE_MORE, the second writes them
 * to word and returns their end.  Both take parts of the source as arguments: a pointer
 * to it would force it into memory in every sample.
 */
u32 ls_sample_words_more(u16 format, const struct ls_event *event, u32 stack);
u64 *ls_sample_put_more(u64 *word, u16 format, struct ls_cpu_ctx *cpu, u32 index,
			const struct pt_regs *regs, const struct pt_regs *user, u32 stack);

/* Counts a sample when somebody else had switched the recording off.  Returns its flag. */
static nokprobe_inline u8 ls_sample_without_branches(struct ls_ring *ring)
{
	ls_ring_count(&ring->shared->branches_off);
	return LBRSCOPE_SAMPLE_LBR_OFF;
}

/* Returns: false: somebody else had switched the recording off. */
static nokprobe_inline bool ls_sample_read_branches(const struct ls_cpu_ctx *cpu,
						    struct ls_lbr_stack *lbr)
{
	const struct ls_lbr_mode *mode = &cpu->session->config.branches;

	if (mode->call_stack)
		return ls_lbr_save(lbr, mode->depth, mode->targets);
	lbr->nr = ls_lbr_read_history(lbr->words, cpu->session->config.sample.words, mode->depth);
	if (likely(lbr->nr != LBR_OFF))
		return true;
	lbr->nr = 0;
	return false;
}

/* Reads the branches into lbr.  Returns the sample's flags. */
static nokprobe_inline u8 ls_sample_branches(const struct ls_cpu_ctx *cpu,
					     struct ls_lbr_stack *lbr,
					     const struct pt_regs *regs)
{
	const struct ls_lbr_mode *mode = &cpu->session->config.branches;

	lbr->nr = 0;
	/*
	 * A virtual CPU is running: the counts and the branches belong to the
	 * guest, the interrupted code is KVM's.
	 */
	if (current->flags & PF_VCPU)
		return LBRSCOPE_SAMPLE_GUEST;
	if (!ls_lbr_wanted(mode) ||
	    (current->flags & PF_KTHREAD && !ls_lbr_of_kernel(mode)))
		return 0;
	/* The registers hold branches of another task. */
	if (READ_ONCE(cpu->lbr_task) != current)
		return LBRSCOPE_SAMPLE_LBR_BUSY;
	/*
	 * In the kernel this may be the debug exception of a trigger, which has switched
	 * the recording off and reads the entries next: they are not cleared.
	 */
	if ((!user_mode((struct pt_regs *)regs) && !ls_lbr_freezes(mode) &&
	     unlikely(ls_lbr_stopped())) ||
	    unlikely(!ls_sample_read_branches(cpu, lbr))) {
		return ls_sample_without_branches(cpu->ring);
	}
	/* A branch into user mode begins in the kernel. */
	if (unlikely(cpu->session->cred))
		ls_lbr_hide_kernel(lbr, mode);
	return 0;
}

/*
 * Whether the samples of the current task carry its stack.  Not between two tasks, when cur
 * is not the current one.
 */
static nokprobe_inline bool ls_sample_selected(const struct ls_cpu_ctx *cpu)
{
	const struct ls_task_node *node = cpu->cur;

	return node && READ_ONCE(node->selected) && node->task == current;
}

enum ls_sample_choice { SAMPLE_UNCHOSEN, SAMPLE_SELECTED, SAMPLE_CROWDED, SAMPLE_AUDITED };

/* Whether this sample of an event carries the stack, in a session that selects. */
enum ls_sample_choice ls_sample_choose(struct ls_cpu_ctx *cpu);

/*
 * The same for a plain sample, which has no stack, before there is room for it; then it is
 * counted in cpu->unaudited.  false: the sample has to carry the stack.
 */
static nokprobe_inline bool ls_sample_unchosen(const struct ls_cpu_ctx *cpu)
{
	return !ls_sample_selected(cpu) && cpu->unaudited;
}

/* User mode was interrupted: its registers are those of the interrupt. */
static nokprobe_inline void ls_sample_of_user(struct ls_sample_source *source)
{
	source->user = source->regs;
	source->format &= ~LBRSCOPE_FORMAT_KERNEL_CHAIN;
	source->flags |= LBRSCOPE_SAMPLE_USER;
}

/*
 * The sample is the next task's.  Of its stack only the address in the scheduler is known: the
 * kernel's chain and the user registers are those of the task before it.
 */
static nokprobe_inline void ls_sample_of_next(struct ls_sample_source *source)
{
	const struct ls_cpu_ctx *cpu = source->cpu;

	source->task = ls_sample_task_seen(cpu->cur->task, cpu->session->pid_ns);
	source->format &= ~(SAMPLE_STACK | LBRSCOPE_FORMAT_USER_DEPTH |
			    LBRSCOPE_FORMAT_KERNEL_CHAIN);
	source->flags &= ~SAMPLE_CHOICES;
	if (unlikely(cpu->session->cred))
		source->ip = 0;
}

/*
 * The kernel was interrupted.  The PMI of a user-mode event may arrive there: a user who
 * may not see the kernel gets the place where it was entered, or none.
 */
static nokprobe_inline void ls_sample_of_kernel(struct ls_sample_source *source)
{
	bool hides = source->cpu->session->cred;

	source->in_kernel = true;
	source->user = ls_user_regs(source->regs);
	/* In the switch from a task to the next, cpu->stack is the next one's. */
	if (READ_ONCE(source->cpu->lbr_task) != current) {
		source->format &= ~LBRSCOPE_FORMAT_USER_DEPTH;
		source->base = 0;
	}
	if (unlikely(hides))
		source->ip = source->user ? source->user->ip : 0;
	if (!source->user) {
		source->format &= ~(SAMPLE_STACK | LBRSCOPE_FORMAT_USER_DEPTH);
		source->flags &= ~SAMPLE_CHOICES;
	} else if (unlikely(hides)) {
		source->regs = source->user;
		ls_sample_of_user(source);
	} else {
		source->format |= LBRSCOPE_FORMAT_USER_IP;
	}
}

/* Returns: the bytes of the user stack in use. */
static nokprobe_inline u64 ls_sample_depth(const struct ls_cpu_ctx *cpu,
					   const struct pt_regs *user)
{
	return cpu->stack - user->sp;
}

/* Returns: the bytes of the user stack that the sample may have. */
static nokprobe_inline u32 ls_sample_window(const struct ls_sample_source *source)
{
	const struct ls_sample_config *config = &source->cpu->session->config.sample;
	u32 most = config->stack;

	if (!(source->format & LBRSCOPE_FORMAT_USER_STACK))
		return 0;
	if (config->selects && ls_user_is_foreign(source->base, source->user))
		most = min(most, LBRSCOPE_USER_STACK_FOREIGN);
	return ls_user_window(most, source->base, source->user);
}

/* Returns the largest number of words behind the fixed part of the record. */
static nokprobe_inline u32 ls_sample_words(const struct ls_sample_source *source)
{
	const struct ls_sample_config *config = &source->cpu->session->config.sample;
	u16 format = source->format;
	u32 words = source->lbr->nr * config->words + source->trigger + 1;

	words += !!(format & LBRSCOPE_FORMAT_USER_IP);
	words += !!(format & LBRSCOPE_FORMAT_PERIOD);
	words += !!(format & LBRSCOPE_FORMAT_USER_DEPTH);
	if (format & LBRSCOPE_FORMAT_USER_CHAIN)
		words += ls_unwind_chain_words(&source->walker->chain);
	if (unlikely(format & SAMPLE_MORE))
		words += ls_sample_words_more(format, source->event,
					      ls_sample_window(source));
	return words;
}

/*
 * Reads the branches of a plain sample to *word and moves it to their end.
 * Returns: their number; LBR_OFF: *word is as it was.
 */
static __always_inline u32 ls_sample_plain_branches(const struct ls_cpu_ctx *cpu,
						    const struct ls_event *event, u64 **word)
{
	const u32 plain = event->plain, words = cpu->session->config.sample.words;
	u64 *begin = *word, *end;
	u32 nr;

	if (unlikely(!(plain & (EVENT_PLAIN_CALLS | EVENT_PLAIN_CALLERS)))) {
		nr = ls_lbr_read_history(begin, words, event->branches);
		if (likely(nr != LBR_OFF))
			*word += nr * words;
		return nr;
	}
	end = likely(plain & EVENT_PLAIN_CALLS) ? ls_lbr_read_calls(begin, event->branches, true) :
						  ls_lbr_read_calls(begin, event->branches, false);
	if (unlikely(!end))
		return LBR_OFF;
	*word = end;
	return plain & EVENT_PLAIN_CALLS ? (u32)(end - begin) / 2 : end - begin;
}

/* The branches of a plain sample, which may turn out to be none.  Returns their end. */
static __always_inline u64 *ls_sample_put_plain_branches(const struct ls_sample_source *source,
							 struct lbrscope_record *rec, u64 *word)
{
	u32 nr = ls_sample_plain_branches(source->cpu, source->event, &word);

	if (likely(nr != LBR_OFF))
		rec->nr = nr;
	else
		rec->flags |= ls_sample_without_branches(source->cpu->ring);
	return word;
}

/*
 * Writes the parts of the format in the order of its bits, behind the value of a trigger:
 * the only place that knows this order.  Returns the end.
 * plain: a constant.  A plain sample states its task only if it is not that of the sample
 * before, its branches are still in the registers, and parts that it cannot have are no
 * code.
 */
static __always_inline u64 *ls_sample_put(const struct ls_sample_source *source,
					  struct lbrscope_record *rec, u64 *word,
					  const bool plain)
{
	const u16 format = source->format & (plain ? SAMPLE_PLAIN : U16_MAX);
	struct ls_ring *ring = source->cpu->ring;

	if (source->trigger)
		*word++ = source->value;
	if (!plain || unlikely(!ls_ring_knows(ring, source->task))) {
		rec->format |= LBRSCOPE_FORMAT_TASK;
		*word++ = source->task;
		if (!source->trigger)
			ls_ring_learn(ring, source->task);
	}
	if (format & LBRSCOPE_FORMAT_USER_IP)
		*word++ = source->user->ip;
	if (!plain)
		word = ls_lbr_copy(word, source->lbr->words, source->lbr->nr *
				   source->cpu->session->config.sample.words);
	else if (format & SAMPLE_BRANCHES)
		word = ls_sample_put_plain_branches(source, rec, word);
	if (format & LBRSCOPE_FORMAT_PERIOD)
		*word++ = source->period;
	if (unlikely(format & SAMPLE_MORE))
		word = ls_sample_put_more(word, format, source->cpu, source->index,
					  source->regs, source->user,
					  ls_sample_window(source));
	if (format & LBRSCOPE_FORMAT_USER_DEPTH)
		*word++ = ls_sample_depth(source->cpu, source->user);
	if (!plain && format & LBRSCOPE_FORMAT_USER_CHAIN)
		word = ls_unwind_chain_put(word, &source->walker->chain);
	return word;
}

/* Writes the sample to the ring, or counts it as lost. */
static nokprobe_inline void ls_sample_write_record(struct ls_sample_source *source)
{
	struct ls_ring *ring = source->cpu->ring;
	u32 room = sizeof(struct lbrscope_sample) +
		   ls_sample_words(source) * sizeof(u64);
	struct lbrscope_sample *sample;
	u64 *word;

	ls_ring_report_lost(ring);
	sample = ls_ring_reserve(ring, room);
	if (unlikely(!sample)) {
		ls_ring_lose(ring, ls_ring_refusal(ring, room));
		return;
	}
	sample->time = source->now;
	sample->ip = source->ip;
	sample->rec = (struct lbrscope_record){
		.type = source->trigger ? LBRSCOPE_RECORD_TRIGGER :
					  LBRSCOPE_RECORD_SAMPLE,
		.event = source->index,
		.format = source->format,
		.nr = source->lbr->nr,
		.flags = source->flags,
	};
	if (likely(!source->task))
		source->task = ls_sample_task_seen(current, source->cpu->session->pid_ns);
	word = ls_sample_put(source, &sample->rec, (u64 *)(sample + 1), false);
	sample->rec.size = (u8 *)word - (u8 *)sample;
	/* Only the rare parts may be shorter than their reservation. */
	if (source->format & SAMPLE_MORE)
		ls_ring_trim(ring, sample, room, sample->rec.size);
	ls_ring_deliver(ring);
	ls_ring_commit(ring);
}

/* Replaces the stack by the call chain, if the tables of the process give all of it. */
void ls_sample_use_chain(struct ls_sample_source *source);

static nokprobe_inline void ls_sample_write(struct ls_sample_source *source)
{
	if (user_mode((struct pt_regs *)source->regs))
		ls_sample_of_user(source);
	else if (unlikely(ls_sample_is_early(source->cpu)))
		ls_sample_of_next(source);
	else
		ls_sample_of_kernel(source);
	if (source->walker && source->format & LBRSCOPE_FORMAT_USER_STACK)
		ls_sample_use_chain(source);
	ls_sample_write_record(source);
}

static nokprobe_inline void ls_sample_add_stack(struct ls_sample_source *source,
						enum ls_sample_choice choice)
{
	if (choice == SAMPLE_UNCHOSEN)
		return;
	/* In a crowded ring there is room for a chain only. */
	if (choice == SAMPLE_CROWDED)
		source->flags |= LBRSCOPE_SAMPLE_CROWDED;
	if (choice != SAMPLE_CROWDED || source->walker)
		source->format |= SAMPLE_STACK;
	if (choice != SAMPLE_AUDITED)
		return;
	source->flags |= LBRSCOPE_SAMPLE_AUDIT;
	source->walker = NULL;
}

/*
 * Writes a sample of the event in this slot to the CPU's ring, or counts it as lost.
 * regs: the interrupted registers; now: ns, CLOCK_MONOTONIC.
 * Context: NMI.
 */
static nokprobe_inline void ls_sample(struct ls_cpu_ctx *cpu, const struct pt_regs *regs,
				      const struct ls_event_slot *at, u64 now)
{
	struct ls_sample_source source = {
		.cpu = cpu,
		.lbr = &cpu->scratch,
		.event = at->of,
		.index = at->event,
		.regs = regs,
		.base = cpu->stack,
		.ip = regs->ip,
		.now = now,
		/* The period that has just ended. */
		.period = cpu->owner->events[at->event].pace.period,
		.format = at->of->format,
		.flags = ls_sample_branches(cpu, &cpu->scratch, regs),
		.walker = cpu->session->config.sample.chains ? &cpu->walkers->nmi : NULL,
	};

	/* The budget, or an erratum (limits.h), has changed a fixed period. */
	if (source.period != at->of->pace.period)
		source.format |= LBRSCOPE_FORMAT_PERIOD;
	if (cpu->session->config.sample.selects)
		ls_sample_add_stack(&source, ls_sample_choose(cpu));
	ls_sample_write(&source);
}

/* Bytes of the longest plain sample. */
#define SAMPLE_PLAIN_MAX \
	(sizeof(struct lbrscope_sample) + sizeof(struct lbrscope_task) + \
	 sizeof_field(struct ls_lbr_stack, words) + 2 * sizeof(u64))

/*
 * Returns: what this sample consists of (enum ls_event_plain); 0 if it is not plain: it
 * interrupts the kernel, the budget has changed its period, the branches belong to another
 * task, or it has to carry the stack.
 */
static __always_inline u32 ls_sample_plainly(const struct ls_cpu_ctx *cpu,
					     const struct pt_regs *regs,
					     const struct ls_event *event,
					     const struct ls_pace *pace)
{
	u32 plain = event->plain;

	if (unlikely(!plain || !user_mode((struct pt_regs *)regs) ||
		     cpu->budget.stretch != BUDGET_NONE))
		return 0;
	if (!(plain & EVENT_PLAIN_VARIES) && unlikely(pace->period != event->pace.period))
		return 0;
	if (plain & EVENT_PLAIN_BRANCHES && unlikely(cpu->lbr_task != current))
		return 0;
	if (likely(plain & EVENT_PLAIN_SELECTS) && unlikely(!ls_sample_unchosen(cpu)))
		return 0;
	return plain;
}

/*
 * Writes a plain sample, whose registers go straight into the ring, and begins the next
 * period.  begin: TSC of the interrupt.
 * Returns: the number of events of the next period; 0: no sample was taken, because it is
 * not plain, or the ring may lack room for the longest one.
 * Context: NMI; from ls_ring_open() on nothing is called that might be probed.
 */
static __always_inline u64 ls_sample_plain(struct ls_cpu_ctx *cpu, const struct pt_regs *regs,
					   const struct ls_event_slot *at, struct ls_pace *pace,
					   u64 begin)
{
	const struct ls_event *event = at->of;
	u32 plain = ls_sample_plainly(cpu, regs, event, pace);
	struct ls_sample_source source = {
		.cpu = cpu,
		.event = event,
		.user = regs,
		.period = pace->period,
		.format = event->rec.format,
	};
	struct ls_ring *ring = cpu->ring;
	struct lbrscope_sample *sample;
	u64 end, *word;

	if (unlikely(!plain))
		return 0;
	source.now = ls_clock_ns(&cpu->clock, begin);
	source.task = ls_sample_task(current);
	sample = ls_ring_open(ring, SAMPLE_PLAIN_MAX, &end);
	if (unlikely(!sample))
		return 0;
	if (likely(plain & EVENT_PLAIN_SELECTS))
		cpu->unaudited--;
	sample->rec = event->rec;
	sample->time = source.now;
	sample->ip = regs->ip;
	word = ls_sample_put(&source, &sample->rec, (u64 *)(sample + 1), true);
	sample->rec.size = (u8 *)word - (u8 *)sample;
	ls_ring_deliver(ring);
	ls_ring_close(ring, sample, end, SAMPLE_PLAIN_MAX, (u8 *)word - (u8 *)sample);
	return likely(plain & EVENT_PLAIN_VARIES) ?
	       ls_pace_vary(pace, &event->pace, source.now) : pace->period;
}

#endif
