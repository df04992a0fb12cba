// SPDX-License-Identifier: GPL-2.0
/*
 * A TCG plugin that counts instructions and branches by watching which code is
 * executed: nothing of it is shared with the emulated PMU. For one CPU.
 *
 *   -plugin count.so,out=FILE,fault=ADDRESS,...,entry=ADDRESS[-END],...
 *
 * with the kernel's entries of faults, that of page faults first, and of interrupts.
 *
 * Whenever user space executes RDPMC, a line goes to FILE:
 *
 *   insns:u insns:k branches:u branches:k taken:u taken:k deliveries odd
 *
 * what had retired before it, by the half of the address space that the
 * instruction lies in; "taken" are near branches alone, deliveries are those of
 * faults and interrupts. It is not told what
 * retires, only which instructions start; a block of them (TB) is judged when
 * the next one starts, at address "next":
 *
 * - All but the last instruction that started have retired.
 * - So has the last, if next follows it or is where it branches to.
 * - If next is a fault's entry it has not. The exception is a page fault in user
 *   space behind the last instruction of its TB, which may have been the fetch of
 *   the next one: where the program goes on tells.
 * - Any other kernel entry is an interrupt's, or that of a system call, and it has.
 * - A string instruction with REP starts once for each iteration, and retires
 *   once: when it is seen to be left behind, at once or after an interrupt.
 * - The same instruction again: it was only tried (an atomic operation, a write
 *   to the code that runs).
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <qemu-plugin.h>

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

enum kind {
	PLAIN, REP, RDPMC,
	JCC, DIRECT, INDIRECT,	/* near branches */
	FAR, IRET,		/* system calls among them */
};

struct block {
	uint64_t n, start, last;	/* addresses */
	uint64_t follow, target;	/* of the last instruction */
	enum kind kind;
	uint64_t addr[];
};

/*
 * The last instruction before an interrupt or a page fault, when it is only seen
 * by where IRET goes what became of it.
 */
struct pending {
	const struct block *block;
	bool retired;		/* known already; not, where a branch went */
};

#define MAX_ENTRIES	128
#define MAX_PENDING	16
#define MAX_SYSCALLS	1024
#define MAX_INSN	15	/* bytes */

static FILE *out;
static uint64_t faults[MAX_ENTRIES];
static int n_faults;
static struct {
	uint64_t start, end;
} entries[MAX_ENTRIES];
static int n_entries;

static uint64_t insns[2], branches[2], taken[2], deliveries, odd;
static uint64_t started;		/* instructions, by translated code */
static uint64_t started_before;		/* the present block */
static const struct block *present;
static struct pending pending[MAX_PENDING];
static int n_pending;
static uint64_t syscalls[MAX_SYSCALLS];	/* where user space goes on behind one */
static int n_syscalls;

static int ring(uint64_t addr)
{
	return addr >> 63;
}

static bool is_fault(uint64_t addr)
{
	int i;

	for (i = 0; i < n_faults; i++)
		if (faults[i] == addr)
			return true;
	return false;
}

static bool is_entry(uint64_t addr)
{
	int i;

	for (i = 0; i < n_entries; i++)
		if (addr >= entries[i].start && addr < entries[i].end)
			return true;
	return is_fault(addr);
}

static int64_t immediate(const uint8_t *end, int size)
{
	int32_t value;

	if (size == 1)
		return (int8_t)end[-1];
	memcpy(&value, end - 4, 4);
	return value;
}

/* In 64-bit mode. A relative target is the last thing in its instruction. */
static enum kind decode(const uint8_t *code, size_t size, uint64_t follow, uint64_t *target)
{
	const uint8_t *p = code, *end = code + size;
	bool rep = false;

