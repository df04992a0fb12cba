/* SPDX-License-Identifier: GPL-2.0 */
/* The consumers of uprobes. */
#ifndef LBRSCOPE_COMPAT_UPROBES_H
#define LBRSCOPE_COMPAT_UPROBES_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/uprobes.h>

/* Newer kernels pass another argument to the handler of a consumer; it is unused. */
#ifdef COMPAT_HAS_UPROBE_DATA
#define COMPAT_UPROBE_LAST(regs)	regs, __u64 *data
#else
#define COMPAT_UPROBE_LAST(regs)	regs
#endif

/*
 * A consumer at a place in a file.  The caller keeps this structure, and before 6.12
 * the inode, while it is registered.
 */
struct compat_uprobe {
	struct uprobe_consumer consumer;
#ifdef COMPAT_HAS_UPROBE_HANDLE
	struct uprobe *handle;
#else
	struct inode *inode;
	loff_t offset;
#endif
};

static inline int compat_uprobe_register(struct compat_uprobe *probe,
					 struct inode *inode, loff_t offset)
{
#ifdef COMPAT_HAS_UPROBE_HANDLE
	probe->handle = uprobe_register(inode, offset, 0, &probe->consumer);
	return PTR_ERR_OR_ZERO(probe->handle);
#else
	probe->inode = inode;
	probe->offset = offset;
	return uprobe_register(inode, offset, &probe->consumer);
#endif
}

/* When this has returned, no handler runs any more. */
static inline void compat_uprobe_unregister(struct compat_uprobe *probe)
{
#ifdef COMPAT_HAS_UPROBE_HANDLE
	uprobe_unregister_nosync(probe->handle, &probe->consumer);
	uprobe_unregister_sync();
#else
	uprobe_unregister(probe->inode, probe->offset, &probe->consumer);
#endif
}

#endif
