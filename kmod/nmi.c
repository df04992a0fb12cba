// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt.
 *
 * Everything here runs in NMI context: memory of this CPU only, no lock, no
 * allocation, no printk, no traced accessor.  It reads the status, takes the
 * sample, writes one record and starts the next period; whatever can be found
 * out later, in user space, is not found out here.
 */
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <asm/cpu_entry_area.h>
#include <asm/nmi.h>
#include <asm/ptrace.h>

#include "caps.h"
#include "cpu.h"
#include "nmi.h"
#include "ring.h"
#include "session.h"

/*
 * Where the interrupted kernel code entered from user mode; 0 if it did not.
 * While the entry code is still storing the registers, what lies there is an
 * earlier entry's (arch/x86/kernel/perf_regs.c); on the entry stack it has not
 * begun to.
 */
static u64 nmi_user_ip(const struct pt_regs *regs)
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
NOKPROBE_SYMBOL(nmi_user_ip);

/* Returns the sample's flags; branch entries into cpu->scratch. */
static u8 nmi_read_branches(struct cpu_ctx *cpu)
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
NOKPROBE_SYMBOL(nmi_read_branches);

static void nmi_set_pids(const struct session *session,
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
NOKPROBE_SYMBOL(nmi_set_pids);

/* What the branch words of a sample are; see enum lbrscope_format. */
static u16 nmi_branch_format(const struct lbr_mode *mode)
{
	if (!ls_lbr_wanted(mode))
		return 0;
	return LBRSCOPE_FORMAT_LBR_FROM | LBRSCOPE_FORMAT_LBR_TO |
	       (mode->history && ls_caps.lbr_info ?
		LBRSCOPE_FORMAT_LBR_INFO : 0);
}
NOKPROBE_SYMBOL(nmi_branch_format);

static u64 *nmi_put_words(u64 *word, const u64 *from, u32 nr)
{
	memcpy(word, from, nr * sizeof(u64));
	return word + nr;
}
NOKPROBE_SYMBOL(nmi_put_words);

static void nmi_sample(struct cpu_ctx *cpu, const struct pt_regs *regs,
		       u64 now)
{
	const struct session_config *config = &cpu->session->config;
	bool user = user_mode((struct pt_regs *)regs);
	u8 flags = nmi_read_branches(cpu);
	u16 format = nmi_branch_format(&config->branches);
	u64 user_ip = user ? 0 : nmi_user_ip(regs);
	u32 nr = cpu->scratch.nr;
	bool varies = ls_pace_varies(&config->pace);
	u32 words = nr * (format & LBRSCOPE_FORMAT_LBR_INFO ? 3 : 2) +
		    !!user_ip + varies;
	struct lbrscope_sample *sample;
	u32 size = sizeof(*sample) + words * sizeof(u64);
	u64 *word;

	ls_ring_report_lost(cpu->ring);
	sample = ls_ring_reserve(cpu->ring, size);
	if (!sample) {
		ls_ring_lose(cpu->ring, LBRSCOPE_LOST_RING_FULL);
		return;
	}
	sample->rec = (struct lbrscope_record){
		.size = size,
		.type = LBRSCOPE_RECORD_SAMPLE,
		.event = config->event,
		.format = format | (user_ip ? LBRSCOPE_FORMAT_USER_IP : 0) |
			  (varies ? LBRSCOPE_FORMAT_PERIOD : 0),
		.nr = nr,
		.flags = flags | (user ? LBRSCOPE_SAMPLE_USER : 0),
	};
	sample->time = now;
	sample->ip = regs->ip;
	nmi_set_pids(cpu->session, sample);
	word = (u64 *)(sample + 1);
	if (user_ip)
		*word++ = user_ip;
	word = nmi_put_words(word, cpu->scratch.from, nr);
	word = nmi_put_words(word, cpu->scratch.to, nr);
	if (format & LBRSCOPE_FORMAT_LBR_INFO)
		word = nmi_put_words(word, cpu->scratch.info, nr);
	if (varies)
		*word = cpu->pace->period;
	ls_ring_deliver(cpu->ring);
	ls_ring_commit(cpu->ring);
}
NOKPROBE_SYMBOL(nmi_sample);

/*
 * No counter of ours has overflowed.  A PMI that was on its way when its counter
 * was stopped finds nothing to do.  It is ours all the same, and would otherwise
 * be reported as unknown, which may panic; but one such PMI only, and only for
 * so long.
 *
 * Whether this NMI was a PMI nobody can tell.  If it was, its delivery has masked
 * the APIC's entry like any other's, and nobody else opens it for us.
 */
static int nmi_stray(struct cpu_ctx *cpu)
{
	bool stray = cpu->stray && time_before(jiffies, cpu->stray_until);

	cpu->stray = false;
	if (cpu->session)
		ls_pmu_unmask(NULL);
	else if (stray)
		ls_pmu_unmask(&cpu->pmu);
	return stray ? NMI_HANDLED : NMI_DONE;
}
NOKPROBE_SYMBOL(nmi_stray);

/* Returns the number of our overflows, see default_do_nmi(). */
static int nmi_handler(unsigned int type, struct pt_regs *regs)
{
	struct cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	const struct session_config *config;
	u64 now;

	if (!READ_ONCE(cpu->session) || !ls_pmu_overflowed())
		return nmi_stray(cpu);
	now = ktime_get_mono_fast_ns();
	nmi_sample(cpu, regs, now);
	config = &cpu->session->config;
	ls_pmu_rearm(ls_pace_next(cpu->pace, &config->pace, now));
	if (config->branches.history)
		ls_lbr_thaw();
	return NMI_HANDLED;
}
NOKPROBE_SYMBOL(nmi_handler);

/*
 * First in the list: perf's handler comes after us, finds the status clear,
 * and could otherwise acknowledge our overflow for an event of its own (PT).
 */
int ls_nmi_init(void)
{
	return register_nmi_handler(NMI_LOCAL, nmi_handler, NMI_FLAG_FIRST,
				    "lbrscope");
}

void ls_nmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "lbrscope");
}
