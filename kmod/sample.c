// SPDX-License-Identifier: GPL-2.0
/*
 * What a sample says: one record, read from the registers and from the
 * interrupted task.
 *
 * In NMI context, with all that nmi.c says of it.
 */
#include <linux/bitops.h>
#include <linux/kprobes.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/ptrace.h>

#include "caps.h"
#include "counters.h"
#include "chain.h"
#include "compat/cgroup.h"
#include "cpu.h"
#include "ring.h"
#include "sample.h"
#include "session.h"
#include "user.h"

/* Returns the sample's flags; branch entries into cpu->scratch. */
static u8 sample_read_branches(struct cpu_ctx *cpu)
{
	const struct lbr_mode *mode = &cpu->session->config.branches;

	cpu->scratch.nr = 0;
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
		ls_lbr_read_calls(&cpu->scratch);
	else
		ls_lbr_read_history(&cpu->scratch);
	return 0;
}
NOKPROBE_SYMBOL(sample_read_branches);

static void sample_set_pids(const struct session *session,
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
NOKPROBE_SYMBOL(sample_set_pids);

/* What the branch words of a sample are; see enum lbrscope_format. */
static u16 sample_branch_format(const struct lbr_mode *mode)
{
	if (!ls_lbr_wanted(mode))
		return 0;
	return LBRSCOPE_FORMAT_LBR_FROM | LBRSCOPE_FORMAT_LBR_TO |
	       (mode->history && ls_caps.lbr_info ?
		LBRSCOPE_FORMAT_LBR_INFO : 0);
}
NOKPROBE_SYMBOL(sample_branch_format);

/* A sample in the making. */
struct sample_source {
	struct cpu_ctx *cpu;
	u32 index;			/* of its event */
	const struct pt_regs *regs;	/* where the CPU was interrupted */
	const struct pt_regs *user;	/* of user mode; NULL: not known */
	u16 format;			/* what follows struct lbrscope_sample */
};

static bool sample_in_user(const struct sample_source *source)
{
	return source->user == source->regs;
}
NOKPROBE_SYMBOL(sample_in_user);

static const struct event *sample_event(const struct sample_source *source)
{
	return &source->cpu->session->events->list[source->index];
}
NOKPROBE_SYMBOL(sample_event);

static u16 sample_format(const struct sample_source *source)
{
	const struct session_config *config = &source->cpu->session->config;
	const struct event *event = sample_event(source);
	u16 format = sample_branch_format(&config->branches) |
		     config->sample.format;

	if (ls_pace_varies(&event->pace))
		format |= LBRSCOPE_FORMAT_PERIOD;
	if (event->reads_group)
		format |= LBRSCOPE_FORMAT_GROUP;
	if (sample_in_user(source))
		return format & ~LBRSCOPE_FORMAT_KERNEL_CHAIN;
	if (source->user)
		return format | LBRSCOPE_FORMAT_USER_IP;
	return format & ~(LBRSCOPE_FORMAT_USER_REGS | LBRSCOPE_FORMAT_USER_STACK);
}
NOKPROBE_SYMBOL(sample_format);

/* How many words that is, at most. */
static u32 sample_words(const struct sample_source *source)
{
	const u16 single = LBRSCOPE_FORMAT_USER_IP | LBRSCOPE_FORMAT_PERIOD |
			   LBRSCOPE_FORMAT_CGROUP;
	const u16 arrays = LBRSCOPE_FORMAT_LBR_FROM | LBRSCOPE_FORMAT_LBR_TO |
			   LBRSCOPE_FORMAT_LBR_INFO;
	const struct cpu_ctx *cpu = source->cpu;
	u16 format = source->format;
	u32 words = hweight16(format & single) +
		    hweight16(format & arrays) * cpu->scratch.nr;

	if (format & LBRSCOPE_FORMAT_GROUP)
		words += 1 + hweight64(sample_event(source)->members);
	if (format & LBRSCOPE_FORMAT_USER_REGS)
		words += LBRSCOPE_USER_REGS_NR;
	if (format & LBRSCOPE_FORMAT_USER_STACK)
		words += 1 + cpu->session->config.sample.stack / sizeof(u64);
	if (format & LBRSCOPE_FORMAT_KERNEL_CHAIN)
		words += 1 + LBRSCOPE_KERNEL_CHAIN_MAX;
	return words;
}
NOKPROBE_SYMBOL(sample_words);

static u64 *sample_put_array(u64 *word, const u64 *from, u32 nr)
{
	memcpy(word, from, nr * sizeof(u64));
	return word + nr;
}
NOKPROBE_SYMBOL(sample_put_array);

static u64 *sample_put_group(const struct sample_source *source, u64 *word)
{
	u32 members = hweight64(sample_event(source)->members);

	*word++ = members;
	ls_counters_read_group(source->cpu, source->index, word);
	return word + members;
}
NOKPROBE_SYMBOL(sample_put_group);

/* Writes what the format says, in the order of its bits; returns the end. */
static u64 *sample_put(const struct sample_source *source, u64 *word)
{
	const struct cpu_ctx *cpu = source->cpu;
	const struct lbr_stack *lbr = &cpu->scratch;
	u16 format = source->format;

	if (format & LBRSCOPE_FORMAT_USER_IP)
		*word++ = source->user->ip;
	if (format & LBRSCOPE_FORMAT_LBR_FROM)
		word = sample_put_array(word, lbr->from, lbr->nr);
	if (format & LBRSCOPE_FORMAT_LBR_TO)
		word = sample_put_array(word, lbr->to, lbr->nr);
	if (format & LBRSCOPE_FORMAT_LBR_INFO)
		word = sample_put_array(word, lbr->info, lbr->nr);
	if (format & LBRSCOPE_FORMAT_PERIOD)
		*word++ = cpu->owner[source->index].pace.period;
	if (format & LBRSCOPE_FORMAT_GROUP)
		word = sample_put_group(source, word);
	if (format & LBRSCOPE_FORMAT_USER_REGS)
		word = ls_user_put_regs(word, source->user);
	if (format & LBRSCOPE_FORMAT_USER_STACK)
		word = ls_user_put_stack(word, source->user,
					 cpu->session->config.sample.stack);
	if (format & LBRSCOPE_FORMAT_KERNEL_CHAIN)
		word = ls_chain_put(word, source->regs);
	if (format & LBRSCOPE_FORMAT_CGROUP)
		*word++ = compat_cgroup_id();
	return word;
}
NOKPROBE_SYMBOL(sample_put);

void ls_sample(struct cpu_ctx *cpu, const struct pt_regs *regs, u32 index,
	       u64 now)
{
	struct sample_source source = { .cpu = cpu, .index = index,
		.regs = regs, .user = ls_user_regs(regs) };
	u8 flags = sample_read_branches(cpu);
	struct lbrscope_sample *sample;
	u32 room;
	void *end;

	source.format = sample_format(&source);
	room = sizeof(*sample) + sample_words(&source) * sizeof(u64);
	ls_ring_report_lost(cpu->ring);
	sample = ls_ring_reserve(cpu->ring, room);
	if (!sample) {
		ls_ring_lose(cpu->ring, ls_ring_refusal(cpu->ring, room));
		return;
	}
	sample->time = now;
	sample->ip = regs->ip;
	sample_set_pids(cpu->session, sample);
	end = sample_put(&source, (u64 *)(sample + 1));
	sample->rec = (struct lbrscope_record){
		.size = end - (void *)sample,
		.type = LBRSCOPE_RECORD_SAMPLE,
		.event = index,
		.format = source.format,
		.nr = cpu->scratch.nr,
		.flags = flags | (sample_in_user(&source) ?
				  LBRSCOPE_SAMPLE_USER : 0),
	};
	ls_ring_trim(cpu->ring, sample, room, sample->rec.size);
	ls_ring_deliver(cpu->ring);
	ls_ring_commit(cpu->ring);
}
NOKPROBE_SYMBOL(ls_sample);