	for (; p < end - 1; p++) {
		if (*p == 0xf2 || *p == 0xf3)
			rep = true;
		else if (*p != 0x66 && *p != 0x67 && *p != 0x2e && *p != 0x3e && *p != 0x26 &&
			 *p != 0x36 && *p != 0x64 && *p != 0x65 && *p != 0xf0 && (*p & 0xf0) != 0x40)
			break;
	}
	if (*p == 0x0f && p + 1 < end) {
		p++;
		if ((*p & 0xf0) == 0x80) {
			*target = follow + immediate(end, 4);
			return JCC;
		}
		if (*p == 0x05 || *p == 0x07 || *p == 0x34 || *p == 0x35)
			return FAR;	/* SYSCALL, SYSRET, SYSENTER, SYSEXIT */
		return *p == 0x33 ? RDPMC : PLAIN;
	}
	if ((*p & 0xf0) == 0x70 || (*p & 0xfc) == 0xe0) {
		*target = follow + immediate(end, 1);
		return JCC;
	}
	switch (*p) {
	case 0xe8: case 0xe9:
		*target = follow + immediate(end, 4);
		return DIRECT;
	case 0xeb:
		*target = follow + immediate(end, 1);
		return DIRECT;
	case 0xc2: case 0xc3:
		return INDIRECT;
	case 0xca: case 0xcb: case 0xcc: case 0xcd: case 0xf1:
		return FAR;
	case 0xcf:
		return IRET;
	case 0xa4: case 0xa5: case 0xa6: case 0xa7: case 0xaa: case 0xab:
	case 0xac: case 0xad: case 0xae: case 0xaf:
	case 0x6c: case 0x6d: case 0x6e: case 0x6f:
		return rep ? REP : PLAIN;
	case 0xff:
		switch (p[1] >> 3 & 7) {
		case 2: case 4:
			return INDIRECT;
		case 3: case 5:
			return FAR;
		}
	}
	return PLAIN;
}

static bool is_taken(const struct block *b, uint64_t next)
{
	return b->kind == DIRECT || b->kind == INDIRECT || (b->kind == JCC && next == b->target);
}

/* The last instruction of b has retired. */
static void retire_last(const struct block *b, uint64_t next)
{
	int r = ring(b->last);

	insns[r]++;
	if (b->kind >= JCC)
		branches[r]++;
	if (is_taken(b, next))
		taken[r]++;
}

static void wait_for_iret(const struct block *b, bool retired)
{
	if (n_pending == MAX_PENDING) {
		odd++;
		memmove(pending, pending + 1, --n_pending * sizeof(*pending));
	}
	pending[n_pending++] = (struct pending) { b, retired };
}

static bool explains(const struct pending *p, uint64_t next)
{
	const struct block *b = p->block;

	return next == b->last || next == b->follow ||
	       ((b->kind == JCC || b->kind == DIRECT) && next == b->target);
}

/* A branch to anywhere, of which next may be the target */
static bool may_explain(const struct pending *p, uint64_t next)
{
	int i;

	if (p->block->kind != INDIRECT || ring(next))
		return false;
	for (i = 0; i < n_syscalls; i++)
		if (syscalls[i] == next)
			return false;
	return true;
}

static void resumed(uint64_t next)
{
	struct pending p;
	int i;

	for (i = n_pending - 1; i >= 0 && !explains(&pending[i], next); i--)
		;
	if (i < 0)
		for (i = n_pending - 1; i >= 0 && !may_explain(&pending[i], next); i--)
			;
	if (i < 0)
		return;
	p = pending[i];
	memmove(pending + i, pending + i + 1, (--n_pending - i) * sizeof(p));
	if (p.retired)
		taken[ring(p.block->last)] += is_taken(p.block, next);
	else if (next != p.block->last)
		retire_last(p.block, next);
}

static void judge_fault(const struct block *b, bool whole, uint64_t next)
{
	bool page_fault = next == faults[0];	/* the first of them */

	if (!whole || !page_fault || b->kind == REP)
		return;
	if (ring(b->last)) {
		/* the kernel's own code is there, what it returns to may not be */
		if (b->kind >= FAR)
			retire_last(b, next);
	} else {
		wait_for_iret(b, false);
	}
}

