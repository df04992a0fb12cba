// SPDX-License-Identifier: GPL-2.0
/* Exchanges generic netlink messages with the module. */
#include <errno.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "module/netlink.h"
#include "module/request.h"

typedef void (*control_parse_fn)(struct nlattr **attrs, void *result);

/* The result of one request. */
struct control_reply {
	struct control *control;
	control_parse_fn parse;
	void *result;
	int max;		/* highest attribute of the reply */
	int err;		/* 0 or a negative errno */
	bool done;
};

static int control_on_error(struct sockaddr_nl *peer __attribute__((unused)),
			    struct nlmsgerr *err, void *arg)
{
	/* libnl passes the payload; its header lies right before it. */
	const struct nlmsghdr *header =
		(const void *)((const char *)err - NLMSG_HDRLEN);
	struct control_reply *reply = arg;

	reply->err = err->error;
	reply->done = true;
	control_extack_text(err, header->nlmsg_len - NLMSG_HDRLEN,
		       header->nlmsg_flags, reply->control->text,
		       sizeof(reply->control->text));
	return NL_STOP;
}

static int control_on_ack(struct nl_msg *msg __attribute__((unused)), void *arg)
{
	struct control_reply *reply = arg;

	reply->done = true;
	return NL_STOP;
}

static int control_on_valid(struct nl_msg *msg, void *arg)
{
	struct control_reply *reply = arg;
	struct nlattr *attrs[reply->max + 1];
	int err;

	err = genlmsg_parse(nlmsg_hdr(msg), 0, attrs, reply->max, NULL);
	if (err < 0)
		reply->err = -EPROTO;
	else if (reply->parse)
		reply->parse(attrs, reply->result);
	return NL_OK;
}

/* Sends msg, frees it, and waits for its ack. */
static int control_request(struct control *control, struct nl_msg *msg,
			   struct control_reply *reply)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err = -ENOMEM;

	control->text[0] = '\0';
	reply->control = control;
	if (!cb)
		goto out;
	nl_cb_err(cb, NL_CB_CUSTOM, control_on_error, reply);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, control_on_ack, reply);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, control_on_valid, reply);

	err = nl_send_auto(control->sock, msg) < 0 ? -EIO : 0;
	while (!err && !reply->done)
		if (nl_recvmsgs(control->sock, cb) < 0 && !reply->done)
			err = -EIO;
	if (!err)
		err = reply->err;
out:
	nl_cb_put(cb);
	nlmsg_free(msg);
	return err;
}

struct nl_msg *control_message_of(struct control *control, int command, size_t size)
{
	struct nl_msg *msg = nlmsg_alloc_size(size);

