/* SPDX-License-Identifier: GPL-2.0 */
/* Exchanges generic netlink messages with the module. */
#ifndef LBRCTL_MODULE_NETLINK_H
#define LBRCTL_MODULE_NETLINK_H

#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>
#include <linux/lbrscope_unwind.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nlmsgerr;
struct nl_sock;
/* Ids of processes, or of threads, from an option. */
struct tasks_list {
	unsigned int nr;
	uint32_t ids[LBRSCOPE_TARGETS_MAX];
};

struct triggers;

/* A socket of the lbrscope family; for one thread. */
struct control {
	struct nl_sock *sock;
	int family;
	char text[256];		/* the kernel's text for the last refusal; "" if there was none */
};

/* Cores of one type, LBRSCOPE_CORE_A_*. */
struct control_core {
	char cpus[256];
	uint32_t type, gp_counters, fixed_counters, lbr_format, lbr_depth;
};

#define CONTROL_CORES_MAX	8

/* Reply to LBRSCOPE_CMD_INFO_GET; see <linux/lbrscope.h>. */
struct control_info {
	uint32_t ring_version;
	char vendor[16];
	uint32_t family, model, stepping;
	uint32_t pmu_version, gp_counters, gp_width, fixed_counters;
	uint32_t lbr_format, lbr_depth;
	bool call_stack;
	uint32_t branch_filter;	/* enum lbrscope_branch_filter, for a history */
	uint64_t period_min;
	char unsupported[192];	/* "" if sessions can be started */
	char no_pmu[192];	/* why only clocks can be sampled; "": there is a PMU */
	/* If there are several types; the other fields show what all types have. */
	struct control_core cores[CONTROL_CORES_MAX];
	unsigned int nr_cores;
	bool privileged;	/* this process: CAP_PERFMON or CAP_SYS_ADMIN */
	bool owned;		/* a session runs */
	uint32_t owner_pid;	/* 0: outside of the caller's pid namespace, or hidden */
	bool owner_yields;	/* to a privileged session */
	char owner_comm[32];	/* "": the caller may not see the process */
};

/*
 * Describes the owner of the running session for messages: "lbrctl, pid 95". info->owned must
 * be true. Returns buffer, which has at least 80 bytes.
 */
const char *control_owner(const struct control_info *info, char *buffer, size_t size);

/* Times off the CPU, see LBRSCOPE_SESSION_A_OFFCPU. */
struct control_offcpu {
	bool wanted;
	bool waker;		/* also record the waking task */
	bool callers;		/* also unwind the user stack, by tables */
	uint64_t min;		/* ns */
	uint32_t rate;		/* records per second on each CPU; 0: the module's default */
};

/* Samples that are kept by the ratio of two events of a group; see LBRSCOPE_EVENT_A_ONLY_*. */
struct control_only {
	bool wanted;
	uint32_t over, under;	/* indices of events */
	uint64_t above, below;	/* millionths; 0: no limit */
};

/* A requested event; see LBRSCOPE_EVENT_A_*. */
struct control_event {
	uint64_t config;
	bool clock;		/* LBRSCOPE_SOURCE_CLOCK: no counter, and no frequency */
	uint64_t period;	/* events per sample, or */
	uint32_t frequency;	/* samples per second; both 0: counted only */
	uint32_t jitter;	/* thousandths of the period */
	uint64_t seed;		/* of the jitter's random numbers */
	bool grouped;
	uint32_t group;		/* LBRSCOPE_EVENT_A_GROUP, if grouped */
	uint64_t counters;	/* counters that may count it; 0: all */
	bool has_extra;
	uint64_t extra;		/* LBRSCOPE_EVENT_A_EXTRA, if has_extra */
	bool read_group;
	struct control_only only;
};

struct control_session {
	int fd;			/* of LBRSCOPE_DEVICE */
	const struct control_event *events;
	unsigned int nr_events;
	uint32_t branches;	/* enum lbrscope_branches */
	uint32_t branch_filter;	/* for a history */
	bool branch_reset;	/* call stacks begin anew at a context switch */
	bool branch_callers;	/* read only the addresses of the calls, not their targets */
	uint32_t branch_depth;	/* most entries of a sample, the youngest; 0: all */
	uint32_t ring_size;	/* bytes of records per CPU, a power of two; 0: session_open()
				 * chooses
				 */
	uint32_t sample;	/* LBRSCOPE_FORMAT_REQUESTS */
	uint32_t user_stack;	/* bytes of the user stack, if requested */
	bool stacks_selected;	/* registers and stack of selected processes and new programs only, */
	uint32_t stack_audit;	/* and of one in this many samples of the others; 0: none */
	const char *cpus;	/* a list of CPUs, NULL: all */
	uint32_t budget;	/* thousandths of a CPU's time; 0: the default */
	/* The targets; everything if none is set. */
	const struct tasks_list *pids, *tids;	/* NULL: none */
	struct tasks_list *may_end;	/* pids, of which session_open() leaves out those that have ended;
					 * NULL: all must exist */
	bool in_cgroup;
	int cgroup;		/* descriptor of its directory */
	bool enable_on_exec;
	bool task_counts;	/* count each task separately */
	struct control_offcpu offcpu;
	bool overwrite;		/* a flight recorder, which triggers freeze */
	const struct triggers *triggers;	/* NULL: none */
};

