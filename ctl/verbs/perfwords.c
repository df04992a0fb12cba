// SPDX-License-Identifier: GPL-2.0
/* Answers to what people who know perf type. Words are those of perf 6.1's manual. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "verbs/perfwords.h"

static const struct {
	const char *verb;		/* the verb of an option; "": the words are verbs */
	const char *words;		/* "-u --uid": any of these */
	const char *answer;
} table[] = {
	{ "", "bench", "benchmarks of the kernel are perf's: perf bench" },
	{ "", "buildid-cache", "there is no cache of files: 'lbrctl archive' keeps a capture's files with it" },
	{ "", "buildid-list", "'lbrctl archive' lists a capture's files; perf buildid-list reads it" },
	{ "", "c2c mem", "addresses of data need precise samples, which the module does not take: perf has them" },
	{ "", "config", "there is no configuration: options have all settings" },
	{ "", "daemon", "a recording that goes on is 'lbrctl record --switch-output' or '--flight'" },
	{ "", "data", "'lbrctl export' writes a capture in the formats of other programs" },
	{ "", "evlist", "'lbrctl report -v' has a capture's events; perf evlist reads it" },
	{ "", "ftrace trace", "tracing is perf's and ftrace's; 'lbrctl record --trigger' samples at functions" },
	{ "", "inject", "user stacks and JIT maps are read without it; 'lbrctl pgo' writes profiles for compilers" },
	{ "", "kmem kwork iostat kvm timechart", "that is of tracepoints, which are perf's" },
	{ "", "kallsyms", "kernel functions get their names from /proc/kallsyms without it" },
	{ "", "lock", "'lbrctl record --off-cpu' shows where threads wait for locks, and for how long" },
	{ "", "probe", "'lbrctl record --trigger kprobe:FUNCTION' and 'uprobe:FILE:FUNCTION' sample at functions" },
	{ "", "sched", "'lbrctl record --off-cpu' shows where threads leave the CPU, and for how long" },
	{ "", "test", "'lbrctl doctor' tests this machine" },
	{ "", "version", "'lbrctl --version'" },
	/* record, top */
	{ "record", "--all-user", "-e cycles:u has user mode alone" },
	{ "record", "--all-kernel", "-e cycles:k has the kernel alone" },
	{ "record", "-i --no-inherit", "new threads and processes of a target are always recorded" },
	{ "record", "-s --stat --per-thread", "a capture has all threads; report -s comm,tid has them apart" },
	{ "record", "-d --data -W --weight --phys-data --data-page-size --code-page-size --transaction",
	  "addresses and costs of data need precise samples, which the module does not take: perf has them" },
	{ "record", "-T --timestamp -P --period --sample-cpu -R --raw-samples", "each sample has its time, CPU and period" },
	{ "record", "-n --no-samples", "'lbrctl stat' counts without samples" },
	{ "record", "-r --realtime --no-buffering --overwrite --mmap-flush --affinity --aio --threads --proc-map-timeout "
	  "--nr-cblocks --num-thread-synthesize",
	  "the recorder reads its buffers in time by itself; -m enlarges them" },
	{ "record", "-I --intr-regs --user-regs", "registers are kept with --keep-stacks" },
	{ "record", "-k --clockid", "times are those of CLOCK_MONOTONIC" },
	{ "record", "-S --snapshot", "--flight keeps the last samples, and SIGUSR2 writes them" },
	{ "record", "--tail-synthesize --timestamp-filename --buildid-all --buildid-mmap --namespaces --kcore --synth",
	  "lbrctl writes what its readers need by itself" },
	{ "record", "-N --no-buildid-cache -B --no-buildid", "there is no cache, and only ids of files with samples are read" },
	{ "record", "--switch-events", "--off-cpu records context switches" },
	{ "record", "--timestamp-boundary --strict-freq --group --exclude-perf --dry-run", "that is not needed here: leave it out" },
	{ "record", "--filter --vmlinux --clang-path --bpf-counters", "filters and BPF are perf's" },
	{ "record", "--user-callchains --kernel-callchains", "a chain has both parts; -e cycles:u has the user's alone" },
	{ "record", "-f --force", "an existing file becomes FILE.old; leave it out" },
	{ "record", "--debuginfod", "readers ask a server: lbrctl report --debuginfod" },
	{ "top", "-z --zero", "each screen is of the samples since the one before" },
	{ "top", "-K --hide_kernel_symbols", "-e cycles:u has user mode alone" },
	{ "top", "-U --hide_user_symbols", "-e cycles:k has the kernel alone" },
	{ "top", "-g --call-graph --children", "stacks are always there: Enter shows a function's callers and callees" },
	{ "top", "-s --sort --sym-annotate", "keys sort and annotate: ? lists them" },
	{ "top", "-E --entries -f --count-filter --percent-limit -n --show-nr-samples", "the screen shows as many lines as it has" },
	{ "top", "--stdio --tui --use_callchain_max --raw-trace", "the view is a terminal's: leave it out" },
	{ "top", "-m --mmap-pages -r --realtime -i --no-inherit", "the view reads its buffers in time by itself" },
	{ "top", "-o --output", "'lbrctl record' writes a capture" },
	/* stat */
	{ "stat", "-M --metrics", "--topdown and -d have the ratios that lbrctl knows; lbrctl triage judges the machine" },
	{ "stat", "--all-user", "-e cycles:u counts user mode alone" },
	{ "stat", "--all-kernel", "-e cycles:k counts the kernel alone" },
	{ "stat", "-B --big-num -n --null --no-big-num --metric-only --no-merge --no-csv-summary --summary --quiet -v --verbose",
	  "that is not needed here: leave it out; -j and --csv are for scripts" },
	{ "stat", "--per-socket --per-die --per-node --per-cache --per-cluster", "-A counts each CPU, --per-core each core" },
	{ "stat", "-i --no-inherit", "new threads and processes of a target are always counted" },
	{ "stat", "-D --delay --timeout --interval-count", "'lbrctl stat -- sleep N' counts for N seconds, -I prints in between" },
	{ "stat", "--pre --post --table --append --log-fd", "a script around lbrctl does that; -o names the output" },
	{ "stat", "--smi-cost --iostat --cputype --td-level --transaction --bpf-prog --bpf-counters --for-each-cgroup --cgroup-from",
	  "perf stat has that" },
	{ "stat", "-c --scale --no-scale -g --group", "counts are never scaled; events in braces are counted at the same time" },
	/* readers */
	{ "report", "-F --fields", "-s KEY,... chooses the columns; -n adds numbers of samples" },
	{ "report", "--max-stack --stitch-lbr", "stacks are as deep as they are, and stitched; leave it out" },
	{ "report", "-p --parent --exclude-other --parent-regex", "-S FUNCTION and -g callee show who calls a function" },
	{ "report", "-T --threads", "-s comm,tid,sym has the threads apart" },
	{ "report", "-k --vmlinux --kallsyms --modules --kcore -m", "kernel functions have the names of /proc/kallsyms" },
	{ "report", "-f --force", "a capture of another user is read without it" },
	{ "report", "-U --hide-unresolved --symbol-filter", "-S and -d choose functions and files" },
	{ "report", "--tui --gtk --stdio-color --disable-order --no-source", "'lbrctl browse' is the terminal's view; leave it out" },
	{ "report", "-b --branch-stack --branch-history --total-cycles",
	  "'lbrctl blocks' has the branches' blocks with their cycles" },
	{ "report", "--mem-mode", "addresses of data need precise samples, which the module does not take: perf mem has them" },
	{ "report", "--tasks --mmaps --header-only --stats", "-v has the capture's description; 'lbrctl script' its samples" },
	{ "report", "--percentage --group --sort-key --show-total-period --show-ref-call-graph --hierarchy --raw-trace --samples",
	  "that is not needed here: leave it out" },
	{ "report", "-w --column-widths -t --field-separator", "--csv and --json are for scripts" },
	{ "report", "-o --output", "'lbrctl report > FILE' writes it" },
	{ "report", "-x --exec-prefix --prefix --prefix-strip", "--symfs FOLDER has the machine's files" },
	{ "annotate", "-l --print-line --source -P --full-paths -n --show-nr-samples --show-total-period --asm-raw",
	  "lines, sources and samples are always there: leave it out" },
	{ "annotate", "--prefix --prefix-strip", "--source-prefix FOLDER has the sources" },
	{ "annotate", "--objdump --addr2line -k --vmlinux", "lbrctl disassembles by itself, without the kernel" },
	{ "annotate", "--tui --gtk -f --force --percent-type --group --skip-missing", "leave it out; 'lbrctl browse' is the terminal's view" },
	{ "script", "-D --dump-raw-trace -g --gen-script -s --script -l --list", "scripts and dumps of records are perf script's; --json is for programs" },
	{ "script", "-G --hide-call-graph", "-F without ip, sym and dso leaves stacks out" },
	{ "script", "-a --all-cpus -S --ns --insn-trace --itrace --xed --call-trace --per-event-dump --max-blocks --show-mmap-events",
	  "perf script has that" },
	{ "script", "--max-stack --header --reltime --deltatime -f --force -v --verbose", "that is not needed here: leave it out" },
	{ "diff", "-o --order -w --weighted-diff --compute -p --period -F --formula -b --baseline-only",
	  "changes are judged and sorted by themselves; --csv has all figures" },
	{ "diff", "-D --dump-raw-trace -f --force -t --field-separator -m", "that is not needed here: leave it out" },
	{ "list", "--desc -d --details -v --long-desc --no-desc --deprecated --unit --cputype", "all descriptions are there: leave it out" },
	{ "archive", "-f --force", "leave it out" },
};

/* Whether the words in a text, separated by blanks, have this one. */
static bool has(const char *words, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = words; length && (at = strstr(at, word)); at += length)
		if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

const char *perfwords_answer(const char *verb, const char *word)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (!strcmp(table[i].verb, verb) && has(table[i].words, word))
			return table[i].answer;
	return NULL;
}