static void judge_interrupt(const struct block *b, uint64_t next)
{
	if (b->kind == REP) {
		wait_for_iret(b, false);
	} else if (b->kind == JCC) {
		insns[ring(b->last)]++;
		branches[ring(b->last)]++;
		wait_for_iret(b, true);
	} else {
		retire_last(b, next);
	}
}

static void judge_last(const struct block *b, bool whole, uint64_t next)
{
	bool branched = whole && (b->kind == JCC || b->kind == DIRECT) && next == b->target;

	if (next != b->follow && !branched && is_entry(next))
		deliveries++;
	if (next == b->follow || branched)
		retire_last(b, next);
	else if (next == b->last && b->kind < INDIRECT)
		;			/* tried, or an iteration */
	else if (is_fault(next))
		judge_fault(b, whole, next);
	else if (!whole || (b->kind < INDIRECT && !ring(next)))
		odd++;
	else if (b->kind < INDIRECT)
		judge_interrupt(b, next);
	else
		retire_last(b, next);
	if (b->kind == IRET && !is_fault(next))
		resumed(next);
}

/*
 * An instruction that lies in two pages begins a block of its own: QEMU, having begun to
 * read it as the last of another, takes it back, and has told the plugin of its first
 * bytes. What comes before it is all of that block.
 */
static bool was_taken_back(const struct block *b, uint64_t i)
{
	return i == b->n - 1 && (b->addr[i] & 0xfff) > 0x1000 - MAX_INSN;
}

/* Of a block that was left behind its instruction "count" */
static void judge(const struct block *b, uint64_t count, uint64_t next)
{
	struct block part = *b;

	if (!count)
		return;
	insns[ring(b->start)] += count - 1;
	if (count == b->n) {
		judge_last(b, true, next);
		return;
	}
	part.last = b->addr[count - 1];
	part.follow = b->addr[count];
	part.kind = PLAIN;
	judge_last(&part, was_taken_back(b, count), next);
}

static void on_block(unsigned int cpu, void *data)
{
	const struct block *b = data;

	(void)cpu;
	if (present)
		judge(present, started - started_before, b->start);
	present = b;
	started_before = started;
}

static void on_rdpmc(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	/* its own start is among them or not, for all readings alike */
	fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		insns[0] + started - started_before, insns[1], branches[0], branches[1],
		taken[0], taken[1], deliveries, odd);
	fflush(out);
}

static void add_syscall(uint64_t follow)
{
	int i;

	for (i = 0; i < n_syscalls && syscalls[i] != follow; i++)
		;
	if (i == n_syscalls && i < MAX_SYSCALLS)
		syscalls[n_syscalls++] = follow;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	struct block *b = calloc(1, sizeof(*b) + n * sizeof(uint64_t));

	(void)id;
	b->n = n;
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const uint8_t *code = qemu_plugin_insn_data(insn);
		size_t size = qemu_plugin_insn_size(insn);

		b->addr[i] = b->last = qemu_plugin_insn_vaddr(insn);
		b->follow = b->last + size;
		b->kind = decode(code, size, b->follow, &b->target);
		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, &started, 1);
		if (b->kind == FAR && !ring(b->last))
			add_syscall(b->follow);
		if (b->kind == RDPMC && !ring(b->last))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_rdpmc, QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
	b->start = b->addr[0];
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, b);
}

static void add_entries(const char *range)
{
	char *rest;

	entries[n_entries].start = strtoull(range, &rest, 16);
	entries[n_entries].end = *rest ? strtoull(rest + 1, NULL, 16) : entries[n_entries].start + 1;
	n_entries++;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
					   int argc, char **argv)
{
	int i;

	(void)info;
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
		else if (!strncmp(argv[i], "fault=", 6) && n_faults < MAX_ENTRIES)
			faults[n_faults++] = strtoull(argv[i] + 6, NULL, 16);
		else if (!strncmp(argv[i], "entry=", 6) && n_entries < MAX_ENTRIES)
			add_entries(argv[i] + 6);
		else
			return -1;
	}
	if (!out || !n_faults)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
