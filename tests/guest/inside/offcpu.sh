# SPDX-License-Identifier: GPL-2.0
# Times off the CPU of a program that prints its own times and places; judged on the host. The
# kernel's command line selects the extent: offcpu=all, or offcpu=places only.
. ./lib.sh
. ./session.sh

cpus=$(grep -c ^processor /proc/cpuinfo)
# times off the CPU alone
never="-e dummy"
all="--off-cpu=0 --off-cpu-rate 10000"

disk=
if modprobe null_blk irqmode=2 completion_nsec=5000000; then
	disk=/dev/nullb0
fi

# text NAME: what perf makes of NAME.data
text() {
	perf script --ns -i "$1.data" >"$1.txt" 2>perf.err
	is "perf script reads $1.data without complaint, $cpus CPUs" "0 " "$? $(cat perf.err)"
}

# told WHAT: a number of lbrctl's last line on times off the CPU
told() {
	sed -n "s/^lbrctl: \(.* times off the CPU.*\)/\1/p" said |
		case $1 in
		all) sed 's/ .*//' ;;
		*) grep -o "[0-9]* $1" | sed 's/ .*//' ;;
		esac
}

# by_state NAME: number and sum of the times in each state, as "preempted 3 45": the times by perf's text, and the states
# by that of lbrctl script, which has the same samples in the same order
by_state() {
	lbrctl script -i "$1.data" | sed -n '/BPF string/p' >states.txt
	awk '/offcpu-time:/' "$1.txt" | paste -d '\n' - states.txt |
		awk '/offcpu-time:/ { ns = $5 }
		/BPF string/ { match($0, /state=./); state = substr($0, RSTART + 6, 1); n[state]++; sum[state] += ns }
		END { name["R"] = "preempted"; name["S"] = "sleeping"; name["D"] = "uninterruptible"; name["?"] = "unknown"
			for (state in n) printf "%s %d %.0f\n", name[state], n[state], sum[state] }' | sort
}

# states NAME: reports of NAME.data are about waiting; -s state has all times, as perf's text has them
states() {
	by_state "$1" >"$1.states"
	lbrctl report -i "$1.data" -e offcpu-time -s state --csv | tr -d '\r"' |
		awk -F, 'NR > 1 { print $2, $3, $4 }' | sort >ours.states
	is "$1: each state has the times that perf script prints, $cpus CPUs" "$(cat "$1.states")" "$(cat ours.states)"
	if ! grep -qv preempted "$1.states"; then
		matches "$1: a report of no waiting says so, $cpus CPUs" 'no thread waited: .*-s state' \
			"$(lbrctl report -i "$1.data" -e offcpu-time 2>&1)"
		return
	fi
	lbrctl report -i "$1.data" -e offcpu-time -g none >waiting 2>&1
	# awk: the sums may be larger than a shell's numbers
	is "$1: waiting is all but being preempted, $cpus CPUs" \
		"$(awk '$1 != "preempted" { n += $2; ns += $3 } END { printf "%d %.3f\n", n, ns / 1e9 }' "$1.states")" \
		"$(sed -n 's/^# .*: waited \([0-9,]*\) times in .*, together \([0-9.]*\) s.*/\1 \2/p' waiting | tr -d ,)"
	is "$1: what was left out is said, $cpus CPUs" \
		"$(awk '$1 == "preempted" { printf "%d %.3f\n", $2, $3 / 1e9 }' "$1.states")" \
		"$(sed -n 's/^# Preempted: \([0-9,]*\) times, together \([0-9.]*\) s.*/\1 \2/p' waiting | tr -d ,)"
	is "$1: the table has functions of the program, not the scheduler's, $cpus CPUs" "" "$(grep __schedule waiting)"
}

# switched: the kernel's count of the program's context switches
switched() { awk '/ctxt_switches/ { n += $2 } END { print n }' "/proc/$stepper/status"; }

# steps NAME SHORT LONG OPTION...: records a program that waits for a line, from one wait to the
# next one, while it sleeps; $turns is the number of its returns to the CPU in that time
steps() {
	name=$1
	rm -f go
	mkfifo go
	./offcpu steps "$2" "$3" <go >steps.out &
	stepper=$!
	exec 8>go
	shift 3
	await 300 waits
	turns=$(switched)
	# shellcheck disable=SC2086
	lbrctl record $never "$@" -o "$name.data" -p $stepper 2>said &
	record=$!
	sampling
	echo >&8
	while ! grep -q done steps.out; do sleep 0.1; done
	await 300 waits
	# the last sleep has not ended
	turns=$(($(switched) - turns - 1))
	kill -INT $record
	wait $record
	is "$name: lbrctl record -p ends well, $cpus CPUs" 0 $?
	exec 8>&-
	wait $stepper
}

# waits: succeeds if the program waits in read(0)
waits() { grep -q "^0 0x0 " "/proc/$stepper/syscall"; }

succeeds "lbrctl load" lbrctl load

# Without call stacks of the LBR the module needs the program's tables, which take a moment.
case $(cat model) in
nehalem | zen4 | none) before=500 ;;
*) before=0 ;;
esac
busy="-e instructions:u -c 3000017"
[ "$(cat model)" != none ] || busy="-e cpu-clock:u -c 1000000"
# shellcheck disable=SC2086
lbrctl record $never $all --waker -o places.data -- ./offcpu places 25 "$disk" $before \
	>places.truth.txt 2>said
is "lbrctl record --off-cpu, $cpus CPUs" 0 $?
text places
[ -n "$disk" ] || skip "a disk, $cpus CPUs" "this kernel has no null_blk"
is "as many times off the CPU in the file as delivered, $cpus CPUs" "$(told delivered)" \
	"$(grep -c offcpu-time: places.txt)"
