/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the kernel that the tested files of kmod/ need.  Every header that they include
 * is a link to this one, or includes it.
 */
#ifndef SHIM_KERNEL_H
#define SHIM_KERNEL_H

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;

#define PAGE_SIZE		4096UL
#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0
#define __GFP_ACCOUNT		0
#define __GFP_NORETRY		0
#define __GFP_NOWARN		0
#define __GFP_ZERO		0
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define likely(x)		(x)
#define unlikely(x)		(x)
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define noinline		__attribute__((noinline))
#define NOKPROBE_SYMBOL(name)	_Static_assert(1, #name)
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(h, l)	(~0ULL >> (63 - (h)) & ~0ULL << (l))
#define U16_MAX			0xffffU
#define U32_MAX			0xffffffffU
#define U64_MAX			(~0ULL)
#define barrier()		__asm__ volatile("" : : : "memory")
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define BUILD_BUG_ON(cond)	_Static_assert(!(cond), #cond)
#define container_of(p, type, member) \
	((type *)((char *)(p) - offsetof(type, member)))
#define min(a, b)		min_t(__typeof__(a), a, b)
#define round_up(a, b)		(((a) + (b) - 1) & ~((b) - 1))
#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max_t(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define clamp_t(type, v, lo, hi)	min_t(type, max_t(type, v, lo), hi)
#define hash_64(value, bits)	((u64)(value) * 0x61c8864680b583ebULL >> (64 - (bits)))
#define order_base_2(n)		((n) > 1 ? 64 - __builtin_clzll((n) - 1) : 0)
#define div64_u64(a, b)		((u64)(a) / (u64)(b))
#define struct_size(p, member, n) \
	(sizeof(*(p)) + sizeof(*(p)->member) * (n))

/* x86: loads and stores are ordered as these want them, the compiler is not. */
#define smp_load_acquire(p)						\
({									\
	__typeof__(*(p)) loaded = READ_ONCE(*(p));			\
	barrier();							\
	loaded;								\
})
#define smp_store_release(p, v)						\
do {									\
	barrier();							\
	*(volatile __typeof__(*(p)) *)(p) = (v);			\
} while (0)

typedef struct { int v; } atomic_t;

static inline int atomic_inc_return(atomic_t *a)
{
	return ++a->v;
}

/* Single instructions, as in the kernel: an interrupt comes before or after. */
typedef struct { long v; } local_t;

static inline long local_read(const local_t *l)
{
	return READ_ONCE(l->v);
}

static inline void local_set(local_t *l, long v)
{
	*(volatile long *)&l->v = v;
}

static inline void local_inc(local_t *l)
{
	__asm__ volatile("incq %0" : "+m" (l->v));
}

static inline void local_dec(local_t *l)
{
	__asm__ volatile("decq %0" : "+m" (l->v));
}

static inline void local_sub(long n, local_t *l)
{
	__asm__ volatile("subq %1, %0" : "+m" (l->v) : "er" (n));
}

static inline void local_add(long n, local_t *l)
{
	__asm__ volatile("addq %1, %0" : "+m" (l->v) : "er" (n));
}

static inline long local_cmpxchg(local_t *l, long old, long new)
{
	__asm__ volatile("cmpxchgq %2, %1"
			 : "+a" (old), "+m" (l->v) : "r" (new) : "memory");
	return old;
}

static inline void *kzalloc(size_t size, int gfp)
{
	(void)gfp;
	return calloc(1, size);
}

static inline void kfree(void *p)
{
	free(p);
}

static inline void *__vmalloc(size_t size, int gfp)
{
	(void)gfp;
	return calloc(1, size);
}

static inline void vfree(void *p)
{
	free(p);
}

static inline void *kvmalloc(size_t size, int gfp)
{
	(void)gfp;
	return malloc(size);
}

static inline void *kvcalloc(size_t nr, size_t size, int gfp)
{
	(void)gfp;
	return calloc(nr, size);
}

#define kvfree(p)		free((void *)(p))
#define kvfree_rcu(p, rcu)	free(p)
#define cond_resched()		((void)0)
#define ALIGN(v, a)		round_up((v), (__typeof__(v))(a))
#define MAX_ERRNO		4095
#define ERR_PTR(err)		((void *)(long)(err))
#define PTR_ERR(p)		((long)(p))
#define IS_ERR(p)		((unsigned long)(p) >= (unsigned long)-MAX_ERRNO)

struct rcu_head { void *next; };
typedef struct { int refs; } refcount_t;

static inline void refcount_set(refcount_t *r, int n)
{
	r->refs = n;
}

static inline bool refcount_dec_and_test(refcount_t *r)
{
	return !--r->refs;
}

/* User memory: a test that reads any defines __get_user(). */
#define __user
#define __rcu
#define TASK_SIZE_MAX		((1UL << 47) - PAGE_SIZE)
#define __USER_CS		0x33
#define pagefault_disable()	((void)0)
#define pagefault_enable()	((void)0)

/* arch/x86/include/asm/ptrace.h, uapi/asm/sigcontext.h, uapi/asm/ucontext.h */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax,
		      ip, cs, flags, sp, ss;
};

struct sigcontext_64 {
	u64 r8, r9, r10, r11, r12, r13, r14, r15, di, si, bp, bx, dx, ax, cx, sp, ip, flags;
};

