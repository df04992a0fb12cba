// SPDX-License-Identifier: GPL-2.0
/*
 * Translates LBRSCOPE_SESSION_A_TRIGGERS to struct ls_triggers.  <linux/lbrscope.h> is the
 * contract.
 */
#include <linux/bits.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/signal.h>
#include <linux/string.h>
#include <net/genetlink.h>

#include "base/extack.h"
#include "events/events.h"
#include "netlink/set.h"
#include "session/charge.h"
#include "session/session.h"
#include "trigger/trigger.h"

const struct nla_policy
ls_netlink_trigger_policy[LBRSCOPE_TRIGGER_A_MAX + 1] = {
	[LBRSCOPE_TRIGGER_A_KIND] =
		NLA_POLICY_MAX(NLA_U32, LBRSCOPE_TRIGGER_MAX),
	[LBRSCOPE_TRIGGER_A_FREEZE] = { .type = NLA_FLAG },
	[LBRSCOPE_TRIGGER_A_ADDRESS] = { .type = NLA_U64 },
	[LBRSCOPE_TRIGGER_A_LENGTH] = NLA_POLICY_RANGE(NLA_U32, 1, 8),
	[LBRSCOPE_TRIGGER_A_READS] = { .type = NLA_FLAG },
	[LBRSCOPE_TRIGGER_A_FILE] = { .type = NLA_U32 },
	[LBRSCOPE_TRIGGER_A_OFFSET] = { .type = NLA_U64 },
	[LBRSCOPE_TRIGGER_A_SYMBOL] = {
		.type = NLA_NUL_STRING, .len = LBRSCOPE_SYMBOL_MAX,
	},
	[LBRSCOPE_TRIGGER_A_SIGNAL] = NLA_POLICY_RANGE(NLA_U32, 1, _NSIG),
	[LBRSCOPE_TRIGGER_A_EVENT] =
		NLA_POLICY_MAX(NLA_U32, LBRSCOPE_EVENTS_MAX - 1),
	[LBRSCOPE_TRIGGER_A_MIN] = { .type = NLA_U64 },
};

/* The attributes of each kind: required ones and optional ones. */
static const struct {
	u32 needs, takes;
} netlink_kinds[] = {
	[LBRSCOPE_TRIGGER_WATCHPOINT] = {
		BIT(LBRSCOPE_TRIGGER_A_ADDRESS) | BIT(LBRSCOPE_TRIGGER_A_LENGTH),
		BIT(LBRSCOPE_TRIGGER_A_READS) },
	[LBRSCOPE_TRIGGER_UPROBE] = {
		BIT(LBRSCOPE_TRIGGER_A_FILE) | BIT(LBRSCOPE_TRIGGER_A_OFFSET) },
	[LBRSCOPE_TRIGGER_KPROBE] = { BIT(LBRSCOPE_TRIGGER_A_SYMBOL) },
	[LBRSCOPE_TRIGGER_KRETPROBE] = { BIT(LBRSCOPE_TRIGGER_A_SYMBOL) },
	[LBRSCOPE_TRIGGER_EXEC] = { 0 },
	[LBRSCOPE_TRIGGER_EXIT] = { 0 },
	[LBRSCOPE_TRIGGER_SIGNAL] = { 0, BIT(LBRSCOPE_TRIGGER_A_SIGNAL) },
	[LBRSCOPE_TRIGGER_EVENT] = {
		BIT(LBRSCOPE_TRIGGER_A_EVENT) | BIT(LBRSCOPE_TRIGGER_A_FREEZE) },
	[LBRSCOPE_TRIGGER_OFFCPU] = {
		BIT(LBRSCOPE_TRIGGER_A_MIN) | BIT(LBRSCOPE_TRIGGER_A_FREEZE) },
};

static int ls_netlink_triggers_check_kind(struct nlattr **tb, struct nlattr *nest,
					  struct ls_extack *extack)
{
	const u32 always = BIT(LBRSCOPE_TRIGGER_A_KIND) |
			   BIT(LBRSCOPE_TRIGGER_A_FREEZE);
	u32 needs, takes, i;

