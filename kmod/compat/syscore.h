/* SPDX-License-Identifier: GPL-2.0 */
/* Callbacks at suspend and resume. */
#ifndef LBRSCOPE_COMPAT_SYSCORE_H
#define LBRSCOPE_COMPAT_SYSCORE_H

#include <linux/syscore_ops.h>

/*
 * DEFINE_COMPAT_SYSCORE(name, suspend, resume) defines an argument for
 * compat_syscore_register().  Since 6.19, and in stable kernels with that change, the
 * callbacks have an argument.
 */
#ifdef COMPAT_HAS_SYSCORE_DATA
#define DEFINE_COMPAT_SYSCORE(name, suspend_fn, resume_fn)		\
static int name##_suspend(void *data) { return suspend_fn(); }		\
static void name##_resume(void *data) { resume_fn(); }			\
static const struct syscore_ops name##_ops = {				\
	.suspend = name##_suspend,					\
	.resume = name##_resume,					\
};									\
static struct syscore name = { .ops = &name##_ops }

#define compat_syscore_register		register_syscore
#define compat_syscore_unregister	unregister_syscore
#else
#define DEFINE_COMPAT_SYSCORE(name, suspend_fn, resume_fn)		\
static struct syscore_ops name = {					\
	.suspend = suspend_fn,						\
	.resume = resume_fn,						\
}

#define compat_syscore_register		register_syscore_ops
#define compat_syscore_unregister	unregister_syscore_ops
#endif

#endif
