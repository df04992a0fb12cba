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
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <asm/cpu_entry_area.h>
#include <asm/ptrace.h>

#include "caps.h"
#include "counters.h"
#include "cpu.h"
#include "ring.h"
#include "sample.h"
#include "session.h"

/*
 * Where the interrupted kernel code entered from user mode; 0 if it did not.
 * While the entry code is still storing the registers, what lies there is an
 * earlier entry's (arch/x86/kernel/perf_regs.c); on the entry stack it has not
 * begun to.
 */
static u64 sample_user_ip(const struct pt_regs *regs)
{
	const struct pt_regs *user = task_pt_regs(current);
	unsigned long sp = regs->sp;

	if (!current->mm || current->flags & PF_KTHREAD)
		return 0;
	if (sp > (unsigned long)&user->r11 && sp <= (unsigned long)(user + 1))
		return 0;
	if (sp >= CPU_ENTRY_AREA_BASE &&
	    sp < CPU_ENTRY_AREA_BASE + CPU_ENTRY_AREA_MAP_SIZE)
		return 0;
	return user_mode((struct pt_regs *)user) ? user->ip : 0;
}
NOKPROBE_SYMBOL(sample_user_ip);

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

static u64 *sample_put_words(u64 *word, const u64 *from, u32 nr)
{
	memcpy(word, from, nr * sizeof(u64));
	return word + nr;
}
NOKPROBE_SYMBOL(sample_put_words);

void ls_sample(struct cpu_ctx *cpu, const struct pt_regs *regs, u32 index,
	       u64 now)
{
	const struct event *event = &cpu->session->events->list[index];
	const struct session_config *config = &cpu->session->config;
	bool user = user_mode((struct pt_regs *)regs);
	u8 flags = sample_read_branches(cpu);
	u16 format = sample_branch_format(&config->branches);
	u64 user_ip = user ? 0 : sample_user_ip(regs);
	u32 nr = cpu->scratch.nr;
	bool varies = ls_pace_varies(&event->pace);
	u32 members = event->reads_group ? hweight64(event->members) : 0;
	u32 words = nr * (format & LBRSCOPE_FORMAT_LBR_INFO ? 3 : 2) +
		    !!user_ip + varies + (members ? 1 + members : 0);
	struct lbrscope_sample *sample;
	u32 size = sizeof(*sample) + words * sizeof(u64);
	u64 *word;

	ls_ring_report_lost(cpu->ring);
	sample = ls_ring_reserve(cpu->ring, size);
	if (!sample) {
		ls_ring_lose(cpu->ring, ls_ring_refusal(cpu->ring));
		return;
	}
	sample->rec = (struct lbrscope_record){
		.size = size,
		.type = LBRSCOPE_RECORD_SAMPLE,
		.event = index,
		.format = format | (user_ip ? LBRSCOPE_FORMAT_USER_IP : 0) |
			  (varies ? LBRSCOPE_FORMAT_PERIOD : 0) |
			  (members ? LBRSCOPE_FORMAT_GROUP : 0),
		.nr = nr,
		.flags = flags | (user ? LBRSCOPE_SAMPLE_USER : 0),
	};
	sample->time = now;
	sample->ip = regs->ip;
	sample_set_pids(cpu->session, sample);
	word = (u64 *)(sample + 1);
	if (user_ip)
		*word++ = user_ip;
	word = sample_put_words(word, cpu->scratch.from, nr);
	word = sample_put_words(word, cpu->scratch.to, nr);
	if (format & LBRSCOPE_FORMAT_LBR_INFO)
		word = sample_put_words(word, cpu->scratch.info, nr);
	if (varies)
		*word++ = cpu->owner[index].pace.period;
	if (members) {
		*word++ = members;
		ls_counters_read_group(cpu, index, word);
	}
	ls_ring_deliver(cpu->ring);
	ls_ring_commit(cpu->ring);
}
NOKPROBE_SYMBOL(ls_sample);