	if (!tb[LBRSCOPE_TRIGGER_A_KIND]) {
		ls_extack_set_attr(extack, nest, "a trigger needs KIND");
		return -EINVAL;
	}
	needs = netlink_kinds[nla_get_u32(tb[LBRSCOPE_TRIGGER_A_KIND])].needs;
	takes = netlink_kinds[nla_get_u32(tb[LBRSCOPE_TRIGGER_A_KIND])].takes |
		needs | always;
	for (i = 1; i <= LBRSCOPE_TRIGGER_A_MAX; i++) {
		if (!tb[i] && needs & BIT(i)) {
			ls_extack_set_attr(extack, nest, "the trigger lacks an attribute that its KIND needs");
			return -EINVAL;
		}
		if (tb[i] && !(takes & BIT(i))) {
			ls_extack_set_attr(extack, tb[i], "the trigger's KIND does not take this attribute");
			return -EINVAL;
		}
	}
	return 0;
}

static int ls_netlink_triggers_parse_watch(struct nlattr **tb, struct ls_trigger_watch *watch,
					   struct ls_extack *extack)
{
	watch->address = nla_get_u64(tb[LBRSCOPE_TRIGGER_A_ADDRESS]);
	watch->length = nla_get_u32(tb[LBRSCOPE_TRIGGER_A_LENGTH]);
	watch->reads = tb[LBRSCOPE_TRIGGER_A_READS];
	if (!is_power_of_2(watch->length)) {
		ls_extack_set_attr(extack, tb[LBRSCOPE_TRIGGER_A_LENGTH], "1, 2, 4 or 8 bytes can be watched");
		return -EINVAL;
	}
	if (watch->address & (watch->length - 1)) {
		ls_extack_set_attr(extack, tb[LBRSCOPE_TRIGGER_A_ADDRESS], "the address is not a multiple of the length");
		return -EINVAL;
	}
	return 0;
}

static int ls_netlink_triggers_parse_uprobe(struct nlattr **tb,
					    struct ls_trigger_uprobe *uprobe,
					    struct ls_extack *extack)
{
	struct nlattr *attr = tb[LBRSCOPE_TRIGGER_A_FILE];
	struct file *file = fget(nla_get_u32(attr));
	int err = 0;

	uprobe->offset = nla_get_u64(tb[LBRSCOPE_TRIGGER_A_OFFSET]);
	if (!file || !(file->f_mode & FMODE_READ)) {
		ls_extack_set_attr(extack, attr, "FILE is not a descriptor that is open for reading");
		err = -EBADF;
	} else if (!S_ISREG(file_inode(file)->i_mode)) {
		ls_extack_set_attr(extack, attr, "FILE is not a regular file");
		err = -EINVAL;
	} else if (uprobe->offset >= i_size_read(file_inode(file))) {
		ls_extack_set_attr(extack, tb[LBRSCOPE_TRIGGER_A_OFFSET], "the file is shorter than this");
		err = -EINVAL;
	} else {
		uprobe->file = file->f_path;
		path_get(&uprobe->file);
		ls_trigger_uprobe_init(uprobe);
	}
	if (file)
		fput(file);
	return err;
}

static int ls_netlink_triggers_parse_overflow(struct nlattr **tb, struct ls_events *events,
					      struct ls_extack *extack)
{
	struct nlattr *attr = tb[LBRSCOPE_TRIGGER_A_EVENT];
	u32 event = nla_get_u32(attr);

	if (event >= events->nr || !ls_event_samples(&events->list[event])) {
		ls_extack_set_attr(extack, attr, "there is no such event with samples");
		return -EINVAL;
	}
	events->list[event].freezes = true;
	return 0;
}

static int ls_netlink_triggers_parse_wait(struct nlattr **tb, struct ls_offcpu_config *offcpu,
					  struct ls_extack *extack)
{
	struct nlattr *attr = tb[LBRSCOPE_TRIGGER_A_MIN];
	u64 min = nla_get_u64(attr);

	if (!min || !offcpu->wanted) {
		ls_extack_set_attr(extack, attr, "MIN is 1 ns at least, and needs the session to have OFFCPU");
		return -EINVAL;
	}
	if (!offcpu->freezes || min < offcpu->freezes)
		offcpu->freezes = min;
	return 0;
}

