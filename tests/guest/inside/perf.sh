# SPDX-License-Identifier: GPL-2.0
# Stock perf on programs with known counts and call trees. The host judges the files that need a
# disassembler or python3.
. ./lib.sh
. ./model.sh

this_model || exit 1

# counts EVENTS COMMAND...
counts() {
	list=$1
	shift
	perf stat -x, -e "$list" -o stat.csv "$@" >/dev/null
	awk -F, '$1 ~ /^[0-9]/ { printf "%s%s", sep, $1; sep = " " }' stat.csv
}

# farthest COLUMN WANT: the value of this column that is the farthest from WANT, of the last counts
farthest() {
	awk -F, -v column="$1" -v want="$2" '$1 ~ /^[0-9]/ { n++; off = $column - want
			if (off * off >= most * most) most = off }
		END { if (n) printf "%d", want + most }' stat.csv
}

# repeat N TEXT SEPARATOR
repeat() {
	awk -v n="$1" -v text="$2" -v sep="$3" 'BEGIN { while (n--) printf "%s%s", text, n ? sep : "" }'
}

matches "the kernel's own PMU driver is bound, $on" "Performance Events: .*$bound" \
	"$(dmesg | grep 'Performance Events: ')"

is "perf stat: instructions and branches exact, $on" "20000004 10000001" \
	"$(counts instructions:u,branches:u ./loop)"
raw='' want=''
for event in $events; do
	raw=$raw${raw:+,}${event%%=*}:u
	want="$want$(branches_of "${event#*=}") "
done
is "perf stat: branches of each kind exact, $on" "$want$kinds_instructions" \
	"$(counts "$raw,instructions:u" ./kinds)"

if [ "$all" = all ]; then
	first=${raw%%,*}
	is "perf stat: $counters events at once, the same in each, $on" "$(repeat "$counters" 10000001 ' ')" \
		"$(counts "$(repeat "$counters" "$first" ,)" ./loop)"
	is "perf stat: the same on a second run, $on" "20000004 20000004" \
		"$(counts instructions:u,r00c0:u ./loop)"

	# more than there are counters: each is counted for a part of the time, and scaled up. Of one
	# CPU: of a process and its children Linux 7.3 reports 24 to 95 % for them, and wrong estimates
	counts "$(repeat $((counters * 2)) "$first" ,)" -C 0 taskset 1 \
		sh -c 'for i in 1 2 3 4 5 6 7 8; do ./loop; done' >/dev/null
	near "perf stat: each of twice as many events takes half of the time, $on" 50 "$(farthest 5 50)" 5
	near "perf stat: each of their estimates, $on" 80000008 "$(farthest 1 80000008)" 4000000

	perf_record -o loop.data -e instructions:u -c 10007 -e branches:u ./loop
	perf script -i loop.data -F event,ip,sym >loop.txt
	near "perf record: a sample for every 10007 instructions, $on" $((20000004 / 10007)) \
		"$(grep -c instructions loop.txt)" 1
	near "perf record: and one for every 10007 branches, $on" $((10000001 / 10007)) \
		"$(grep -c branches loop.txt)" 1
	is "perf record: every sample lies in the program, $on" 0 "$(grep -vc ' _start$' loop.txt)"
fi

if [ $depth = 0 ]; then
	matches "perf record -b: this CPU cannot, $on" "doesn.t support (branch stack )?sampling" \
		"$(perf record -o no.data -b -e instructions:u -c 100003 ./loop 2>&1)"
	finish
fi

perf_record -o b.data -b -e instructions:u -c 100003 ./tree.static 60 200 >/dev/null
perf_script -i b.data -F ip,brstack >branches.txt

# branches NAME PERIOD [PERF'S OPTIONS]...
branches() {
	name=$1 period=$2
	shift 2
	perf_record -o b.data -c "$period" "$@" ./kinds
	perf_script -i b.data -F ip,brstack >"$name.txt"
}
if [ "$all" = all ]; then
	branches types 5003 -e instructions:u -j any,u,save_type
	for filter in $all_filters; do
		has $filter "$missing" || branches $filter 10007 -e instructions:u -j $filter,u
	done
	branches missed 251 -e branch-misses:u -b
fi

if [ $stacks = no ]; then
	matches "perf record --call-graph lbr: this CPU cannot, $on" "doesn.t support branch stack" \
		"$(perf record -o no.data --call-graph lbr -e instructions:u -c 100003 ./loop 2>&1)"
	finish
fi

# before_an_end FIELD DATA: the samples until the first task with more than 50 samples ends. FIELD
# identifies a task. When a task ends, Linux may lose another task's branch records, or give it those of the ended one.
before_an_end() {
	end=$(perf_script -i "$2" -F "$1,time" --ns | awk '{ n[$1]++; last[$1] = $2 } END {
		for (task in n) if (n[task] > 50) print last[task] }' | sort -n | sed -n '1s/://p')
	perf script -i "$2" --time ",$end"
}

# a task's records are not lost when another runs in between
if [ "$below" = no ]; then
	# If the host pauses in the turn of one task, the scheduler gives the other one more time, which may
	# then end before the first has enough samples.
	for _ in 1 2 3; do
		taskset 1 perf record -q -o two.data --call-graph lbr -e instructions:u -c 100003 \
			sh -c './tree 200 200 & ./tree2 200 200 & wait' >/dev/null
		before_an_end comm two.data >two.txt
		switches=$(awk '/^tree/ { samples[$1]++; if ($1 != last) n++; last = $1 }
			END { print (samples["tree"] > 500 && samples["tree2"] > 500 ? n : 0) }' two.txt)
		[ "$switches" -le 4 ] || break
	done
	[ "$switches" -gt 4 ] && ok "two programs did switch, $on # $switches times" ||
		not_ok "two programs did switch, $on" "$switches times; samples before one's end, and of all:" \
			"$(awk '/^[^\t ]/ { print $1 }' two.txt | sort | uniq -c)" "$(perf_script -i two.data -F comm | sort | uniq -c)"
fi
[ "$all" = all ] || finish

perf record -o tree.data --call-graph lbr -e instructions:u -c 100003 ./tree 300 200 >/dev/null 2>&1
perf script -i tree.data >tree.txt
# the random layout of the address space costs the loader some thousand instructions
near "perf record --call-graph lbr: samples = instructions / period, $on" \
	$(($(counts instructions:u ./tree 300 200) / 100003)) \
	"$(grep -c '^[^[:space:]]' tree.txt)" 1

perf_record -o threads.data --call-graph lbr -e instructions:u -c 50021 ./threads 1500
before_an_end tid threads.data >threads.txt
finish
