/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's protocol by hand, for programs that share no code with lbrctl: a request is
 * built between begin() and talk().
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/lbrscope.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define INSTRUCTIONS_U	0x100c0ULL	/* INST_RETIRED.ANY_P, USR */
#define BRANCHES_U	0x100c4ULL	/* BR_INST_RETIRED.ALL_BRANCHES, USR */

/* Each thread has its own socket and request. */
static __thread int sock;
static __thread uint16_t family;

/* The request under construction, and the reply or error. */
static __thread struct message {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	uint8_t body[20 << 10];
} msg, reply;

static __thread int reply_errno;
static __thread char reply_text[256];

static void begin(uint16_t type, uint8_t cmd)
{
	memset(&msg, 0, sizeof(msg));
	msg.nl.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	msg.nl.nlmsg_type = type;
	msg.nl.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	msg.genl.cmd = cmd;
	msg.genl.version = 1;
}

static struct nlattr *put(uint16_t type, const void *data, uint16_t len)
{
	struct nlattr *a = (void *)((uint8_t *)&msg + NLMSG_ALIGN(msg.nl.nlmsg_len));

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	if (len)
		memcpy((uint8_t *)a + NLA_HDRLEN, data, len);
	msg.nl.nlmsg_len = NLMSG_ALIGN(msg.nl.nlmsg_len) + NLA_ALIGN(a->nla_len);
	return a;
}

static void put32(uint16_t type, uint32_t v) { put(type, &v, sizeof(v)); }
static void put64(uint16_t type, uint64_t v) { put(type, &v, sizeof(v)); }

/* Opens a nest. Attributes belong to it until it is closed. */
static struct nlattr *nest_open(uint16_t type)
{
	return put(type | NLA_F_NESTED, NULL, 0);
}

static void nest_close(struct nlattr *nest)
{
	nest->nla_len = (uint8_t *)&msg + msg.nl.nlmsg_len - (uint8_t *)nest;
}

/* Opens EVENTS with one event. */
struct event_nests {
	struct nlattr *array, *event;
};

static inline struct event_nests event_open(uint64_t config)
{
	struct event_nests nests = { .array = nest_open(LBRSCOPE_SESSION_A_EVENTS) };

	nests.event = nest_open(1);
	put64(LBRSCOPE_EVENT_A_CONFIG, config);
	return nests;
}

static inline void event_close(struct event_nests nests)
{
	nest_close(nests.event);
	nest_close(nests.array);
}

static inline void put_event(uint64_t config, uint64_t period)
{
	struct event_nests nests = event_open(config);

	put64(LBRSCOPE_EVENT_A_PERIOD, period);
	event_close(nests);
}

/* Finds the extended ack's text, behind the request, or behind its header (capped acks). */
static void take_error(const struct nlmsghdr *h)
{
	const struct nlmsgerr *err = NLMSG_DATA(h);
	const uint8_t *at = (const uint8_t *)(err + 1);
	const uint8_t *end = (const uint8_t *)h + h->nlmsg_len;

	reply_errno = -err->error;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		at += NLMSG_ALIGN(err->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	while (at + NLA_HDRLEN <= end) {
		const struct nlattr *a = (const void *)at;

		if (a->nla_len < NLA_HDRLEN)
			return;
		if (a->nla_type == NLMSGERR_ATTR_MSG)
			snprintf(reply_text, sizeof(reply_text), "%.*s",
				 (int)(a->nla_len - NLA_HDRLEN), (const char *)a + NLA_HDRLEN);
		at += NLA_ALIGN(a->nla_len);
	}
}

/* Sends the request. Returns the errno of its acknowledgement. */
static int talk(void)
{
	static __thread uint8_t buf[32 << 10];
	ssize_t len;

	reply_errno = -1;
	reply_text[0] = 0;
	memset(&reply, 0, sizeof(reply));
	if (send(sock, &msg, msg.nl.nlmsg_len, 0) < 0)
		return errno;
	while (reply_errno < 0) {
		const struct nlmsghdr *h = (const void *)buf;

		len = recv(sock, buf, sizeof(buf), 0);
		if (len < 0)
			return errno;
		for (; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len)) {
			if (h->nlmsg_type == NLMSG_ERROR)
				take_error(h);
			else if (h->nlmsg_len <= sizeof(reply))
				memcpy(&reply, h, h->nlmsg_len);
		}
	}
	return reply_errno;
}

static const void *find(uint16_t type)
{
	const uint8_t *at = reply.body;
	const uint8_t *end = (const uint8_t *)&reply + reply.nl.nlmsg_len;

	while (at + NLA_HDRLEN <= end) {
		const struct nlattr *a = (const void *)at;

		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return at + NLA_HDRLEN;
		if (a->nla_len < NLA_HDRLEN)
			break;
		at += NLA_ALIGN(a->nla_len);
	}
	return NULL;
}

/* Returns the bytes of the attribute that find() has found. */
static inline size_t length(const void *data)
{
	return ((const struct nlattr *)((const uint8_t *)data - NLA_HDRLEN))->nla_len - NLA_HDRLEN;
}

static inline uint64_t find64(uint16_t type)
{
	const void *p = find(type);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

static int connect_family(void)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	const void *id;
	int on = 1;

	sock = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (sock < 0 || connect(sock, (void *)&kernel, sizeof(kernel)))
		return -1;
	setsockopt(sock, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(sock, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	begin(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	put(CTRL_ATTR_FAMILY_NAME, LBRSCOPE_GENL_NAME, sizeof(LBRSCOPE_GENL_NAME));
	if (talk())
		return -1;
	id = find(CTRL_ATTR_FAMILY_ID);
	if (!id)
		return -1;
	memcpy(&family, id, sizeof(family));
	return 0;
}

static int device(void)
{
	int fd = open(LBRSCOPE_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fprintf(stderr, "client: %s: %s\n", LBRSCOPE_DEVICE, strerror(errno));
	return fd;
}

static inline int command(uint8_t cmd, int fd)
{
	begin(family, cmd);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	return talk();
}