struct ucontext {
	unsigned long uc_flags;
	struct ucontext *uc_link;
	struct { void *ss_sp; int ss_flags; size_t ss_size; } uc_stack;
	struct sigcontext_64 uc_mcontext;
};

u64 ktime_get_mono_fast_ns(void);

typedef struct { unsigned int woken; } wait_queue_head_t;

static inline void wake_up_interruptible(wait_queue_head_t *wait)
{
	wait->woken++;
}

struct irq_work { void (*func)(struct irq_work *work); };

static inline void init_irq_work(struct irq_work *work,
				 void (*func)(struct irq_work *work))
{
	work->func = func;
}

static inline void irq_work_queue(struct irq_work *work)
{
	work->func(work);
}

static inline void irq_work_sync(struct irq_work *work)
{
	(void)work;
}

typedef struct { unsigned int val; } kuid_t;
struct list_head { struct list_head *next, *prev; };
struct vm_area_struct { unsigned long vm_start, vm_end, vm_flags; };
#define VM_WRITE	0x2UL
#define VM_EXEC		0x4UL
#define VM_SHARED	0x8UL
#define VM_MAYWRITE	0x20UL
#define VM_MAYEXEC	0x40UL
#define VM_DONTCOPY	0x20000UL
#define VM_DONTEXPAND	0x40000UL
#define VM_DONTDUMP	0x4000000UL

#define COMPAT_HAS_VM_FLAGS_MOD
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}

static inline void *vmalloc_to_page(const void *addr)
{
	return (void *)addr;
}

static inline int vm_insert_page(struct vm_area_struct *vma, unsigned long addr, void *page)
{
	(void)vma;
	(void)addr;
	(void)page;
	return 0;
}


#define lower_32_bits(v)	((u32)(v))
#define upper_32_bits(v)	((u32)((u64)(v) >> 32))

/* The registers, as the test models them. */
u64 shim_rdmsr(u32 msr);
void shim_wrmsr(u32 msr, u64 value);

/* In place of kmod/pmu/msr.h. */
#define LBRSCOPE_MSR_H

static inline u64 msr_read(u32 msr)
{
	return shim_rdmsr(msr);
}

struct ls_msr_halves {
	u32 low, high;
};

static inline struct ls_msr_halves msr_read_halves(u32 msr)
{
	u64 value = shim_rdmsr(msr);

	return (struct ls_msr_halves){ lower_32_bits(value), upper_32_bits(value) };
}

static inline void msr_write(u32 msr, u64 value)
{
	shim_wrmsr(msr, value);
}

/* arch/x86/include/asm/msr-index.h, perf_event.h, apicdef.h; SDM vol. 4. */
#define MSR_IA32_DEBUGCTLMSR		0x1d9
#define MSR_LBR_SELECT			0x1c8
#define MSR_LBR_TOS			0x1c9
#define MSR_LBR_NHM_FROM		0x680
#define MSR_LBR_NHM_TO			0x6c0
#define MSR_LBR_CORE_FROM		0x40
#define MSR_LBR_CORE_TO			0x60
#define MSR_LBR_INFO_0			0xdc0
#define MSR_CORE_PERF_GLOBAL_STATUS	0x38e
#define MSR_CORE_PERF_GLOBAL_CTRL	0x38f
#define MSR_CORE_PERF_FIXED_CTR0	0x309
#define MSR_CORE_PERF_FIXED_CTR_CTRL	0x38d
#define MSR_CORE_PERF_GLOBAL_OVF_CTRL	0x390
#define MSR_ARCH_PERFMON_PERFCTR0	0xc1
#define MSR_ARCH_PERFMON_EVENTSEL0	0x186
#define U8_MAX				0xff
#define ARRAY_SIZE(a)			(sizeof(a) / sizeof((a)[0]))
#define ARCH_PERFMON_EVENTSEL_EVENT	0xffULL
#define ARCH_PERFMON_EVENTSEL_UMASK	0xff00ULL
#define ARCH_PERFMON_EVENTSEL_USR	(1ULL << 16)
#define ARCH_PERFMON_EVENTSEL_OS	(1ULL << 17)
#define ARCH_PERFMON_EVENTSEL_INT	(1ULL << 20)
#define ARCH_PERFMON_EVENTSEL_ENABLE	(1ULL << 22)
#define DEBUGCTLMSR_LBR			(1UL << 0)
#define DEBUGCTLMSR_FREEZE_LBRS_ON_PMI	(1UL << 11)
#define APIC_LVTPC			0x340
#define APIC_DM_NMI			0x400

/* The CPU of the test. */
enum { X86_VENDOR_INTEL, X86_VENDOR_AMD = 2 };
#define MSR_IA32_RTIT_CTL		0x570
#define RTIT_CTL_TRACEEN		1ULL
enum { X86_FEATURE_HLE, X86_FEATURE_RTM, X86_FEATURE_PERFCTR_CORE, X86_FEATURE_INTEL_PT };
struct cpumask { u64 bits; };
struct shim_cpuinfo { int x86_vendor, x86, x86_model; };
extern struct shim_cpuinfo boot_cpu_data;
bool boot_cpu_has(int feature);

struct shim_apic {
	u32 (*read)(u32 reg);
	void (*write)(u32 reg, u32 value);
};
extern struct shim_apic *apic;

int reserve_perfctr_nmi(unsigned int msr);
void release_perfctr_nmi(unsigned int msr);
int reserve_evntsel_nmi(unsigned int msr);
void release_evntsel_nmi(unsigned int msr);

#endif
