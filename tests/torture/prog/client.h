/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread that sends the messages of message.h, with its sockets, its kcov buffer and its
 * injected allocation failures.
 */
#include <linux/kcov.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define SOCKETS		3
#define KCOV_WORDS	(64 << 10)
#define CORPUS		2048
#define BATCH_MAX	8

/* Messages that one send() carries; the number of each is its nlmsg_seq. */
struct batch {
	unsigned int nr, full_at;
	size_t len;
	struct {
		const struct operation *operation;	/* NULL: no sensible request */
		size_t offset;
		int slot;	/* the descriptor it asks for */
		int err;	/* of its answer; -1: there was none */
	} of[BATCH_MAX];
	uint8_t bytes[BATCH_MAX * sizeof(struct message)];
};

struct client {
	struct maker maker;
	int sockets[SOCKETS];
	uint64_t *kcov;		/* NULL: this kernel has none, or not for this user */
	int fail_nth;		/* /proc/thread-self/fail-nth; -1: likewise */
	struct batch batch;
	unsigned int leaks;	/* answers with what looks like a kernel address */
};

static uint16_t family;

/* Messages that reached code which no message before them had reached; for all threads. */
static struct {
	pthread_mutex_t lock;
	unsigned int nr;
	struct message messages[CORPUS];
} corpus = { .lock = PTHREAD_MUTEX_INITIALIZER };
static _Atomic uint8_t reached[1 << 16];

static int open_socket(struct client *c)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int on = chance(&c->maker, 80), sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	if (sock < 0 || connect(sock, (void *)&kernel, sizeof(kernel)))
		return sock;
	setsockopt(sock, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	on = chance(&c->maker, 50);
	setsockopt(sock, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	return sock;
}

/*
 * No answer but that of REGS_GET may have an address of the kernel.  Counts are far below, and
 * what is echoed of a request is behind an error.
 */
static bool leaks(const struct nlmsghdr *h)
{
	const uint8_t *at = (const uint8_t *)h + NLMSG_HDRLEN + GENL_HDRLEN;
	uint64_t word;

	for (; at + sizeof(word) <= (const uint8_t *)h + h->nlmsg_len; at += 4) {
		memcpy(&word, at, sizeof(word));
		if (word >= 0xffff800000000000ULL && word < 0xffffffffff000000ULL)
			return true;
	}
	return false;
}

static void take_cursor(struct client *c, const struct nlmsghdr *h)
{
	const uint8_t *at = (const uint8_t *)h + NLMSG_HDRLEN + GENL_HDRLEN;
	const uint8_t *end = (const uint8_t *)h + h->nlmsg_len;
	const struct nlattr *attr = (const void *)at;

	for (; at + NLA_HDRLEN <= end; at += NLA_ALIGN(attr->nla_len)) {
		attr = (const void *)at;
		if (attr->nla_len < NLA_HDRLEN)
			return;
		if (attr->nla_type == LBRSCOPE_COUNTS_A_CURSOR && attr->nla_len == NLA_HDRLEN + 8)
			memcpy(&c->maker.cursor, attr + 1, sizeof(c->maker.cursor));
	}
}

static void take_answer(struct client *c, const struct nlmsghdr *h)
{
	const struct genlmsghdr *genl = NLMSG_DATA(h);

	if (h->nlmsg_type == NLMSG_ERROR && h->nlmsg_len >= NLMSG_LENGTH(sizeof(struct nlmsgerr))) {
		if (h->nlmsg_seq < c->batch.nr)
			c->batch.of[h->nlmsg_seq].err = -((const struct nlmsgerr *)NLMSG_DATA(h))->error;
		return;
	}
	if (h->nlmsg_type != family || h->nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN))
		return;
	if (genl->cmd == LBRSCOPE_CMD_TASK_COUNTS_GET)
		take_cursor(c, h);
	if (genl->cmd != LBRSCOPE_CMD_REGS_GET && genl->cmd != LBRSCOPE_CMD_TASK_COUNTS_GET)
		c->leaks += leaks(h);
}

/* Commands are carried out, and answered, before send() returns. */
static void receive(struct client *c, int sock)
{
	static __thread uint8_t buffer[32 << 10];
	const struct nlmsghdr *h;
	ssize_t len;

	while ((len = recv(sock, buffer, sizeof(buffer), MSG_DONTWAIT)) > 0)
		for (h = (const void *)buffer; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len))
			take_answer(c, h);
}

static void remember(const struct message *msg)
{
	pthread_mutex_lock(&corpus.lock);
	memcpy(&corpus.messages[corpus.nr++ % CORPUS], msg, msg->nl.nlmsg_len);
	pthread_mutex_unlock(&corpus.lock);
}

/* Varies a few bytes of an earlier message that reached new code. Returns false without one. */
static bool recall(struct client *c)
{
	struct maker *m = &c->maker;
	unsigned int nr = corpus.nr < CORPUS ? corpus.nr : CORPUS, i;
	uint32_t word;

	if (!nr)
		return false;
	pthread_mutex_lock(&corpus.lock);
	memcpy(&m->msg, &corpus.messages[below(m, nr)], sizeof(m->msg));
	pthread_mutex_unlock(&corpus.lock);
	if (m->msg.nl.nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN) + 8 || m->msg.nl.nlmsg_len > sizeof(m->msg))
		return false;
	for (i = 0; i < 1 + below(m, 3); i++) {
		word = interesting(m);
		memcpy(m->msg.body + below(m, (m->msg.nl.nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN)) / 4) * 4, &word,
		       chance(m, 50) ? 4 : 2);
	}
	return true;
}

