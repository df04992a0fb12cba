// SPDX-License-Identifier: GPL-2.0
/*
 * Runs walk() under a counter, as often and as told by /proc/events:
 *
 *   EVENTSEL LEFT SEED ENTRIES SPAN STRIDE
 *
 * EVENTSEL is without its enable bits; the counter starts LEFT before its
 * overflow, or at 0 if that is 0. The list has ENTRIES addresses: SPAN bytes
 * STRIDE apart, or from a generator that ../machine.py has as well. A line
 * leaves one in the file: the count, and the IP of the PMI, or 0.
 *
 * The first lines are the addresses of the list, of the data and of walk()'s
 * instructions.
 */
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/nmi.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/nmi.h>

#define A_PMC0			0x4c1
#define EVTSEL0			0x186
#define GLOBAL_STATUS		0x38e
#define GLOBAL_CTRL		0x38f
#define STATUS_RESET		0x390
#define SEL_ENABLE		(BIT_ULL(17) | BIT_ULL(20) | BIT_ULL(22))
#define WIDTH_MASK		(BIT_ULL(48) - 1)

#define INSNS			17
#define MAX_ENTRIES		8192
#define DATA_SIZE		(16 << 20)
#define MAX_RUNS		4096

extern void walk(u32 msr, u64 value, u64 *list);
extern const u64 walk_insns[INSNS];

static u64 *list;
static char *data;
static u64 pmi_ip;

static struct run {
	u64 count, ip;
} *runs;
static int nr_runs;
static DEFINE_MUTEX(running);

/* Not native_wrmsrl(), which has another name since 6.16. */
static void set(u32 msr, u64 value)
{
	native_wrmsr(msr, lower_32_bits(value), upper_32_bits(value));
}

static int pmi_handler(unsigned int type, struct pt_regs *regs)
{
	u64 status = __rdmsr(GLOBAL_STATUS);

	if (!status)
		return NMI_DONE;
	set(GLOBAL_CTRL, 0);
	if (!pmi_ip)
		pmi_ip = regs->ip;
	set(STATUS_RESET, status);
	apic->write(APIC_LVTPC, APIC_DM_NMI);
	return NMI_HANDLED;
}

static void make_list(u64 seed, u32 entries, u32 span, u32 stride)
{
	u64 x = seed;
	u32 i, offset;

	for (i = 0; i < entries; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		offset = stride ? i * stride : (u32)(x >> 33);
		list[i] = (u64)data + (offset % span & ~7);
		if (!stride && (x >> 20 & 3) == 0)
			list[i]++;
	}
	list[entries] = 0;
}

static void run(u64 sel, u64 left)
{
	unsigned long flags;
	int i;

	local_irq_save(flags);
	set(GLOBAL_CTRL, 0);
	for (i = 0; i < 4; i++)
		set(EVTSEL0 + i, 0);
	apic->write(APIC_LVTPC, APIC_DM_NMI);
	pmi_ip = 0;
	set(A_PMC0, left ? (BIT_ULL(48) - left) & WIDTH_MASK : 0);
	set(EVTSEL0, sel | SEL_ENABLE);
	walk(GLOBAL_CTRL, 1, list);
	runs[nr_runs].count = __rdmsr(A_PMC0);
	runs[nr_runs++].ip = pmi_ip;
	set(EVTSEL0, 0);
	local_irq_restore(flags);
}

static ssize_t plan_write(struct file *file, const char __user *buf, size_t size, loff_t *pos)
{
	char line[128] = "";
	u64 sel, left, seed;
	u32 entries, span, stride;
	char *end;

	if (copy_from_user(line, buf, min(size, sizeof(line) - 1)))
		return -EFAULT;
	end = strchr(line, '\n');
	if (!end || sscanf(line, "%llx %llu %llu %u %u %u", &sel, &left, &seed, &entries, &span, &stride) != 6 ||
	    entries >= MAX_ENTRIES || !span || span > DATA_SIZE || nr_runs == MAX_RUNS)
		return -EINVAL;
	mutex_lock(&running);
	make_list(seed, entries, span, stride);
	run(sel, left);
	mutex_unlock(&running);
	return end + 1 - line;
}

static int results_show(struct seq_file *m, void *unused)
{
	int i;

	seq_printf(m, "%llx %llx", (u64)list, (u64)data);
	for (i = 0; i < INSNS; i++)
		seq_printf(m, " %llx", walk_insns[i]);
	seq_putc(m, '\n');
	for (i = 0; i < nr_runs; i++)
		seq_printf(m, "%llu %llx\n", runs[i].count, runs[i].ip);
	return 0;
}

static int results_open(struct inode *inode, struct file *file)
{
	return single_open(file, results_show, NULL);
}

static const struct proc_ops events_ops = {
	.proc_open = results_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_write = plan_write,
	.proc_release = single_release,
};

static int __init events_init(void)
{
	list = vzalloc((MAX_ENTRIES + 1) * sizeof(*list));
	data = vzalloc(DATA_SIZE);
	runs = vzalloc(MAX_RUNS * sizeof(*runs));
	if (!list || !data || !runs)
		return -ENOMEM; /* the machine is gone after it */
	if (register_nmi_handler(NMI_LOCAL, pmi_handler, NMI_FLAG_FIRST, "events"))
		return -EBUSY;
	return proc_create("events", 0600, NULL, &events_ops) ? 0 : -ENOMEM;
}

module_init(events_init);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Counts of a walk through memory");
