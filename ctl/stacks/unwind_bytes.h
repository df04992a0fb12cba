/* SPDX-License-Identifier: GPL-2.0 */
/* Recognizes, in the bytes of code, calls and what sets up a frame pointer (SDM vol. 2). */
#ifndef LBRCTL_STACKS_UNWIND_BYTES_H
#define LBRCTL_STACKS_UNWIND_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that the longest call takes: a prefix, REX, opcode, ModRM, SIB and 32 bits. */
#define UNWIND_BYTES_CALL	9

enum unwind_bytes_call {
	UNWIND_BYTES_NO_CALL,
	UNWIND_BYTES_DIRECT,	/* with 32 bits relative to the next instruction */
	UNWIND_BYTES_INDIRECT,
};

/* Whether the nr bytes before `end` end in a call; *relative: the distance of a direct one. */
enum unwind_bytes_call unwind_bytes_call(const unsigned char *end, size_t nr, int32_t *relative);

/* The way to the return address at an instruction. */
enum unwind_bytes_frame {
	UNWIND_BYTES_OTHER,	/* the instruction does not show it */
	UNWIND_BYTES_TOP,	/* on top of the stack: before push %rbp, and behind pop %rbp */
	UNWIND_BYTES_PUSHED,	/* above the saved %rbp, which is on top of the stack */
};

/* Judges by the instruction at `at`, of which `behind` bytes can be read, and by the byte before
 * it if `before` is not 0. */
enum unwind_bytes_frame unwind_bytes_frame(const unsigned char *at, size_t before, size_t behind);

/* Whether push %rbp; mov %rsp, %rbp is ahead in the same function: at its beginning, V8 checks
 * whether the code is still valid. Bytes that could be of an instruction that goes elsewhere, or of
 * its operand, make the answer no. */
bool unwind_bytes_before_prologue(const unsigned char *at, size_t nr);

/* Bytes of the beginning of a function, in which it sets up its frame: behind checks, of which V8's take
 * up to 110. */
#define UNWIND_BYTES_BEGINNING	256

/* Offsets of push %rbp and of the byte behind mov %rsp, %rbp. The compiler puts other instructions
 * between them, which do not use the stack. */
struct unwind_bytes_prologue {
	size_t push, end;
};

/* Returns the offset of the first instruction that moves %rsp, or nr if no instruction moves it. An
 * instruction that cannot be decoded counts as one that moves it. The bytes begin with an instruction. */
size_t unwind_bytes_bare(const unsigned char *bytes, size_t nr);

/* Finds the two in the bytes at the beginning of a function. Returns false if they are not there. */
bool unwind_bytes_prologue(const unsigned char *bytes, size_t nr,
			   struct unwind_bytes_prologue *prologue);

#endif