static int ls_netlink_triggers_parse_kind(struct nlattr **tb, struct ls_trigger *trigger,
					  struct ls_session_config *config,
					  struct ls_events *events,
					  struct ls_extack *extack)
{
	switch (trigger->kind) {
	case LBRSCOPE_TRIGGER_WATCHPOINT:
		return ls_netlink_triggers_parse_watch(tb, &trigger->watch, extack);
	case LBRSCOPE_TRIGGER_UPROBE:
		return ls_netlink_triggers_parse_uprobe(tb, &trigger->uprobe, extack);
	case LBRSCOPE_TRIGGER_KPROBE:
	case LBRSCOPE_TRIGGER_KRETPROBE:
		strscpy(trigger->kprobe.symbol,
			nla_data(tb[LBRSCOPE_TRIGGER_A_SYMBOL]),
			sizeof(trigger->kprobe.symbol));
		return 0;
	case LBRSCOPE_TRIGGER_SIGNAL:
		if (tb[LBRSCOPE_TRIGGER_A_SIGNAL])
			trigger->signal = nla_get_u32(tb[LBRSCOPE_TRIGGER_A_SIGNAL]);
		return 0;
	case LBRSCOPE_TRIGGER_EVENT:
		return ls_netlink_triggers_parse_overflow(tb, events, extack);
	case LBRSCOPE_TRIGGER_OFFCPU:
		return ls_netlink_triggers_parse_wait(tb, &config->offcpu, extack);
	default:
		return 0;
	}
}

static int ls_netlink_triggers_parse_trigger(struct nlattr *nest, struct ls_trigger *trigger,
					     struct ls_session_config *config,
					     struct ls_events *events,
					     struct ls_extack *extack)
{
	struct nlattr *tb[LBRSCOPE_TRIGGER_A_MAX + 1];
	int err;

	err = nla_parse_nested(tb, LBRSCOPE_TRIGGER_A_MAX, nest,
			       ls_netlink_trigger_policy, &extack->ack);
	if (!err)
		err = ls_netlink_triggers_check_kind(tb, nest, extack);
	if (err)
		return err;
	if (tb[LBRSCOPE_TRIGGER_A_FREEZE] && !config->overwrite) {
		ls_extack_set_attr(extack, tb[LBRSCOPE_TRIGGER_A_FREEZE], "FREEZE needs rings that OVERWRITE");
		return -EINVAL;
	}
	trigger->kind = nla_get_u32(tb[LBRSCOPE_TRIGGER_A_KIND]);
	trigger->freezes = tb[LBRSCOPE_TRIGGER_A_FREEZE];
	return ls_netlink_triggers_parse_kind(tb, trigger, config, events, extack);
}

static int ls_netlink_triggers_fill_triggers(struct nlattr *array,
					     struct ls_triggers *triggers,
					     struct ls_session_config *config,
					     struct ls_events *events,
					     struct ls_extack *extack)
{
	struct nlattr *nest;
	int left, err;

	nla_for_each_nested(nest, array, left) {
		if (triggers->nr == LBRSCOPE_TRIGGERS_MAX) {
			ls_extack_set_attr(extack, nest, "more triggers than LBRSCOPE_TRIGGERS_MAX");
			return -E2BIG;
		}
		triggers->list[triggers->nr].index = triggers->nr;
		err = ls_netlink_triggers_parse_trigger(nest, &triggers->list[triggers->nr],
							config, events, extack);
		if (err)
			return err;
		triggers->nr++;
	}
	return 0;
}

int ls_netlink_parse_triggers(struct genl_info *info,
			      struct ls_session_config *config,
			      struct ls_events *events, struct ls_triggers **result)
{
	struct nlattr *array = info->attrs[LBRSCOPE_SESSION_A_TRIGGERS];
	struct ls_triggers *triggers;
	int err;

	*result = NULL;
	if (!array)
		return 0;
	triggers = kvzalloc(sizeof(*triggers), CHARGE_GFP);
	if (!triggers)
		return -ENOMEM;
	err = ls_netlink_triggers_fill_triggers(array, triggers, config, events,
						ls_extack_of(info));
	if (err)
		ls_triggers_free(triggers);
	else
		*result = triggers;
	return err;
}
