// SPDX-License-Identifier: GPL-2.0
/* ctl/object/insn.c and insn_text.c, against objdump: lengths, kinds, targets and names of all instructions of
 * the C library and of hand-written ones. */
#include <inttypes.h>

#include "program.h"

#include "object/insn_text.h"

static const char source[] =
	".globl _start\n_start: xor %eax, %eax\n"
	"1: loop 1b\n loope 1b\n loopne 1b\n jrcxz 1b\n notrack jmp *%rax\n jmp *(%rax,%rbx,8)\n call *%rax\n call *8(%rbx)\n"
	"lcall *(%rax)\n ljmp *(%rax)\n lretl\n ret $8\n bnd ret\n bnd jne 1b\n iretq\n syscall\n sysenter\n int $0x80\n int3\n ud2\n hlt\n"
	"xbegin 1b\n xend\n endbr64\n kmovq %rbx, %k1\n vpcmpb $0, (%rdi), %ymm16, %k0\n vptestnmb %zmm1, %zmm1, %k4{%k1}\n rdpkru\n"
	"je 1b\n jne 1b\n jae 1b\n jb 1b\n ja 1b\n jbe 1b\n jge 1b\n jl 1b\n jg 1b\n jle 1b\n jo 1b\n jno 1b\n js 1b\n jns 1b\n jp 1b\n jnp 1b\n"
	"sete (%rax)\n setne %al\n setae %al\n seta %al\n setge %al\n setg %al\n cmove %rax, %rbx\n cmovne (%rax), %ebx\n cmovae %ax, %bx\n"
	"cmova %rax, %rbx\n cmovge %rax, %rbx\n cmovg %rax, %rbx\n nopw %cs:0(%rax,%rax,1)\n movzbl (%rdi), %eax\n movzwl %cx, %eax\n movsbq (%rdi), %rax\n"
	"movslq %edi, %rax\n cltq\n cwtl\n cltd\n cqto\n movq $0, (%rax)\n shll $3, (%rax)\n"
	"incb (%rax)\n lock incl (%rax)\n divl (%rax)\n mulq (%rax)\n shrw %cl, (%rax)\n mov %cl, (%rax)\n flds (%rax)\n fldl (%rax)\n fldt (%rax)\n"
	"fildll (%rax)\n filds (%rax)\n fistpl (%rax)\n faddl (%rax)\n fldcw (%rax)\n cvtsi2sdq (%rax), %xmm0\n cvtss2sd (%rax), %xmm0\n"
	"vcvtpd2psy (%rax), %xmm0\n crc32w (%rax), %ecx\n pushw $5\n pushq (%rax)\n movsl\n movsd %xmm0, (%rax)\n enter $16, $0\n";

/* A line of objdump. */
struct line {
	uint64_t addr;
	char name[32];			/* without prefixes */
	char operand[64];
};

static bool begins(const char *word, const char *with)
{
	return !strncmp(word, with, strlen(with));
}

static bool is_one_of(const char *word, const char *list)
{
	const char *at = strstr(list, word);

	return at && (at == list || at[-1] == ' ') && strchr(" ", at[strlen(word)]);
}

static bool line_read(FILE *in, struct line *line)
{
	char text[512], *at, *word;

	while (fgets(text, sizeof(text), in)) {
		if (sscanf(text, " %" SCNx64 ":\t", &line->addr) != 1 || !(at = strchr(text, '\t')))
			continue;
		for (word = strtok(at, " \t\n"); word && is_one_of(word, "bnd notrack repz repnz lock data16 cs rex.W addr32");)
			word = strtok(NULL, " \t\n");
		if (!word || !strcmp(word, "(bad)"))
			continue;
		snprintf(line->name, sizeof(line->name), "%.31s", word);
		word = strtok(NULL, " \t\n");
		snprintf(line->operand, sizeof(line->operand), "%.63s", word ? word : "");
		return true;
	}
	return false;
}

static bool is_condition(const char *name)
{
	return (name[0] == 'j' && !begins(name, "jmp") && !strstr(name, "cxz")) || begins(name, "cmov") ||
	       (begins(name, "set") && !begins(name, "setss"));
}