/* Reply to LBRSCOPE_CMD_SESSION_GET; samples, summed over the CPUs. */
struct control_stats {
	bool running;
	uint64_t produced, delivered;
	uint64_t lost[LBRSCOPE_LOST_NR];
	uint64_t unwanted;	/* samples left out by their ratio, in no other count */
	uint64_t branches_off;	/* samples when somebody else had switched the branches off */
	uint64_t untracked;	/* tasks without memory for their branch state */
	uint64_t tasks_lost;	/* tasks that ended without a record of their counts */
	uint64_t hidden;	/* tasks with more privileges than the user */
	uint64_t missed;	/* calls that the kernel's probes missed */
	uint64_t cost_nmi, cost_switch;	/* ns of the CPUs' time: */
	uint64_t cost_time;
	/* Times off the CPU by enum lbrscope_offcpu_end, and their sums in ns. */
	uint64_t offcpu[LBRSCOPE_OFFCPU_NR], offcpu_ns[LBRSCOPE_OFFCPU_NR];
	uint64_t offcpu_open;	/* tasks still off the CPU at the end */
	uint32_t ended;		/* enum lbrscope_ended: the module ended the session */
};

/* All of these return 0, or a negative errno: the kernel's for a refused request (control->text
 * may then explain it), -ENOENT from control_open() if the module is not loaded. None of them
 * prints, except where stated. */
int control_open(struct control *control);
void control_close(struct control *control);
int control_info(struct control *control, struct control_info *info);
int control_session_set(struct control *control,
			const struct control_session *session);
/* Sends one START; session_begin() waits for its end. */
int control_session_start(struct control *control, int fd);
int control_session_stop(struct control *control, int fd);
int control_session_freeze(struct control *control, int fd);
int control_session_thaw(struct control *control, int fd);

/* Selects processes whose samples have the user stack, or ends that. -ESRCH: one of them has
 * ended; it is done for the others. */
int control_task_stack(struct control *control, int fd, const struct tasks_list *pids, bool on);
int control_session_get(struct control *control, int fd,
			struct control_stats *stats);

/* Gives the session a table of unwinding rules, of that number. */
int control_unwind_table(struct control *control, int fd, uint32_t number,
			 const struct lbrscope_unwind_head *table, uint32_t size);

/* Says which tables hold in a process: nr ranges, by address. -ESRCH: it has ended. */
int control_unwind_process(struct control *control, int fd, uint32_t pid, uint32_t generation,
			   const struct lbrscope_unwind_range *ranges, unsigned int nr);

/* Reads the counts of the events on one CPU; nr of them are expected. */
int control_counts_get(struct control *control, int fd, uint32_t cpu,
		       struct lbrscope_count *counts, unsigned int nr);

/* Receives the counts of some tasks, LBRSCOPE_COUNTS_A_TASKS: `bytes` bytes, aligned to 4.
 * Returns 0 or a negative errno. */
typedef int (*control_tasks_fn)(void *ctx, const void *counts, size_t len);

/* Reads the counts of the tasks that have not ended, and passes them to take() in parts. */
int control_task_counts_get(struct control *control, int fd, control_tasks_fn take, void *ctx);

/* Reads the registers of a CPU, in the kernel's order, up to LBRSCOPE_REGS_MAX of them. */
int control_regs_get(struct control *control, uint32_t cpu,
		     struct lbrscope_reg *regs, unsigned int *nr);

/* control_open() and control_info() for callers that need both. Returns 0, or -1 with the
 * reason printed. */
int control_connect(struct control *control);
int control_ask(struct control *control, struct control_info *info);

/* Returns the kernel's text for an error, or that of the errno without such a text. */
const char *control_reason(const struct control *control, int err);

/* Copies the text of the extended ack that follows an error message, or "". len: readable bytes
 * from the start of err; flags: of its header. */
void control_extack_text(const struct nlmsgerr *err, size_t len, uint16_t flags,
		    char *text, size_t size);

#endif
