# SPDX-License-Identifier: GPL-2.0
# Our module and lbrctl on a model of CPU; the file `model` says which. What takes a
# disassembler or python3 to judge is left in files for the host.
. ./lib.sh
. ./model.sh

read -r model all <model
facts "$model" || exit 1
cpus=$(grep -c ^processor /proc/cpuinfo)
on="$model, $cpus CPUs"

# info NAME: what lbrctl info says of it
info() { lbrctl info | sed -n "s/^$1  *//p"; }

perf_counts() {
	perf stat -x, -e instructions:u ./loop 2>&1 | awk -F, '/instructions/ { print $1 }'
}

# same_registers WHAT: as before, but for data that may be 0 afterwards
same_registers() {
	./regs >after
	is "registers as before: $1, $on" "" "$(awk '
		NR == FNR { value[$1 " " $3] = $4; next }
		{ key = $1 " " $3 }
		$4 != value[key] && !($2 == "data" && $4 == "0") {
			print key ": " value[key] " before, " $4 " after"
		}' before after)"
}

# record NAME SAMPLES OPTIONS... -- COMMAND...: samples fall due so often, and none gets
# lost uncounted; SAMPLES may be any
record() {
	name=$1 due=$2
	shift 2
	if ! said=$(lbrctl record -o "$name.data" "$@" 2>&1 >/dev/null); then
		not_ok "lbrctl record, $name, $on" "$said"
		return
	fi
	told=$(echo "$said" | tr '\n' ' ' |
		sed -n 's/.*produced \([0-9]*\) = delivered \([0-9]*\) + lost \([0-9]*\).*/\1 \2 \3/p')
	is "lbrctl record, $name: produced = delivered + lost, nothing lost, $on" yes "$(echo "$told" |
		awk '{ print ($1 > 100 && $1 == $2 + $3 && !$3) ? "yes" : $0 }')"
	is "lbrctl record, $name: the file has what was delivered, $on" "${told#* }" \
		"$(perf script -i "$name.data" -F ip,comm 2>/dev/null | grep -c '^ *[a-z]') 0"
	[ "$due" = any ] || near "lbrctl record, $name: samples = events / period, $on" "$due" "${told%% *}" 1
}

modprobe msr || exit 1
is "perf counts before, $on" 20000004 "$(perf_counts)"
# so that there is something in the registers that could get lost
perf record -q -o /tmp/b -b -e cycles:u -c 1000003 ./loop
./regs >before
matches "the list of registers has the branch records, $on" 'lbr_(from|pair)' "$(cat before)"

succeeds "lbrctl load, $on" lbrctl load
same_registers "insmod"
is "lbrctl info: counters, $on" "$counters" "$(info pmu | sed 's/.*, \([0-9]*\) general.*/\1/')"
is "lbrctl info: branch records, $on" "$depth entries, $format" "$(info lbr)"
is "lbrctl info: call stacks, $on" "$stacks" "$(info 'call stacks')"
is "lbrctl info: branch history, $on" yes "$(info 'branch history')"
is "lbrctl info: sessions, $on" "can be started" "$(info sessions)"

record branches any -b -e instructions:u -c 100003 -- ./tree.static 60 200
perf script -i branches.data -F ip,brstack >branches.txt
record kinds $((kinds_instructions / 10007)) -b -e instructions:u -c 10007 -- ./kinds
perf script -i kinds.data -F ip,brstack >kinds.txt
for filter in any_call any_ret cond ind_call ind_jmp call; do
	record $filter $((kinds_instructions / 10007)) -j $filter,u -e instructions:u -c 10007 -- ./kinds
	perf script -i $filter.data -F ip,brstack >$filter.txt
done

# two programs that take turns on one CPU as fast as they can: whose a branch is, its
# address tells
mkfifo there back
record switching any -a -j any,u -e instructions -c 20011 -- \
	taskset 1 sh -c './pong 500 <there >back & ./ping 500 >there <back; wait'
# own COMM ADDRESS: branches of COMM's samples that begin with ADDRESS
own() {
	perf script -i switching.data --comms "$1" -F brstack 2>/dev/null |
		grep -Eo "(^|[[:space:]])0x$2.......(/|\$)" | wc -l
}
is "two programs switching: each has branches of its own, $on" "yes yes" \
	"$([ "$(own ping 1)" -gt 500 ] && echo yes) $([ "$(own pong 2)" -gt 500 ] && echo yes)"
is "two programs switching: none has the other's, $on" "0 0" "$(own ping 2) $(own pong 1)"

if [ "$stacks" = yes ]; then
	record tree any -e instructions:u -c 100003 -- ./tree 300 200
	perf script -i tree.data >tree.txt
	record two any -a -e instructions:u -c 100003 -- taskset 1 \
		sh -c './tree 200 200 & ./tree2 200 200 & wait'
	perf script -i two.data >two.txt
fi

lbrctl record -a -b -c 100003 -o busy.data >/dev/null 2>&1 &
pid=$!
sampling
matches "perf is told that the PMU is taken, $on" "busy" "$(perf stat -e instructions:u ./loop 2>&1)"
kill -INT $pid
wait $pid
is "lbrctl record ends well when it is interrupted, $on" 0 $?

same_registers "after all that"
is "perf counts after it, $on" 20000004 "$(perf_counts)"
./regs >before
succeeds "lbrctl unload, $on" lbrctl unload
same_registers "rmmod"
is "the kernel has nothing to complain about, $on" "" \
	"$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
