// SPDX-License-Identifier: GPL-2.0
/*
 * The rare parts of a sample, and the samples of triggers.  The common parts are inline
 * functions of sample/write.h.
 *
 * The length of what a sample has on request (SAMPLE_MORE) is not known before it is read.
 * It is written straight into the ring: room for the longest is reserved, and the rest
 * given back.  If the record might not fit half of the ring, so that some places would
 * never hold it, the sample is lost (TOO_LARGE).
 */
#include <linux/bitops.h>
#include <linux/kprobes.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>

#include "compat/cgroup.h"
#include "counters/counters.h"
#include "cpu/cpu.h"
#include "pmu/caps.h"
#include "sample/chain.h"
#include "sample/sample.h"
#include "sample/user.h"
#include "sample/write.h"
#include "session/session.h"
#include "task/task.h"
#include "trigger/trigger.h"
#include "unwind/unwind.h"

/* Returns what plain samples of the event consist of: enum ls_event_plain. */
static u32 ls_sample_plainness(const struct ls_session *session, const struct ls_event *event)
{
	const struct ls_lbr_mode *mode = &session->config.branches;
	u32 plain = EVENT_PLAIN;

	if (event->format & ~(SAMPLE_PLAIN | LBRSCOPE_FORMAT_KERNEL_CHAIN) ||
	    event->counted || event->grain > 1 || event->freezes || event->only.wanted ||
	    session->cred ||
	    session->pid_ns != &init_pid_ns)
		return 0;
	if (ls_pace_varies(&event->pace))
		plain |= EVENT_PLAIN_VARIES;
	if (session->config.sample.selects)
		plain |= EVENT_PLAIN_SELECTS;
	if (ls_lbr_wanted(mode))
		plain |= EVENT_PLAIN_BRANCHES;
	if (mode->call_stack)
		plain |= mode->targets ? EVENT_PLAIN_CALLS : EVENT_PLAIN_CALLERS;
	return plain;
}

static void ls_sample_prepare_event(const struct ls_session *session,
				    struct ls_event *event, u32 index)
{
	event->format = session->config.sample.format;
	if (ls_pace_varies(&event->pace))
		event->format |= LBRSCOPE_FORMAT_PERIOD;
	if (event->reads_group)
		event->format |= LBRSCOPE_FORMAT_GROUP;
	event->plain = ls_sample_plainness(session, event);
	event->branches = session->config.branches.depth;
	event->rec = (struct lbrscope_record){
		.type = LBRSCOPE_RECORD_SAMPLE,
		.event = index,
		.format = event->format & ~LBRSCOPE_FORMAT_KERNEL_CHAIN,
		.flags = LBRSCOPE_SAMPLE_USER,
	};
}

/* Chooses the format of the branches. */
static void ls_sample_prepare_branches(struct ls_sample_config *config,
				       const struct ls_lbr_mode *mode)
{
	static const u16 formats[LBR_WORDS_MAX + 1] = {
		0,
		LBRSCOPE_FORMAT_LBR_FROM,
		LBRSCOPE_FORMAT_LBR_FROM | LBRSCOPE_FORMAT_LBR_TO,
		LBRSCOPE_FORMAT_LBR_FROM | LBRSCOPE_FORMAT_LBR_TO |
		LBRSCOPE_FORMAT_LBR_INFO,
	};

	config->words = ls_lbr_words(mode);
	config->format |= mode->history && ls_caps.lbr_packs ?
			  LBRSCOPE_FORMAT_LBR_PACKED : formats[config->words];
}

/* Bytes of the longest sample, whose length has to fit 16 bits. */
#define SAMPLE_MOST \
	(sizeof(struct lbrscope_trigger) + sizeof(struct lbrscope_task) + \
	 sizeof_field(struct ls_lbr_stack, words) + LBRSCOPE_USER_STACK_MAX + \
	 sizeof(u64) * ((1 + LBRSCOPE_EVENTS_MAX) + LBRSCOPE_USER_REGS_NR + \
			(1 + LBRSCOPE_KERNEL_CHAIN_MAX) + \
			5 /* USER_IP, PERIOD, the stack's size, CGROUP, USER_DEPTH */))