static void same(const struct line *line, const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		fail_msg("%#" PRIx64 ": %s %s: %s is %" PRIu64 ", not %" PRIu64, line->addr, line->name,
			 line->operand, what, got, want);
}

static void judge_kind(const struct line *line, const struct insn *insn)
{
	const char *name = line->name;
	bool jumps = name[0] == 'j' || begins(name, "loop"), far = is_one_of(name, "lcall ljmp lret");
	bool call = !strcmp(name, "call"), returns = !strcmp(name, "ret");
	uint64_t target = 0;

	same(line, "is_call", insn_is_call(insn), call);
	same(line, "is_return", insn_is_return(insn), returns);
	same(line, "is_jump", insn_is_jump(insn), jumps || !strcmp(name, "ljmp"));
	same(line, "branches", insn_branches(insn), jumps || call || returns || far ||
			 is_one_of(name, "syscall sysenter int int3 iretq"));
	same(line, "ends_line", insn_ends_line(insn), call || returns || far || is_one_of(name, "jmp iretq ud2 hlt"));
	same(line, "has a target", insn_target(insn, &target), (call || jumps) && line->operand[0] != '*');
	if (target)
		same(line, "target", target, strtoull(line->operand, NULL, 16));
}

/* Returns whether the name is objdump's; for conditions it has to be. */
static bool judge_name(const struct line *line, struct insn *insn)
{
	char text[200], intel[200], *word;

	insn_text(insn, INSN_ATT, text, sizeof(text));
	insn_text(insn, INSN_INTEL, intel, sizeof(intel));
	if (insn_is_call(insn) || insn_is_jump(insn))
		same(line, "is indirect", strchr(text, '*') != NULL, line->operand[0] == '*');
	word = strtok(begins(text, "bnd ") ? text + 4 : begins(text, "lock ") ? text + 5 : text, " ");
	if (is_condition(line->name)) {
		assert_string_equal(word, line->name);
		assert_string_equal(strtok(begins(intel, "bnd ") ? intel + 4 : intel, " "), line->name);
	}
	return !strcmp(word, line->name);
}

static void judge(const char *path, uint64_t least, uint64_t most_others)
{
	enum object_state state;
	struct object *o = object_open(NULL, 0, path, NULL, 0, &state);
	uint64_t nr = 0, others = 0, end = 0;
	struct line line;
	struct insn insn;
	char command[1200];
	FILE *in;

	assert_non_null(o);
	snprintf(command, sizeof(command), "objdump -dw --no-show-raw-insn %s", path);
	in = popen(command, "r");
	assert_non_null(in);
	for (; line_read(in, &line); nr++) {
		if (insn_read(&insn, o, line.addr) != INSN_FOUND)
			fail_msg("%#" PRIx64 ": %s is no instruction", line.addr, line.name);
		if (line.addr < end)
			fail_msg("%#" PRIx64 ": the one before %s is too long", line.addr, line.name);
		end = insn_end(&insn);
		judge_kind(&line, &insn);
		others += insn.zydis.mnemonic != ZYDIS_MNEMONIC_NOP && !judge_name(&line, &insn);
	}
	assert_int_equal(pclose(in), 0);
	print_message("# %s: %" PRIu64 " instructions, %" PRIu64 " with another name\n", path, nr, others);
	assert_true(nr >= least && others <= most_others);
	object_close(o);
}

static void as_objdump_says(void **state)
{
	char path[512] = "";
	FILE *in;

	(void)state;
	program_write("p.s", source);
	run("gcc -nostdlib -static -no-pie -o p p.s && ldd /bin/sh | awk '/libc.so/ { printf \"%%s\", $3 }' >libc");
	/* A comparison with its predicate in the name, and a far return. */
	judge(program_path("p"), 90, 2);
	in = fopen(program_path("libc"), "r");
	assert_non_null(in);
	assert_non_null(fgets(path, sizeof(path), in));
	fclose(in);
	judge(path, 300000, 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(as_objdump_says, program_setup, program_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
