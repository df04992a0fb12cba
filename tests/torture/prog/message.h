/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random requests of the netlink family.  Their structure is that of the YAML spec
 * (grammar.h, made by grammar.py), their values mean something mostly, and a few mutations make
 * them wrong: in type, length, nesting, number, or in the headers.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>
#include <linux/lbrscope_unwind.h>
#include <linux/netlink.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

enum kind { KIND_PAD, KIND_FLAG, KIND_U32, KIND_U64, KIND_STRING, KIND_BINARY, KIND_NEST, KIND_ARRAY };

enum value {
	VALUE_ANY, VALUE_SESSION, VALUE_NEST, VALUE_BRANCHES, VALUE_TASKS, VALUE_FLAG, VALUE_RING,
	VALUE_FILTER, VALUE_CPUS, VALUE_CPU, VALUE_FORMAT, VALUE_STACK, VALUE_BUDGET, VALUE_CGROUP,
	VALUE_CURSOR, VALUE_CONFIG, VALUE_PERIOD, VALUE_FREQUENCY, VALUE_JITTER, VALUE_GROUP,
	VALUE_COUNTERS, VALUE_TIME, VALUE_RATE, VALUE_KIND, VALUE_ADDRESS, VALUE_LENGTH, VALUE_FILE,
	VALUE_OFFSET, VALUE_SYMBOL, VALUE_SIGNAL, VALUE_INDEX, VALUE_STACKS, VALUE_AUDIT,
	VALUE_SOURCE, VALUE_RATIO, VALUE_TABLE, VALUE_TABLE_SIZE, VALUE_TABLE_OFFSET, VALUE_TABLE_DATA,
	VALUE_PID, VALUE_RANGES, VALUE_DEPTH,
};

struct set;

/* percent: how often a sensible request has it. */
struct attribute {
	const char *name;
	uint16_t type;
	enum kind kind;
	enum value value;
	unsigned int percent;
	const struct set *nested;
};

struct set {
	const struct attribute *attributes;
	unsigned int nr;
};

/* mask: the attributes that the request may have, by index. */
struct operation {
	const char *name;
	uint8_t cmd;
	uint64_t mask;
	const struct set *set;
};

#include "grammar.h"

/*
 * Descriptors have fixed numbers, so that a repeated message has the same meaning:
 * sessions first, which threads open and close beside the requests, then foreign ones.
 */
enum { SLOT_BASE = 100, SLOTS = 8, FOREIGN_BASE = 150, FOREIGN = 8, CGROUP_FD = 160, EXE_FD };

struct message {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	uint8_t body[6 << 10];
};

/*
 * What makes them: one a thread.  wrong: percent of the attributes that are mutated; slot: the
 * descriptor that the command has a chance with; clock: the event that is made has a clock as its
 * source; stacks: the session has a mode of stacks.
 */
struct maker {
	uint64_t state;
	unsigned int wrong;
	int slot;
	uint64_t cursor;
	bool clock, stacks;
	struct message msg;
};

/* Most requests of a user without privilege are permitted ones. */
static bool privileged;
/* The sessions that were configured and started last, by all threads. */
static _Atomic int slot_set = SLOT_BASE, slot_started = SLOT_BASE;

