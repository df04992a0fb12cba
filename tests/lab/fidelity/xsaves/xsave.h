/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The extended state of a user program as plain memory, and the way of it into the
 * registers and back by instructions that are not of the XSAVE family.
 */
#ifndef XSAVE_H
#define XSAVE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct state {
	uint8_t fx[512];	/* as FXSAVE64 lays it out: x87, MXCSR, XMM */
	uint8_t ymm[16][32];	/* the lower halves are the XMM registers */
	uint32_t pkru;
} __attribute__((aligned(64)));

#define FX_FCW		0
#define FX_FTW		4	/* a bit per register, 1: in use */
#define FX_MXCSR	24
#define FX_ST		32
#define FX_XMM		160
#define MXCSR_INIT	0x1f80

/* Pointers in rdi (to load) and r9 (to store); PKRU is last, and first. */
#define LOAD_STATE								\
	"fxrstor64 (%%rdi)\n"							\
	".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"			\
	"vmovdqu 512+32*\\n(%%rdi), %%ymm\\n\n"					\
	".endr\n"								\
	"mov 1024(%%rdi), %%eax\n xor %%ecx, %%ecx\n xor %%edx, %%edx\n wrpkru\n"
#define STORE_STATE								\
	"xor %%ecx, %%ecx\n rdpkru\n mov %%eax, 1024(%%r9)\n"			\
	"fxsave64 (%%r9)\n"							\
	".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"			\
	"vmovdqu %%ymm\\n, 512+32*\\n(%%r9)\n"					\
	".endr\n"
/* What they change. Memory operands must not lie below the stack pointer. */
#define STATE_CLOBBERS								\
	"rax", "rcx", "rdx", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2",	\
	"xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",	\
	"xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

/* Every component of it differs from its initial configuration, and from seed to seed. */
static inline void state_fill(struct state *s, unsigned int seed)
{
	uint32_t mxcsr = 0x1f80 | (seed & 3) << 13;	/* rounding mode */
	int i, j;

	memset(s, 0, sizeof(*s));
	s->fx[FX_FCW] = 0x7f;
	s->fx[FX_FCW + 1] = 3 | (seed & 3) << 2;
	s->fx[FX_FTW] = 0xff;
	memcpy(s->fx + FX_MXCSR, &mxcsr, 4);
	for (i = 0; i < 8; i++) {
		for (j = 0; j < 8; j++)
			s->fx[FX_ST + 16 * i + j] = seed * 29 + i * 8 + j;
		s->fx[FX_ST + 16 * i + 7] |= 0x80;	/* a normal number */
		s->fx[FX_ST + 16 * i + 9] = 0x3f;
	}
	for (i = 0; i < 16; i++) {
		for (j = 0; j < 32; j++)
			s->ymm[i][j] = seed * 37 + i * 32 + j + 1;
		memcpy(s->fx + FX_XMM + 16 * i, s->ymm[i], 16);
	}
	/* Key 0, of all memory here, stays open. */
	s->pkru = (seed * 0x9e3779b9u) << 2 | 0x40;
}

static inline void state_init(struct state *s)
{
	uint32_t mxcsr = MXCSR_INIT;

	memset(s, 0, sizeof(*s));
	s->fx[FX_FCW] = 0x7f;
	s->fx[FX_FCW + 1] = 3;
	memcpy(s->fx + FX_MXCSR, &mxcsr, 4);
}

/* The part of fx that is state: no MXCSR_MASK, no pointers, no reserved bytes. */
static inline int state_differs(const struct state *a, const struct state *b)
{
	int i, diff = 0;

	diff |= memcmp(a->fx, b->fx, 5);
	diff |= memcmp(a->fx + FX_MXCSR, b->fx + FX_MXCSR, 4);
	for (i = 0; i < 8; i++)
		diff |= memcmp(a->fx + FX_ST + 16 * i, b->fx + FX_ST + 16 * i, 10);
	return diff || memcmp(a->ymm, b->ymm, sizeof(a->ymm)) || a->pkru != b->pkru;
}

#endif
