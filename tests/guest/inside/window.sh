# SPDX-License-Identifier: GPL-2.0
# Windows of the stack: kept in the file, and unwound while they are recorded.
. ./lib.sh

# bytes FILE: of the samples' records
size() {
	stat -c %s "$1"
}

succeeds "perf record --call-graph dwarf" \
	perf record -q --call-graph dwarf -e instructions:u -c 1000003 -o perf.data ./tree 300 200
succeeds "lbrctl load" lbrctl load
succeeds "lbrctl record --stack-window --keep-stacks" lbrctl record --stack-window --keep-stacks \
	-e instructions:u -c 1000003 -o kept.data -- ./tree 300 200
perf script --no-inline -i kept.data >kept.txt 2>/dev/null
succeeds "lbrctl record --stack-window" \
	lbrctl record --stack-window -e instructions:u -c 1000003 -o tree.data -- ./tree 300 200
perf script --no-inline -i tree.data >tree.txt 2>/dev/null
lbrctl script --no-inline -i tree.data >ours.txt
perf report --no-inline --stdio --no-children -g caller -i tree.data >perf-report.txt 2>/dev/null
matches "perf report shows callers" "_start" "$(cat perf-report.txt)"
lbrctl report -v -i tree.data >report.txt 2>&1
matches "lbrctl report" "t_0_" "$(cat report.txt)"
matches "all its stacks are complete" "[1-9][0-9]* complete \(100.00%\)" "$(cat report.txt)"
is "all stacks are complete, as of bytes that were kept" "$(lbrctl report -v -i kept.data | grep '^# Stacks' | sed 's/[0-9]* complete/complete/')" \
	"$(grep '^# Stacks' report.txt | sed 's/[0-9]* complete/complete/')"
is "without registers and bytes" "" "$(perf evlist -v -i tree.data 2>/dev/null | grep -E 'REGS_USER|STACK_USER')"
is "in a tenth of the bytes of perf's recording" yes \
	"$([ $(($(size perf.data) / 10)) -gt "$(size tree.data)" ] && echo yes || echo "$(size perf.data) and $(size tree.data)")"
is "in less than the bytes that are in use" yes \
	"$([ "$(size kept.data)" -gt "$(size tree.data)" ] && echo yes || echo "$(size kept.data) and $(size tree.data)")"
succeeds "lbrctl unload" lbrctl unload
finish