/* splitmix64 */
static uint64_t draw(struct maker *m)
{
	uint64_t z = m->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

#include "values.h"

static uint8_t *message_end(struct maker *m)
{
	return (uint8_t *)&m->msg + NLMSG_ALIGN(m->msg.nl.nlmsg_len);
}

/* NULL: the message is full. */
static struct nlattr *put(struct maker *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr *attr = (void *)message_end(m);
	size_t room = (uint8_t *)(&m->msg + 1) - (uint8_t *)attr;

	if (NLA_HDRLEN + NLA_ALIGN(len) > room)
		return NULL;
	memset(attr, 0, NLA_HDRLEN + NLA_ALIGN(len));
	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	if (data)
		memcpy(attr + 1, data, len);
	m->msg.nl.nlmsg_len = NLMSG_ALIGN(m->msg.nl.nlmsg_len) + NLA_ALIGN(attr->nla_len);
	return attr;
}

static void close_nest(struct maker *m, struct nlattr *nest)
{
	if (nest)
		nest->nla_len = message_end(m) - (uint8_t *)nest;
}

static void put_tasks(struct maker *m, uint16_t type)
{
	uint32_t tasks[70];
	unsigned int i, nr = chance(m, 95) ? 1 + below(m, 2) : below(m, ARRAY_SIZE(tasks) + 1);

	for (i = 0; i < nr; i++)
		tasks[i] = chance(m, 80) ? (uint32_t)getpid() : chance(m, 80) ? (uint32_t)gettid() :
			   (uint32_t)below(m, 200);
	put(m, type, tasks, nr * sizeof(tasks[0]));
}

/* A session that may go: mostly not the one that runs. */
static int idle_slot(struct maker *m)
{
	int slot = SLOT_BASE + below(m, SLOTS);

	return slot == slot_started && chance(m, 85) ? SLOT_BASE + (int)below(m, SLOTS) : slot;
}

/* A table that holds for 64 KiB of code: rules of all kinds. */
static void put_table(struct maker *m, uint16_t type)
{
	struct table table = {
		.head = {
			.magic = LBRSCOPE_UNWIND_MAGIC, .version = LBRSCOPE_UNWIND_VERSION, .shift = 16,
			.nr_buckets = 1, .nr_rows = TABLE_ROWS, .nr_rules = TABLE_RULES,
		},
		.index = { 0, TABLE_ROWS - 1 },
	};
	unsigned int i;

	for (i = 0; i < TABLE_ROWS; i++)
		table.rows[i] = (struct lbrscope_unwind_row){ i * 65535 / TABLE_ROWS, below(m, TABLE_RULES) };
	for (i = 0; i < TABLE_RULES; i++)
		table.rules[i] = (struct lbrscope_unwind_rule){
			.kind = chance(m, 60) ? LBRSCOPE_UNWIND_SP : below(m, LBRSCOPE_UNWIND_NR_KINDS),
			.rbp = below(m, LBRSCOPE_UNWIND_NR_RBPS) | below(m, 16) << 4,
			.rbp_at = below(m, 8) - 4,
			.offset = chance(m, 80) ? 8 + 8 * below(m, 16) : interesting(m),
		};
	if (chance(m, 20))
		((uint8_t *)&table)[below(m, sizeof(table))] = draw(m);
	put(m, type, &table, chance(m, 90) ? sizeof(table) : below(m, sizeof(table)));
}

/* This program's code, and perhaps more. */
static void put_ranges(struct maker *m, uint16_t type)
{
	const uint64_t code = (uintptr_t)probed & ~0xffffULL;
	struct lbrscope_unwind_range ranges[8];
	unsigned int i, nr = below(m, ARRAY_SIZE(ranges) + 1);

	for (i = 0; i < nr; i++)
		ranges[i] = (struct lbrscope_unwind_range){
			.start = code + (i << 16), .end = code + ((i + 1) << 16), .bias = code + (i << 16),
			.table = number(m, VALUE_TABLE), .reserved = chance(m, 2),
		};
	if (nr && chance(m, 10))
		ranges[below(m, nr)].start = interesting(m);
	put(m, type, ranges, nr * sizeof(ranges[0]));
}

static void put_binary(struct maker *m, const struct attribute *attribute)
{
	if (attribute->value == VALUE_TABLE_DATA)
		put_table(m, attribute->type);
	else if (attribute->value == VALUE_RANGES)
		put_ranges(m, attribute->type);
	else
		put_tasks(m, attribute->type);
}

static void put_set(struct maker *m, const struct set *set, uint64_t mask);

static void put_array(struct maker *m, const struct attribute *attribute)
{
	struct nlattr *array = put(m, attribute->type | NLA_F_NESTED, NULL, 0), *element;
	unsigned int i, nr = chance(m, 95) ? 1 + below(m, 4) : below(m, 80);

	for (i = 0; array && i < nr; i++) {
		element = put(m, (1 + i) | NLA_F_NESTED, NULL, 0);
		put_set(m, attribute->nested, ~0ULL);
		close_nest(m, element);
	}
	close_nest(m, array);
}

static void put_value(struct maker *m, const struct attribute *attribute)
{
	uint64_t value = 0;
	struct nlattr *nest;
	const char *text;

	switch (attribute->kind) {
	case KIND_U32:
	case KIND_U64:
		value = number(m, attribute->value);
		put(m, attribute->type, &value, attribute->kind == KIND_U32 ? 4 : 8);
		break;
	case KIND_STRING:
		text = string(m, attribute->value);
		put(m, attribute->type, text, strlen(text) + 1);
		break;
	case KIND_BINARY:
		put_binary(m, attribute);
		break;
	case KIND_NEST:
		nest = put(m, attribute->type | NLA_F_NESTED, NULL, 0);
		if (attribute->nested)
			put_set(m, attribute->nested, ~0ULL);
		close_nest(m, nest);
		break;
	case KIND_ARRAY:
		if (attribute->nested)
			put_array(m, attribute);
		break;
	default:
		put(m, attribute->type, NULL, 0);
	}
}

/* Makes an attribute wrong in one way. */
static void put_wrong(struct maker *m, const struct attribute *attribute)
{
	struct nlattr *attr = (void *)message_end(m);
	uint32_t before = m->msg.nl.nlmsg_len;
	uint64_t noise[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(noise); i++)
		noise[i] = interesting(m);
	put_value(m, attribute);
	if (m->msg.nl.nlmsg_len == before)
		return;
	switch (below(m, 10)) {
	case 0: /* left out */
		m->msg.nl.nlmsg_len = before;
		break;
	case 1: /* another number */
		attr->nla_type ^= 1 << below(m, 16);
		break;
	case 2: /* an unknown type */
		attr->nla_type = 1 + below(m, 40);
		break;
	case 3: /* a length that lies */
		attr->nla_len = chance(m, 50) ? attr->nla_len + 1 - below(m, 3) : interesting(m);
		break;
	case 4: /* any content, any length */
		m->msg.nl.nlmsg_len = before;
		put(m, attribute->type | (chance(m, 20) ? NLA_F_NESTED : 0), noise,
		    below(m, sizeof(noise)));
		break;
	case 5: /* twice */
		put_value(m, attribute);
		break;
	case 6: /* a nest of itself */
		m->msg.nl.nlmsg_len = before;
		attr = put(m, attribute->type | NLA_F_NESTED, NULL, 0);
		put_value(m, attribute);
		close_nest(m, attr);
		break;
	case 7: /* deep */
		for (i = 0; i < below(m, 60); i++)
			put(m, (1 + below(m, 4)) | NLA_F_NESTED, NULL, below(m, 12));
		close_nest(m, attr);
		break;
	default: /* a number at its bounds */
		if (attribute->kind == KIND_U32 || attribute->kind == KIND_U64)
			memcpy(attr + 1, noise, attribute->kind == KIND_U32 ? 4 : 8);
		else
			attr->nla_type ^= NLA_F_NESTED;
	}
}

/* What a trigger of this kind takes, as indices: see netlink_kinds[] of the module. */
static uint64_t trigger_mask(struct maker *m, uint64_t kind)
{
	static const uint16_t takes[] = {
		1 << 3 | 1 << 4 | 1 << 5, 1 << 6 | 1 << 7, 1 << 8, 1 << 8, 0, 0, 1 << 9, 1 << 10, 1 << 11,
	};

	if (kind >= ARRAY_SIZE(takes))
		return 0;
	return takes[kind] & ~(chance(m, 50) ? 1 << 5 | 1 << 9 : 0);
}

/* A sensible choice of the set's attributes, by index. */
static uint64_t choose(struct maker *m, const struct set *set)
{
	uint64_t chosen = 0;
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		if (chance(m, set->attributes[i].percent))
			chosen |= 1ULL << i;
	return chosen;
}

/* The same for an event: samples by a ratio need two events and a bound, a clock takes little. */
static uint64_t reconcile_event(struct maker *m, uint64_t chosen)
{
	const uint64_t period = 1 << 2, frequency = 1 << 3, of_clocks = 1 << 1 | period | 1 << 4 | 1 << 5 | 1 << 10;
	const uint64_t of_samples = 1 << 4 | 1 << 9, ratio = 1 << 11 | 1 << 12, above = 1 << 13, below = 1 << 14;

	if (chosen & period)
		chosen &= ~frequency;
	if (!(chosen & (period | frequency)))
		chosen &= ~(of_samples | ratio | above | below);
	if (chosen & (ratio | above | below))
		chosen |= ratio | above;
	m->clock = chosen & 1 << 10;
	return m->clock ? chosen & of_clocks : chosen;
}

/* Removes attributes that exclude each other, and adds required ones. */
static uint64_t reconcile(struct maker *m, uint64_t chosen)
{
	const uint64_t targets = 1 << 3 | 1 << 15, triggers = 1 << 12, cgroup = 1 << 16;
	const uint64_t stack_mode = 1 << 21, stack_audit = 1 << 22;

	if (!privileged && !chance(m, 5))
		chosen = (chosen | 1 << 3) & ~(triggers | cgroup);
	if (chosen & targets)
		chosen = (chosen & ~cgroup) | (uint64_t)chance(m, 40) << 19;
	else
		chosen &= ~(1ULL << 4 | 1ULL << 19);
	if (!(chosen & 1 << 2))
		chosen &= ~(1ULL << 17 | 1ULL << 18);
	m->stacks = chosen & stack_mode;
	if (m->stacks)
		chosen |= 1 << 10; /* the format */
	else
		chosen &= ~stack_audit;
	return chosen;
}

static void put_trigger(struct maker *m)
{
	uint64_t kind = number(m, VALUE_KIND);
	uint64_t mask = trigger_mask(m, kind) | (chance(m, 20) ? 1 << 2 : 0);
	uint32_t kind32 = kind;
	unsigned int i;

	put(m, LBRSCOPE_TRIGGER_A_KIND, &kind32, sizeof(kind32));
	for (i = 0; i < set_trigger.nr; i++)
		if (mask & 1ULL << i)
			put_value(m, &set_trigger.attributes[i]);
}

static void put_set(struct maker *m, const struct set *set, uint64_t mask)
{
	uint64_t chosen = choose(m, set);
	unsigned int i;

	if (set == &set_trigger && !chance(m, m->wrong)) {
		put_trigger(m);
		return;
	}
	if (set == &set_event)
		chosen = reconcile_event(m, chosen);
	if (set == &set_session && chance(m, 95))
		chosen = reconcile(m, chosen);
	/* TASK_STACK: without EVENTS, processes are what it is about */
	if (set == &set_session && !(mask & 1 << 1) && chance(m, 90))
		chosen |= 1 << 3;
	if (!chance(m, m->wrong))
		chosen &= mask;
	for (i = 0; i < set->nr; i++) {
		if (chance(m, m->wrong))
			put_wrong(m, &set->attributes[i]);
		else if (chosen & 1ULL << i)
			put_value(m, &set->attributes[i]);
	}
}

static void wrong_headers(struct maker *m)
{
	switch (below(m, 6)) {
	case 0:
		m->msg.genl.cmd = draw(m);
		break;
	case 1:
		m->msg.genl.version = draw(m);
		break;
	case 2:
		m->msg.genl.reserved = draw(m);
		break;
	case 3:
		m->msg.nl.nlmsg_flags = draw(m) | NLM_F_REQUEST;
		break;
	case 4:
		m->msg.nl.nlmsg_len -= below(m, m->msg.nl.nlmsg_len);
		break;
	default:
		m->msg.nl.nlmsg_flags |= NLM_F_DUMP;
	}
}

/* How often, in percent: a session that is there is commanded more than it is configured. */
static const struct operation *draw_operation(struct maker *m)
{
	static const uint8_t often[] = { 4, 33, 6, 5, 9, 8, 6, 6, 4, 5, 6, 4, 4 };
	unsigned int at = below(m, 100), i;

	for (i = 0; i < ARRAY_SIZE(operations) - 1 && i < ARRAY_SIZE(often); i++) {
		if (at < often[i])
			break;
		at -= often[i];
	}
	return &operations[i];
}

static void begin_message(struct maker *m, uint16_t family, uint8_t cmd)
{
	m->msg.nl = (struct nlmsghdr){
		.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN),
		.nlmsg_type = family,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
	};
	m->msg.genl = (struct genlmsghdr){ .cmd = cmd, .version = LBRSCOPE_GENL_VERSION };
}

/* Makes a new message in m->msg. Returns its operation. */
static const struct operation *make_message(struct maker *m, uint16_t family)
{
	const struct operation *operation = draw_operation(m);

	m->wrong = chance(m, 60) ? 0 : chance(m, 70) ? 3 : 20;
	m->slot = operation->cmd == LBRSCOPE_CMD_SESSION_SET ? idle_slot(m) :
		  operation->cmd == LBRSCOPE_CMD_SESSION_START ? slot_set : slot_started;
	begin_message(m, family, operation->cmd);
	put_set(m, operation->set, operation->mask);
	if (chance(m, m->wrong))
		wrong_headers(m);
	return operation;
}