	if (msg && !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ,
				control->family, 0, NLM_F_REQUEST | NLM_F_ACK, command,
				LBRSCOPE_GENL_VERSION)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

int control_send(struct control *control, struct nl_msg *msg)
{
	struct control_reply reply = {};

	return control_request(control, msg, &reply);
}

struct nl_msg *control_message(struct control *control, int command)
{
	return control_message_of(control, command, CONTROL_MESSAGE_MAX);
}

int control_open(struct control *control)
{
	int on = 1, err;

	memset(control, 0, sizeof(*control));
	control->sock = nl_socket_alloc();
	if (!control->sock)
		return -ENOMEM;
	if (genl_connect(control->sock)) {
		/* libnl's own error numbers are less precise. */
		err = errno ? -errno : -EIO;
		control_close(control);
		return err;
	}
	/* Without this the kernel sends error numbers without text. */
	setsockopt(nl_socket_get_fd(control->sock), SOL_NETLINK,
		   NETLINK_EXT_ACK, &on, sizeof(on));
	control->family = genl_ctrl_resolve(control->sock, LBRSCOPE_GENL_NAME);
	if (control->family < 0) {
		control_close(control);
		return -ENOENT;
	}
	return 0;
}

int control_connect(struct control *control)
{
	int err = control_open(control);

	if (err == -ENOENT)
		return err_fail("module lbrscope is not loaded: run 'lbrctl load'");
	return err ? err_fail("opening a netlink socket to the module: %s", strerror(-err)) : 0;
}

void control_close(struct control *control)
{
	nl_socket_free(control->sock);
	control->sock = NULL;
}

const char *control_reason(const struct control *control, int err)
{
	return control->text[0] ? control->text : strerror(-err);
}

static uint32_t control_u32(struct nlattr *attr)
{
	return attr && nla_len(attr) == sizeof(uint32_t) ? nla_get_u32(attr) : 0;
}

static uint64_t control_u64(struct nlattr *attr)
{
	return attr && nla_len(attr) == sizeof(uint64_t) ? nla_get_u64(attr) : 0;
}

static void control_string(struct nlattr *attr, char *to, size_t size)
{
	to[0] = '\0';
	if (attr)
		snprintf(to, size, "%.*s", nla_len(attr),
			 (const char *)nla_data(attr));
}

static void control_parse_core(struct nlattr *nest, struct control_core *core)
{
	struct nlattr *a[LBRSCOPE_CORE_A_MAX + 1];

	if (nla_parse_nested(a, LBRSCOPE_CORE_A_MAX, nest, NULL))
		return;
	control_string(a[LBRSCOPE_CORE_A_CPUS], core->cpus, sizeof(core->cpus));
	core->type = control_u32(a[LBRSCOPE_CORE_A_TYPE]);
	core->gp_counters = control_u32(a[LBRSCOPE_CORE_A_GP_COUNTERS]);
	core->fixed_counters = control_u32(a[LBRSCOPE_CORE_A_FIXED_COUNTERS]);
	core->lbr_format = control_u32(a[LBRSCOPE_CORE_A_LBR_FORMAT]);
	core->lbr_depth = control_u32(a[LBRSCOPE_CORE_A_LBR_DEPTH]);
}

static void control_parse_cores(struct nlattr *array, struct control_info *info)
{
	struct nlattr *nest;
	int left;

	if (!array)
		return;
	nla_for_each_nested(nest, array, left)
		if (info->nr_cores < CONTROL_CORES_MAX)
			control_parse_core(nest, &info->cores[info->nr_cores++]);
}

static void control_parse_info(struct nlattr **a, void *result)
{
	struct control_info *info = result;

	info->ring_version = control_u32(a[LBRSCOPE_INFO_A_RING_VERSION]);
	control_string(a[LBRSCOPE_INFO_A_VENDOR], info->vendor, sizeof(info->vendor));
	info->family = control_u32(a[LBRSCOPE_INFO_A_FAMILY]);
	info->model = control_u32(a[LBRSCOPE_INFO_A_MODEL]);
	info->stepping = control_u32(a[LBRSCOPE_INFO_A_STEPPING]);
	info->pmu_version = control_u32(a[LBRSCOPE_INFO_A_PMU_VERSION]);
	info->gp_counters = control_u32(a[LBRSCOPE_INFO_A_GP_COUNTERS]);
	info->gp_width = control_u32(a[LBRSCOPE_INFO_A_GP_WIDTH]);
	info->fixed_counters = control_u32(a[LBRSCOPE_INFO_A_FIXED_COUNTERS]);
	info->lbr_format = control_u32(a[LBRSCOPE_INFO_A_LBR_FORMAT]);
	info->lbr_depth = control_u32(a[LBRSCOPE_INFO_A_LBR_DEPTH]);
	info->call_stack = a[LBRSCOPE_INFO_A_CALL_STACK];
	info->branch_filter = control_u32(a[LBRSCOPE_INFO_A_BRANCH_FILTER]);
	info->period_min = control_u64(a[LBRSCOPE_INFO_A_PERIOD_MIN]);
	control_string(a[LBRSCOPE_INFO_A_UNSUPPORTED], info->unsupported,
		  sizeof(info->unsupported));
	control_string(a[LBRSCOPE_INFO_A_NO_PMU], info->no_pmu, sizeof(info->no_pmu));
	control_parse_cores(a[LBRSCOPE_INFO_A_CORES], info);
	info->privileged = a[LBRSCOPE_INFO_A_PRIVILEGED];
	info->owned = a[LBRSCOPE_INFO_A_OWNER_PID];
	info->owner_pid = control_u32(a[LBRSCOPE_INFO_A_OWNER_PID]);
	info->owner_yields = a[LBRSCOPE_INFO_A_OWNER_YIELDS];
	control_string(a[LBRSCOPE_INFO_A_OWNER_COMM], info->owner_comm,
		  sizeof(info->owner_comm));
}

int control_info(struct control *control, struct control_info *info)
{
	struct control_reply reply = {
		.parse = control_parse_info, .result = info,
		.max = LBRSCOPE_INFO_A_MAX,
	};
	struct nl_msg *msg = control_message(control, LBRSCOPE_CMD_INFO_GET);

	memset(info, 0, sizeof(*info));
	return msg ? control_request(control, msg, &reply) : -ENOMEM;
}

int control_ask(struct control *control, struct control_info *info)
{
	int err = control_info(control, info);

	return err ? err_fail("asking the module for its capabilities: %s",
			      control_reason(control, err)) : 0;
}

int control_session_set(struct control *control,
			const struct control_session *session)
{
	struct nl_msg *msg = control_message(control, LBRSCOPE_CMD_SESSION_SET);
	struct control_reply reply = {};

	if (!msg)
		return -ENOMEM;
	if (control_put_session(msg, session)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return control_request(control, msg, &reply);
}

static int control_session_command(struct control *control, int command, int fd,
			      struct control_reply *reply)
{
	struct nl_msg *msg = control_message(control, command);

	if (!msg)
		return -ENOMEM;
	if (nla_put_u32(msg, LBRSCOPE_SESSION_A_FD, fd)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return control_request(control, msg, reply);
}

/* A command without further attributes and without a reply. */
static int control_session_do(struct control *control, int command, int fd)
{
	struct control_reply reply = {};

	return control_session_command(control, command, fd, &reply);
}

int control_session_start(struct control *control, int fd)
{
	return control_session_do(control, LBRSCOPE_CMD_SESSION_START, fd);
}

int control_session_stop(struct control *control, int fd)
{
	return control_session_do(control, LBRSCOPE_CMD_SESSION_STOP, fd);
}

int control_session_freeze(struct control *control, int fd)
{
	return control_session_do(control, LBRSCOPE_CMD_SESSION_FREEZE, fd);
}

int control_session_thaw(struct control *control, int fd)
{
	return control_session_do(control, LBRSCOPE_CMD_SESSION_THAW, fd);
}

/* Reads a nest of counts, whose types are 1 + the index. */
static void control_counts(struct nlattr *nest, uint64_t *counts, int nr)
{
	struct nlattr *attrs[nr + 1];
	int i;

	if (!nest || nla_parse_nested(attrs, nr, nest, NULL) < 0)
		return;
	for (i = 0; i < nr; i++)
		counts[i] = control_u64(attrs[i + 1]);
}

static void control_parse_stats(struct nlattr **a, void *result)
{
	struct control_stats *stats = result;

	stats->running = a[LBRSCOPE_STATS_A_RUNNING];
	stats->produced = control_u64(a[LBRSCOPE_STATS_A_PRODUCED]);
	stats->delivered = control_u64(a[LBRSCOPE_STATS_A_DELIVERED]);
	stats->untracked = control_u64(a[LBRSCOPE_STATS_A_UNTRACKED]);
	stats->tasks_lost = control_u64(a[LBRSCOPE_STATS_A_TASKS_LOST]);
	stats->hidden = control_u64(a[LBRSCOPE_STATS_A_HIDDEN]);
	stats->missed = control_u64(a[LBRSCOPE_STATS_A_MISSED]);
	stats->cost_nmi = control_u64(a[LBRSCOPE_STATS_A_COST_NMI]);
	stats->cost_switch = control_u64(a[LBRSCOPE_STATS_A_COST_SWITCH]);
	stats->cost_time = control_u64(a[LBRSCOPE_STATS_A_COST_TIME]);
	control_counts(a[LBRSCOPE_STATS_A_LOST], stats->lost, LBRSCOPE_LOST_NR);
	control_counts(a[LBRSCOPE_STATS_A_OFFCPU], stats->offcpu, LBRSCOPE_OFFCPU_NR);
	control_counts(a[LBRSCOPE_STATS_A_OFFCPU_NS], stats->offcpu_ns, LBRSCOPE_OFFCPU_NR);
	stats->offcpu_open = control_u64(a[LBRSCOPE_STATS_A_OFFCPU_OPEN]);
	stats->ended = a[LBRSCOPE_STATS_A_ENDED] ?
		       nla_get_u32(a[LBRSCOPE_STATS_A_ENDED]) : LBRSCOPE_ENDED_NOT;
	stats->unwanted = control_u64(a[LBRSCOPE_STATS_A_UNWANTED]);
	stats->branches_off = control_u64(a[LBRSCOPE_STATS_A_BRANCHES_OFF]);
}

int control_session_get(struct control *control, int fd,
			struct control_stats *stats)
{
	struct control_reply reply = {
		.parse = control_parse_stats, .result = stats,
		.max = LBRSCOPE_STATS_A_MAX,
	};

	memset(stats, 0, sizeof(*stats));
	return control_session_command(control, LBRSCOPE_CMD_SESSION_GET, fd,
				       &reply);
}

struct control_counts {
	struct lbrscope_count *counts;
	unsigned int nr;
	bool whole;
};

static void control_parse_counts(struct nlattr **a, void *result)
{
	struct nlattr *attr = a[LBRSCOPE_COUNTS_A_COUNTS];
	struct control_counts *c = result;

	c->whole = attr && (size_t)nla_len(attr) == c->nr * sizeof(*c->counts);
	if (c->whole)
		memcpy(c->counts, nla_data(attr), nla_len(attr));
}

int control_counts_get(struct control *control, int fd, uint32_t cpu,
		       struct lbrscope_count *counts, unsigned int nr)
{
	struct control_counts result = { .counts = counts, .nr = nr };
	struct control_reply reply = {
		.parse = control_parse_counts, .result = &result,
		.max = LBRSCOPE_COUNTS_A_MAX,
	};
	struct nl_msg *msg = control_message(control, LBRSCOPE_CMD_COUNTS_GET);
	int err;

	if (!msg)
		return -ENOMEM;
	if (nla_put_u32(msg, LBRSCOPE_SESSION_A_FD, fd) ||
	    nla_put_u32(msg, LBRSCOPE_SESSION_A_CPU, cpu)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	err = control_request(control, msg, &reply);
	return err ? err : result.whole ? 0 : -EPROTO;
}

struct control_tasks {
	control_tasks_fn take;
	void *ctx;
	uint64_t cursor;	/* start of the next reply; 0: none */
	int err;
};

static void control_parse_tasks(struct nlattr **a, void *result)
{
	struct nlattr *attr = a[LBRSCOPE_COUNTS_A_TASKS];
	struct control_tasks *t = result;

	t->cursor = control_u64(a[LBRSCOPE_COUNTS_A_CURSOR]);
	t->err = attr ? t->take(t->ctx, nla_data(attr), nla_len(attr)) : -EPROTO;
}

/* Handles one reply; t->cursor moves on to the next. */
static int control_tasks_page(struct control *control, int fd, struct control_tasks *t)
{
	struct control_reply reply = {
		.parse = control_parse_tasks, .result = t, .max = LBRSCOPE_COUNTS_A_MAX,
	};
	struct nl_msg *msg = control_message(control, LBRSCOPE_CMD_TASK_COUNTS_GET);
	uint64_t from = t->cursor;
	int err;

	if (!msg)
		return -ENOMEM;
	if (nla_put_u32(msg, LBRSCOPE_SESSION_A_FD, fd) ||
	    nla_put_u64(msg, LBRSCOPE_SESSION_A_CURSOR, from)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	t->cursor = 0;
	t->err = -EPROTO;
	err = control_request(control, msg, &reply);
	if (err || t->err)
		return err ? err : t->err;
	/* The cursor did not move: this would never end. */
	return t->cursor && t->cursor == from ? -EPROTO : 0;
}

int control_task_counts_get(struct control *control, int fd, control_tasks_fn take, void *ctx)
{
	struct control_tasks tasks = { .take = take, .ctx = ctx };
	int err;

	do
		err = control_tasks_page(control, fd, &tasks);
	while (!err && tasks.cursor);
	return err;
}

struct control_regs {
	struct lbrscope_reg *regs;
	unsigned int nr;
	bool whole;
};

static void control_parse_regs(struct nlattr **a, void *result)
{
	struct nlattr *attr = a[LBRSCOPE_REGS_A_REGS];
	struct control_regs *r = result;
	size_t len = attr ? nla_len(attr) : 0;

	r->whole = attr && !(len % sizeof(*r->regs)) &&
		   len / sizeof(*r->regs) <= LBRSCOPE_REGS_MAX;
	if (!r->whole)
		return;
	memcpy(r->regs, nla_data(attr), len);
	r->nr = len / sizeof(*r->regs);
}

int control_regs_get(struct control *control, uint32_t cpu,
		     struct lbrscope_reg *regs, unsigned int *nr)
{
	struct control_regs result = { .regs = regs };
	struct control_reply reply = {
		.parse = control_parse_regs, .result = &result,
		.max = LBRSCOPE_REGS_A_MAX,
	};
	struct nl_msg *msg = control_message(control, LBRSCOPE_CMD_REGS_GET);
	int err;

	if (!msg)
		return -ENOMEM;
	if (nla_put_u32(msg, LBRSCOPE_REGS_A_CPU, cpu)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	err = control_request(control, msg, &reply);
	*nr = result.nr;
	return err ? err : result.whole ? 0 : -EPROTO;
}