/* Returns whether the message has reached new addresses of the module. */
static bool note_coverage(const uint64_t *kcov)
{
	uint64_t i, nr = __atomic_load_n(&kcov[0], __ATOMIC_RELAXED);
	bool found = false;

	for (i = 1; i <= nr && i < KCOV_WORDS; i++) {
		uint16_t at = kcov[i] * 0x9e3779b97f4a7c15ULL >> 48;

		if (!atomic_load_explicit(&reached[at], memory_order_relaxed)) {
			atomic_store_explicit(&reached[at], 1, memory_order_relaxed);
			found = true;
		}
	}
	return found;
}

static struct message *batched(struct client *c, unsigned int at)
{
	return (void *)(c->batch.bytes + c->batch.of[at].offset);
}

static void empty_batch(struct client *c)
{
	c->batch.nr = 0;
	c->batch.len = 0;
	c->batch.full_at = chance(&c->maker, 50) ? 1 : 1 + below(&c->maker, BATCH_MAX);
}

/* True: the batch is full. The kernel reads nothing behind a message without a whole header. */
static bool add_to_batch(struct client *c, const struct operation *operation)
{
	struct batch *b = &c->batch;
	struct message *msg = &c->maker.msg;

	msg->nl.nlmsg_seq = b->nr;
	b->of[b->nr].operation = operation;
	b->of[b->nr].offset = b->len;
	b->of[b->nr].slot = c->maker.slot;
	b->of[b->nr].err = -1;
	memcpy(b->bytes + b->len, msg, msg->nl.nlmsg_len);
	b->len += NLMSG_ALIGN(msg->nl.nlmsg_len);
	b->nr++;
	return b->nr >= b->full_at || msg->nl.nlmsg_len < NLMSG_HDRLEN;
}

static void send_batch(struct client *c)
{
	int sock = c->sockets[below(&c->maker, SOCKETS)];
	unsigned int i;

	if (c->kcov)
		__atomic_store_n(&c->kcov[0], 0, __ATOMIC_RELAXED);
	if (send(sock, c->batch.bytes, c->batch.len, MSG_DONTWAIT) >= 0)
		receive(c, sock);
	if (c->kcov && note_coverage(c->kcov))
		for (i = 0; i < c->batch.nr; i++)
			remember(batched(c, i));
}

/* The message of the maker by itself; the error of its answer, or -1. */
static int send_message(struct client *c)
{
	empty_batch(c);
	add_to_batch(c, NULL);
	send_batch(c);
	return c->batch.of[0].err;
}

/*
 * The nth allocation, or copy from or to user memory, of the next system call fails (nth from
 * 1); none with 0.  What is left of nth may hit the write itself.
 */
static void fail_allocation(struct client *c, unsigned int nth)
{
	char text[16];
	int len = sprintf(text, "%u", nth), tries = 10;

	while (tries-- && pwrite(c->fail_nth, text, len, 0) < 0)
		;
}

/* Did it? And none fails any more. */
static bool has_failed(struct client *c)
{
	char text[16] = "1";
	ssize_t len = pread(c->fail_nth, text, sizeof(text) - 1, 0);

	fail_allocation(c, 0);
	return len > 0 && atoi(text) == 0;
}

/* Sets up the calling thread. */
static void open_kcov(struct client *c)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, KCOV_INIT_TRACE, KCOV_WORDS))
		return;
	c->kcov = mmap(NULL, KCOV_WORDS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (c->kcov == MAP_FAILED || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
		c->kcov = NULL;
}

static void open_client(struct client *c, uint64_t seed)
{
	int i;

	c->maker = (struct maker){ .state = seed };
	for (i = 0; i < SOCKETS; i++)
		c->sockets[i] = open_socket(c);
	c->fail_nth = -1;
}

/* Returns false if the module is not loaded. */
static bool find_family(struct client *c)
{
	uint8_t buffer[4096];
	const struct nlmsghdr *h = (const void *)buffer;
	const struct nlattr *attr = (const void *)(buffer + NLMSG_HDRLEN + GENL_HDRLEN);
	ssize_t len;

	begin_message(&c->maker, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	c->maker.msg.nl.nlmsg_flags = NLM_F_REQUEST;
	put(&c->maker, CTRL_ATTR_FAMILY_NAME, LBRSCOPE_GENL_NAME, sizeof(LBRSCOPE_GENL_NAME));
	send(c->sockets[0], &c->maker.msg, c->maker.msg.nl.nlmsg_len, 0);
	len = recv(c->sockets[0], buffer, sizeof(buffer), 0);
	for (; NLMSG_OK(h, len) && (const uint8_t *)(attr + 1) < buffer + h->nlmsg_len;
	     attr = (const void *)((const uint8_t *)attr + NLA_ALIGN(attr->nla_len)))
		if (attr->nla_type == CTRL_ATTR_FAMILY_ID) {
			memcpy(&family, attr + 1, sizeof(family));
			return true;
		} else if (attr->nla_len < NLA_HDRLEN) {
			return false;
		}
	return false;
}
