/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT */
/*
 * lbrscope: the unwinding rules of one file, in the form in which they are looked up
 *
 * A client makes a table of a file's call frame information, and gives it to its session by
 * LBRSCOPE_CMD_UNWIND_TABLE; LBRSCOPE_CMD_UNWIND_PROCESS says where it holds. A table has at most 5 bytes for each row
 * of rules and 8 for each different rule: 0.1 MB for libc, 5 MB for libLLVM. Numbers are little endian. It follows
 *
 *	struct lbrscope_unwind_head
 *	__u32 index[nr_buckets + 1]
 *	struct lbrscope_unwind_row[nr_rows]
 *	struct lbrscope_unwind_rule[nr_rules], at the next multiple of 8 bytes from the beginning
 *
 * and nothing behind that. Code is divided into buckets of (1 << shift) bytes, from base on. index[b] is the row that holds
 * before the first byte of bucket b: the rows from index[b] + 1 to index[b + 1] begin in the bucket, by rising addresses.
 * A row holds up to the next one. Row 0 begins at base; its rule holds outside of the buckets as well.
 *
 * What a rule means follows the x86-64 psABI: the CFA is the stack pointer before the call, the return address lies at
 * CFA - 8, and the CFA is the caller's stack pointer.
 *
 * Code without call frame information, such as that which a program makes while it runs, has rules only if it has a
 * frame pointer (POINTER), and these hold behind a call. The innermost function may not have set up its frame, or have
 * left it: then rbp is its caller's, and the chain by rbp lacks that caller alone. Its return address is the first word
 * of the stack, or the second one behind a push of rbp. Whether it is shows the code, which the module does not read:
 * the chain has these two words (struct lbrscope_user_chain, top), and the client adds the caller. If one of them is an
 * address for which other rules hold, rbp may be nobody's frame pointer, and the chain ends.
 */
#ifndef _UAPI_LINUX_LBRSCOPE_UNWIND_H
#define _UAPI_LINUX_LBRSCOPE_UNWIND_H

#include <linux/types.h>

#define LBRSCOPE_UNWIND_MAGIC		0x4e55424c	/* "LBUN" */
#define LBRSCOPE_UNWIND_VERSION		1

#define LBRSCOPE_UNWIND_SHIFT_MIN	8
#define LBRSCOPE_UNWIND_SHIFT_MAX	16
#define LBRSCOPE_UNWIND_RULES_MAX	65536

struct lbrscope_unwind_head {
	__u32 magic;
	__u32 version;
	__u64 base;		/* address in the file's own numbers; a multiple of 65536 */
	__u32 nr_buckets;
	__u32 shift;
	__u32 nr_rows;
	__u32 nr_rules;
};

struct lbrscope_unwind_row {
	__u16 low;		/* the low bits of its first address */
	__u16 rule;		/* index of its rule */
};

/* Where the CFA is. */
enum lbrscope_unwind_kind {
	LBRSCOPE_UNWIND_NONE,		/* no rules are known */
	LBRSCOPE_UNWIND_SP,		/* rsp + offset */
	LBRSCOPE_UNWIND_BP,		/* rbp + offset */
	LBRSCOPE_UNWIND_POINTER,	/* rbp + 16, and the caller's rbp at CFA - 16: the code is thought to do so */
	LBRSCOPE_UNWIND_SP_AT,		/* the word at rsp + offset, + behind */
	LBRSCOPE_UNWIND_BP_AT,		/* the word at rbp + offset, + behind */
	LBRSCOPE_UNWIND_PLT,		/* rsp + 8, and 8 more where the low 4 bits of the address are >= offset */
	LBRSCOPE_UNWIND_SIGNAL,		/* a signal handler returns here: struct ucontext is at rsp */
	LBRSCOPE_UNWIND_END,		/* nobody calls this code */
	LBRSCOPE_UNWIND_REGISTER,	/* register reg + offset */
	LBRSCOPE_UNWIND_BACK_IN,	/* rsp + offset; the return address is in register reg */
	LBRSCOPE_UNWIND_OTHER,		/* there are rules, of another form */
	LBRSCOPE_UNWIND_NR_KINDS
};

/* Where the caller's rbp is. */
enum lbrscope_unwind_rbp {
	LBRSCOPE_UNWIND_RBP_SAME,	/* in rbp */
	LBRSCOPE_UNWIND_RBP_AT_CFA,	/* in the word at CFA + 8 * rbp_at */
	LBRSCOPE_UNWIND_RBP_AT_RBP,	/* in the word at rbp + 8 * rbp_at */
	LBRSCOPE_UNWIND_RBP_LOST,
	LBRSCOPE_UNWIND_NR_RBPS
};

struct lbrscope_unwind_rule {
	__u8 kind;		/* enum lbrscope_unwind_kind */
	__u8 rbp;		/* enum lbrscope_unwind_rbp; in the upper 4 bits reg, by its DWARF number */
	__s16 rbp_at;
	__s32 offset;		/* of SP_AT and BP_AT: offset in the lower 16 bits, behind in the upper ones, both signed */
};

#define LBRSCOPE_UNWIND_TABLES_MAX	4096
#define LBRSCOPE_UNWIND_SIZE_MAX	(64U << 20)	/* bytes of a table */
#define LBRSCOPE_UNWIND_DATA_MAX	(32U << 10)	/* bytes of a part of a table */
#define LBRSCOPE_UNWIND_RANGES_MAX	1024
#define LBRSCOPE_UNWIND_NO_TABLE	(~0U)

/* Code of a process, and the table that holds there. */
struct lbrscope_unwind_range {
	__u64 start, end;	/* addresses in the process; end: behind the last one */
	__u64 bias;		/* address in the process less the one in the file's numbers */
	__u32 table;		/* LBRSCOPE_UNWIND_A_TABLE, which is whole; or NO_TABLE: the rule is POINTER, and bias means nothing */
	__u32 reserved;		/* 0 */
};

#endif