void ls_sample_prepare(struct ls_session *session)
{
	struct ls_sample_config *config = &session->config.sample;
	u32 i;

	BUILD_BUG_ON(SAMPLE_MOST > U16_MAX);
	if (config->selects)
		config->format &= ~SAMPLE_STACK;
	config->seed = get_random_u64();
	ls_sample_prepare_branches(config, &session->config.branches);
	for (i = 0; i < session->events->nr; i++)
		ls_sample_prepare_event(session, &session->events->list[i], i);
}

/*
 * Draws the number of samples up to the next audited one: evenly from 0 to 2 (n - 1), so
 * that one sample in n is audited, and no program keeps step with them.
 */
static u32 ls_sample_draw(u64 *random, u32 n)
{
	return n ? (u64)ls_pace_random(random) * (2 * n - 1) >> 32 : U32_MAX;
}
NOKPROBE_SYMBOL(ls_sample_draw);

void ls_sample_begin(struct ls_cpu_ctx *cpu, const struct ls_sample_config *config)
{
	cpu->audits = (config->seed ^ (smp_processor_id() + 1) * 0x9e3779b97f4a7c15ULL) | 1;
	cpu->unaudited = ls_sample_draw(&cpu->audits, config->audit);
}

/*
 * What a sample of the current task carries, if the task is selected.  A stack is a hundred times
 * as long as a sample without one.  Where the reader does not keep up, the samples go on without
 * stacks, and say so, rather than be lost; call chains are short.
 */
static enum ls_sample_choice ls_sample_choose_selected(const struct ls_cpu_ctx *cpu)
{
	if (!ls_sample_selected(cpu))
		return SAMPLE_UNCHOSEN;
	return ls_ring_crowded(cpu->ring) ? SAMPLE_CROWDED : SAMPLE_SELECTED;
}
NOKPROBE_SYMBOL(ls_sample_choose_selected);

enum ls_sample_choice ls_sample_choose(struct ls_cpu_ctx *cpu)
{
	const struct ls_sample_config *config = &cpu->session->config.sample;
	const enum ls_sample_choice choice = ls_sample_choose_selected(cpu);

	if (choice != SAMPLE_UNCHOSEN)
		return choice;
	if (cpu->unaudited) {
		cpu->unaudited--;
		return SAMPLE_UNCHOSEN;
	}
	/* The audit waits for the next sample. */
	if (ls_ring_crowded(cpu->ring))
		return SAMPLE_UNCHOSEN;
	cpu->unaudited = ls_sample_draw(&cpu->audits, config->audit);
	return config->audit ? SAMPLE_AUDITED : SAMPLE_UNCHOSEN;
}
NOKPROBE_SYMBOL(ls_sample_choose);

/*
 * Whether the memory that is loaded is the current task's: always where user mode was
 * interrupted, but the kernel may be between two, or have loaded another one for a moment.
 */
static bool ls_sample_has_memory(const struct ls_sample_source *source)
{
	u64 word;

	return !source->in_kernel ||
	       !copy_from_user_nmi(&word, (const void __user *)source->user->sp, sizeof(word));
}
NOKPROBE_SYMBOL(ls_sample_has_memory);

static bool ls_sample_walk(struct ls_sample_source *source)
{
	const struct ls_task_node *node = source->cpu->cur;
	const struct ls_unwind_ranges *ranges;

	if (!node || node->task != current)
		return false;
	/* An NMI is a reader: RCU waits for it as for code with interrupts off. */
	ranges = rcu_dereference_raw(node->ranges);
	if (!ranges || current->in_execve || !ls_sample_has_memory(source))
		return false;
	ls_unwind_walk(ranges, source->user, source->base, &source->walker->chain,
		       &source->walker->cache);
	return source->walker->chain.head.end == LBRSCOPE_CHAIN_ENTRY;
}
NOKPROBE_SYMBOL(ls_sample_walk);

void ls_sample_use_chain(struct ls_sample_source *source)
{
	if (ls_sample_walk(source)) {
		source->format ^= SAMPLE_STACK | LBRSCOPE_FORMAT_USER_CHAIN;
		source->flags &= ~LBRSCOPE_SAMPLE_CROWDED;
	} else if (source->flags & LBRSCOPE_SAMPLE_CROWDED) {
		source->format &= ~SAMPLE_STACK;
	}
}
NOKPROBE_SYMBOL(ls_sample_use_chain);