perf script -i places.data 2>/dev/null | grep offcpu-time: >perf.heads
lbrctl script -i places.data | grep offcpu-time: >ours.heads
is "lbrctl script prints them as perf script does, $cpus CPUs" "" \
	"$(diff ours.heads perf.heads | head -n 10)"

states places

# shellcheck disable=SC2086
lbrctl record $busy $all -o busy.data -- ./offcpu busy 400 $before \
	>busy.truth.txt 2>said
is "lbrctl record --off-cpu, two threads on one CPU, $cpus CPUs" 0 $?
text busy
states busy

if grep -q offcpu=all /proc/cmdline; then
	samples=$(sed -n 's/^lbrctl: \([0-9]*\) samples.*/\1/p' said)
	matches "two threads on one CPU: the file has samples as well, $cpus CPUs" '^[1-9]' "$samples"
	lbrctl report -v -i busy.data >report
	is "the report is of these alone, $cpus CPUs" "instructions:u, $samples" \
		"$(sed -n 's/^# Event: \([^,]*\),.*/\1/p' report), $(sed -n 's/^# Samples: \([0-9]*\) .*/\1/p' report)"
	lbrctl report -v -e offcpu-time -s state -i busy.data >report
	is "the report of times off the CPU has these alone, $cpus CPUs" "offcpu-time, $(told delivered)" \
		"$(sed -n 's/^# Event: \([^,]*\),.*/\1/p' report), $(sed -n 's/^# Samples: \([0-9]*\) .*/\1/p' report)"

	steps filtered 30 10 --off-cpu=5ms
	is "5 ms at least: each time is a record or too short, $cpus CPUs" "$turns" "$(told all)"
	is "5 ms at least: one time had not ended, $cpus CPUs" 1 "$(told 'not ended')"
	text filtered
	is "no record is shorter, $cpus CPUs" "$(told delivered)" \
		"$(awk '/offcpu-time:/ && $5 >= 5000000' filtered.txt | wc -l)"
	matches "5 ms at least: the long times are delivered, $cpus CPUs" '^[1-9][0-9]' "$(told delivered)"
	matches "the short ones are not, $cpus CPUs" '^[1-9]' "$(told 'too short')"

	steps limited 200 5 --off-cpu=0 --off-cpu-rate 100
	is "100 a second: each time is a record or lost, $cpus CPUs" "$turns" "$(told all)"
	# perf warns of so large a loss
	perf script --ns -i limited.data >limited.txt 2>perf.err
	is "100 a second: as many records as delivered, $cpus CPUs" "$(told delivered)" \
		"$(grep -c offcpu-time: limited.txt)"
	lost=$(told 'lost to the rate limit')
	matches "some are lost, $cpus CPUs" '^[1-9]' "$lost"
	matches "the report says how many, $cpus CPUs" "^# Lost: $lost samples" \
		"$(lbrctl report -v -i limited.data -e offcpu-time)"

	# every NMI takes more than a thousandth of a CPU may
	often="-e instructions:u -c 10007 --off-cpu=0 --off-cpu-rate 1000"
	# shellcheck disable=SC2086
	lbrctl record $often -o b.data -- ./offcpu busy 300 2>said >/dev/null
	is "1000 a second are enough, $cpus CPUs" "" "$(told 'lost to the rate limit')"
	# shellcheck disable=SC2086
	lbrctl record $often --budget 0.1 -o b.data -- ./offcpu busy 300 2>said >/dev/null
	matches "to keep to a budget it is less, $cpus CPUs" '^[1-9]' \
		"$(told 'lost to the rate limit')"

	# shellcheck disable=SC2086
	lbrctl record $never $all -C 0 -o hop.data -- ./offcpu hop 20 >hop.truth.txt 2>said
	is "lbrctl record --off-cpu -C 0, $cpus CPUs" 0 $?
	text hop

	# a client without an event that does not read its ring
	for how in hold flight; do
		hold $how 0 || not_ok "$how: a session of times off the CPU alone" "$(cat hold.out)"
		./offcpu places 60 "" >/dev/null
		let_go
		is "$how: no sample fell due, $cpus CPUs" 0 "$(count produced)"
		is "$how: no time was too short, or too many, $cpus CPUs" "0 0" \
			"$(count offcpu1) $(count offcpu2)"
		matches "$how: some are delivered, $cpus CPUs" '^[1-9]' "$(count offcpu0)"
		full=$(count offcpu3) overwritten=$(count offcpu4)
		case $how in
		hold)
			matches "$how: and some lost to a full ring, $cpus CPUs" \
				'^[1-9][0-9]* 0 0$' "$full $overwritten $(count offcpu5)"
			;;
		flight)
			matches "$how: and some overwritten, $cpus CPUs" '^0 [1-9]' \
				"$full $overwritten"
			is "$how: as many are there as delivered, $cpus CPUs" \
				"$(count offcpu0)" "$(count walked)"
			;;
		esac
	done
fi
# The unwinder of Linux 5.18 and later warns of a task that runs and has such a probe on its
# stack, and a warning ends the machine.
# shellcheck disable=SC2086
lbrctl record $never $all --trigger kretprobe:hrtimer_nanosleep -o hooked.data -- \
	./offcpu places 3 "" >hooked.out 2>hooked.said
is "times off the CPU in a function with a kretprobe, $cpus CPUs" 0 $?
matches "the function with a kretprobe has times off the CPU" '^lbrctl: [1-9][0-9]* times off the CPU' "$(cat hooked.said)"

succeeds "lbrctl unload" lbrctl unload
finish
