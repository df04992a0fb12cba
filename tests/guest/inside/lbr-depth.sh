# SPDX-License-Identifier: GPL-2.0
# Records a program that calls 200 functions, each the next one (c_1 ... c_200), by a few entries of the LBR.
. ./lib.sh

# refused NAME REASON OPTION...: record ends at once, and leaves no file
refused() {
	name=$1 reason=$2
	shift 2
	lbrctl record "$@" -o refused.data -- true 2>said
	is "$name: refused" "125 " "$? $(ls refused.data 2>/dev/null)"
	matches "$name: the reason" "$reason" "$(cat said)"
}

# entries FILE: the numbers of branch entries that more than five samples have, of those that have any
entries() {
	perf_script -i "$1" -F ip,brstack | awk '
		{ nr = 0; for (i = 1; i <= NF; i++) nr += $i ~ /^0x.*\/.*\// }
		nr && ++n[nr] == 6 { print nr }' | sort -n | xargs
}

# calls FILE: of 100 samples or more that long, the largest number of frames from the leaf on that follow one another in
# the chain
calls() {
	lbrctl script --no-inline -i "$1" | awk '
		function done() { n[frames]++; first = frames = 0 }
		/^[^ \t]/ || NF == 0 { done(); next }
		match($2, /^c_[0-9]+/) {
			at = substr($2, 3, RLENGTH - 2) + 0
			if (!frames && !first) first = at
			if (at == first - frames) frames++
		}
		END { done(); for (i = 1; i <= 200; i++) { longest = 0; for (k = i; k <= 200; k++) longest += n[k]; if (longest >= 100) most = i } print most }'
}

opts="-e instructions:u -c 50021"
succeeds "lbrctl load" lbrctl load
depth=$(lbrctl info --json | sed -n 's/.*"lbr":{"depth":\([0-9]*\).*/\1/p')
refused "more entries than there are" "--lbr-depth 40: this CPU's LBR has $depth entries" --lbr-depth 40 -b
for n in 1 5 16; do
	succeeds "record -b --lbr-depth $n" lbrctl record -b --lbr-depth $n $opts -o last.data -- ./chain 4 300
	is "each sample has the last $n branches" "$n" "$(entries last.data)"
done
lbrctl record --lbr-depth 5 $opts -o few.data -- ./chain 40 300 2>said
if [ $? -ne 0 ]; then
	matches "calls on a CPU without a call-stack mode: the reason" "no call-stack mode: record with -b, or without --lbr-depth" "$(cat said)"
	finish
fi
is "the innermost 5 calls and the leaf" 6 "$(calls few.data)"
is "and no entry more" 5 "$(entries few.data | grep -o '[0-9]*$')"
succeeds "record --lbr-callers --lbr-depth 3" lbrctl record --lbr-callers --lbr-depth 3 $opts -o few.data -- ./chain 40 300
is "the innermost 3 callers and the leaf" 4 "$(calls few.data)"
succeeds "record --call-graph auto --lbr-depth 5" lbrctl record --call-graph auto --lbr-depth 5 $opts -o auto.data -- ./chain 40 300
at_least "deeper stacks come from memory" 100 "$(calls auto.data)"
succeeds "record --off-cpu --lbr-depth 2" lbrctl record --call-graph lbr --off-cpu=0 --lbr-depth 2 $opts -o off.data -- ./chain 40 300
is "times off the CPU, too" 2 "$(entries off.data | grep -o '[0-9]*$')"
succeeds "lbrctl unload" lbrctl unload
finish
