# SPDX-License-Identifier: GPL-2.0
# Records programs of a known call tree by their callers alone, and without them.
. ./lib.sh
. ./texts.sh

on=""
opts="--lbr-callers -e instructions:u -c 100003"

succeeds "lbrctl load" lbrctl load
succeeds "lbrctl record --lbr-callers" lbrctl record $opts -o tree.data -- ./tree 400 200
texts tree
is "the file says of no call but the youngest where it went" "0 of many" "$(
	perf_script -i tree.data -F brstack | awk '{
		for (i = 2; i <= NF; i++) { split($i, entry, "/"); all++; targets += entry[2] != "0x0" }
	} END { print targets + 0, "of", (all > 1000 ? "many" : all + 0) }')"
succeeds "lbrctl record --lbr-callers, two programs on one CPU" taskset 1 \
	lbrctl record $opts -o two.data -- sh -c './tree 300 200 & ./tree2 300 200 & wait'
texts two
succeeds "lbrctl record --lbr-callers --off-cpu" taskset 1 \
	lbrctl record $opts --off-cpu=0 -o off.data -- sh -c './tree 900 200 & ./tree2 900 200 & wait'
# without what the samples say beside their frames
lbrctl script --no-inline --event offcpu-time -i off.data |
	sed '/BPF output:/d; /BPF string:/d; /^ *[0-9a-f]\{4\}: /d' >tree.off.txt

# addresses FILE: how many samples lie in the program's functions
addresses() { perf script -i "$1" -F ip,sym | awk '$2 ~ /^t[0-9_]*$|^main$/ { n++ } END { print n + 0 }'; }

opts="-e instructions:u -c 100003"
perf_record -N $opts -o peer.data -- ./tree 100 200 >/dev/null
succeeds "lbrctl record --no-lbr" lbrctl record --no-lbr $opts -o none.data -- ./tree 100 200
is "--no-lbr: samples have neither branches nor callers" "" \
	"$(perf evlist -v -i none.data | grep -o 'BRANCH_STACK\|CALLCHAIN')"
near "--no-lbr: as many samples in the program as perf has" "$(addresses peer.data)" "$(addresses none.data)" 3
matches "--no-lbr: many samples are in the program" '^[1-9][0-9]{2,}$' "$(addresses none.data)"
succeeds "lbrctl unload" lbrctl unload
finish