u32 ls_sample_words_more(u16 format, const struct ls_event *event, u32 stack)
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
NOKPROBE_SYMBOL(ls_sample_words_more);

static u64 *ls_sample_put_group(u64 *word, struct ls_cpu_ctx *cpu, u32 index)
{
	u32 members = hweight64(cpu->session->events->list[index].members);

	*word++ = members;
	ls_counters_read_group(cpu, index, word);
	return word + members;
}
NOKPROBE_SYMBOL(ls_sample_put_group);

u64 *ls_sample_put_more(u64 *word, u16 format, struct ls_cpu_ctx *cpu, u32 index,
			const struct pt_regs *regs, const struct pt_regs *user, u32 stack)
{
	if (format & LBRSCOPE_FORMAT_GROUP)
		word = ls_sample_put_group(word, cpu, index);
	if (format & LBRSCOPE_FORMAT_USER_REGS)
		word = ls_user_put_regs(word, user);
	if (format & LBRSCOPE_FORMAT_USER_STACK)
		word = ls_user_put_stack(word, user, stack);
	if (format & LBRSCOPE_FORMAT_KERNEL_CHAIN)
		word = ls_chain_put(word, current, regs);
	if (format & LBRSCOPE_FORMAT_CGROUP)
		*word++ = compat_cgroup_id(ls_sample_is_early(cpu) ? cpu->cur->task : current);
	return word;
}
NOKPROBE_SYMBOL(ls_sample_put_more);

void ls_sample_clock(struct ls_cpu_ctx *cpu, struct ls_lbr_stack *lbr,
		     const struct ls_event *event, u32 index,
		     const struct pt_regs *regs, u64 now)
{
	struct ls_sample_source source = {
		.cpu = cpu,
		.lbr = lbr,
		.event = event,
		.index = index,
		.format = event->format,
		.regs = regs,
		.base = cpu->stack,
		.ip = regs->ip,
		/* The one that has just ended. */
		.period = cpu->owner->events[index].pace.period,
		.now = now,
		.walker = cpu->session->config.sample.chains ? &cpu->walkers->tick : NULL,
	};

	if (ls_lbr_of_kernel(&cpu->session->config.branches)) {
		/* The registers hold those of the interrupt itself. */
		lbr->nr = 0;
		source.flags = LBRSCOPE_SAMPLE_LBR_BUSY;
	} else {
		source.flags = ls_sample_branches(cpu, lbr, regs);
	}
	/* There is no audit: its generator is the NMI's. */
	if (cpu->session->config.sample.selects)
		ls_sample_add_stack(&source, ls_sample_choose_selected(cpu));
	/* The budget has changed a fixed period. */
	if (source.period != event->pace.period)
		source.format |= LBRSCOPE_FORMAT_PERIOD;
	ls_sample_write(&source);
}

void ls_sample_trigger(struct ls_cpu_ctx *cpu, struct ls_lbr_stack *lbr,
		       const struct ls_trigger *trigger,
		       const struct pt_regs *regs, u64 ip, u64 value)
{
	struct ls_sample_source source = {
		.cpu = cpu,
		.trigger = true,
		.lbr = lbr,
		.index = trigger->index,
		.format = cpu->session->config.sample.format,
		.regs = regs,
		.base = cpu->stack,
		.ip = ip,
		.value = value,
		.now = ktime_get_mono_fast_ns(),
	};

	if (trigger->kind == LBRSCOPE_TRIGGER_EXEC) {
		lbr->nr = 0;
		source.flags = LBRSCOPE_SAMPLE_LBR_BUSY;
		/* hooks_exec() comes later, and cpu->stack is the old program's. */
		source.format &= ~LBRSCOPE_FORMAT_USER_DEPTH;
		source.base = 0;
	} else {
		source.flags = ls_sample_branches(cpu, lbr, regs);
		/* There is no memory for a chain. */
		if (cpu->session->config.sample.selects)
			ls_sample_add_stack(&source, ls_sample_choose_selected(cpu));
	}
	ls_sample_write(&source);
}
NOKPROBE_SYMBOL(ls_sample_trigger);
