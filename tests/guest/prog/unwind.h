/* SPDX-License-Identifier: GPL-2.0 */
/* A program that sleeps below two calls, and its table of unwinding rules, made by hand; for unwind.c. */

/* nap_root() calls nap_outer(), that calls nap_inner(), and that sleeps for a ms at a time. */
extern const char nap_begin[], nap_root[], nap_root_back[], nap_outer[], nap_outer_in[], nap_outer_back[],
	nap_inner[], nap_inner_in[], nap_end[], spin_back[], spin_in[], spin_end[];
void nap(void);
void spin(void);	/* calls spin_in(), which does not return */

__asm__(".text\n"
	".balign 65536\n"
	"nap_begin:\n"
	".globl nap\n"
	"nap: nap_root:\n"
	"	call	nap_outer\n"
	"nap_root_back:\n"
	"	jmp	nap_root\n"
	"nap_outer:\n"
	"	sub	$1024, %rsp\n"
	"nap_outer_in:\n"
	"	call	nap_inner\n"
	"nap_outer_back:\n"
	"	add	$1024, %rsp\n"
	"	ret\n"
	"nap_inner:\n"
	"	sub	$24, %rsp\n"
	"nap_inner_in:\n"
	"	movq	$0, (%rsp)\n"
	"	movq	$1000000, 8(%rsp)\n"
	"	mov	%rsp, %rdi\n"
	"	xor	%esi, %esi\n"
	"	mov	$35, %eax\n"	/* nanosleep() */
	"	syscall\n"
	"	jmp	nap_inner_in\n"
	"nap_end:\n"
	".globl spin\n"
	"spin:\n"
	"	call	spin_in\n"
	"spin_back:\n"
	"	jmp	spin\n"
	"spin_in:\n"
	"	jmp	spin_in\n"
	"spin_end:\n"
	".balign 4096\n");

#define ROWS	10
#define RULES	5

static struct table {
	struct lbrscope_unwind_head head;
	uint32_t index[2];
	struct lbrscope_unwind_row rows[ROWS];
	struct lbrscope_unwind_rule rules[RULES];
} right;

static void make_table(void)
{
	const struct { const char *at; uint16_t rule; } rows[ROWS - 1] = {
		{ nap_root, 4 }, { nap_outer, 1 }, { nap_outer_in, 2 }, { nap_inner, 1 }, { nap_inner_in, 3 },
		{ nap_end, 4 }, { spin_in, 1 }, { spin_end, 0 },
		{ spin_end + 1, 0 },
	};

	right = (struct table){
		.head = { LBRSCOPE_UNWIND_MAGIC, LBRSCOPE_UNWIND_VERSION, 0, 1, LBRSCOPE_UNWIND_SHIFT_MAX, ROWS, RULES },
		.index = { 0, ROWS - 1 },
		.rules = {
			{ .kind = LBRSCOPE_UNWIND_NONE }, { .kind = LBRSCOPE_UNWIND_SP, .offset = 8 },
			{ .kind = LBRSCOPE_UNWIND_SP, .offset = 1024 + 8 }, { .kind = LBRSCOPE_UNWIND_SP, .offset = 24 + 8 },
			{ .kind = LBRSCOPE_UNWIND_END },
		},
	};
	for (unsigned int i = 0; i < ROWS - 1; i++)
		right.rows[i + 1] = (struct lbrscope_unwind_row){ rows[i].at - nap_begin, rows[i].rule };
}
