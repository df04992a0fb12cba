# SPDX-License-Identifier: GPL-2.0
# The triggers that guest/triggers does not test, refused triggers, and the flight recorder.
. ./lib.sh
. ./fired.sh

cpus=$(grep -c ^processor /proc/cpuinfo)
on="$cpus CPUs"
mount -t debugfs none /sys/kernel/debug 2>/dev/null
lbrctl load || exit 1
dmesg -c >/dev/null

what_happens() {
	# the first exec, of sh, is where it begins
	record tasks 6 -e instructions:u --trigger exec --trigger exit -- \
		sh -c './triggers; ./triggers; exec ./triggers'
	is "exec: each program" 3 "$(fired tasks exec)"
	is "exit: each task" 3 "$(fired tasks exit)"
	# shellcheck disable=SC2016
	record signal 2 -e instructions:u --trigger signal:USR1 --trigger signal:SEGV --trigger signal:HUP -- \
		sh -c 'trap : USR1; kill -USR1 $$; kill -SEGV $$'
	is "signal: those that were asked for" "1 1 0" \
		"$(fired signal signal:USR1) $(fired signal signal:SEGV) $(fired signal signal:HUP)"
	matches "signal: its number" '"signal=10( (depth(=-?[0-9]+|-unknown)|end=[a-z]+))*"' "$(lbrctl script -i signal.data)"
	record returned 100 -b -e instructions:u --trigger kretprobe:$asked -- ./triggers
	matches "kretprobe: the returned value" '"returned=0x[0-9a-f]+"' "$(lbrctl script -i returned.data)"

	missed

	mkfifo end
	record others 0 -e instructions:u --trigger kprobe:$asked -- cat end &
	other=$!
	sampling
	./triggers
	: >end
	wait $other
	record everybody 100 -a -e instructions:u --trigger $store -- ./triggers
}

# Linux follows 512 calls to their return at a time, and 540 are open.
missed() {
	lbrctl record -e instructions:u --trigger kprobe:hrtimer_nanosleep \
		--trigger kretprobe:hrtimer_nanosleep -o missed.data -- ./sleepers 540 2>missed.said ||
		not_ok "540 threads sleep" "$(cat missed.said)"
	left=$(sed -n 's/.*Linux missed \([0-9]*\) triggers.*/\1/p' missed.said)
	matches "kretprobe: calls beyond 512 are missed" '^[0-9]+$' "$left"
	is "kretprobe: each that is missed is counted" "540 540" "$(fired missed kprobe:hrtimer_nanosleep) $((
		$(fired missed kretprobe:hrtimer_nanosleep) + left))"
}

refusals() {
	refused "a function that is not there" 'trigger 0: the kernel has no function' kprobe:no_such_function
	refused "one that must not be probed" 'trigger 0: .*does not allow a probe' kprobe:exc_int3
	refused "one of the module" 'trigger 0: .*does not allow a probe' kprobe:ls_ring_find
	refused "a fifth watchpoint" 'trigger 4: no debug register' watch:0x1000 watch:0x2000 \
		watch:0x3000 watch:0x4000 watch:0x5000
	refused "an event that is not sampled" 'no such event is sampled' event:cycles
	refused "an offset behind the end of the file" 'the file is shorter' uprobe:./triggers:+0x100000
}

ends() {
	lbrctl record -a -e instructions:u --trigger kprobe:$asked --trigger $store \
		-o killed.data 2>/dev/null &
	pid=$!
	sampling
	kill -9 $pid
	wait $pid 2>/dev/null
	record killed 100 -e instructions:u --trigger kprobe:$asked -- ./triggers

	lbrctl record -a -c 1000003 -e instructions:u --trigger $store -o hotplug.data 2>/dev/null &
	pid=$!
	sampling
	echo 0 >/sys/devices/system/cpu/cpu1/online
	echo 1 >/sys/devices/system/cpu/cpu1/online
	taskset 2 ./triggers
	kill -INT $pid
	wait $pid
	is "watch: on a CPU that came back" 100 "$(fired hotplug $store)"

	# all four of a CPU that is sampled, and none of one that is not
	lbrctl record -a -C 0 -c 1000003 -e instructions:u --trigger watch:0x1000 --trigger watch:0x2000 \
		--trigger watch:0x3000 --trigger watch:0x4000 -o one.data 2>/dev/null &
	pid=$!
	sampling
	is "watch: the debug registers of the CPUs that are sampled" "taken free" \
		"$(debug_register 0) $(debug_register 1)"
	kill -INT $pid
	wait $pid
	[ ! -e /sys/kernel/debug/kprobes/list ] ||
		is "no probe is left" "" "$(cat /sys/kernel/debug/kprobes/list)"
}

# debug_register CPU: is one of it to be had?
debug_register() {
	if perf stat -C "$1" -e mem:0x5000:w true >/dev/null 2>&1; then echo free; else echo taken; fi
}

# refused NAME REASON TRIGGER...
refused() {
	name=$1 reason=$2 options=
	shift 2
	for trigger in "$@"; do
		options="$options --trigger $trigger"
	done
	# shellcheck disable=SC2086
	matches "refused: $name" "$reason" "$(lbrctl record --flight -e instructions:u -o r.data $options -- ./triggers 2>&1)"
}

# samples FILE: how many, of all events
samples() { perf_script -i "$1" -F time 2>/dev/null | grep -c .; }

flight() {
	# 1998 samples of ./loop, of 32 bytes each, are nearly all of 64 KiB; all else runs on CPU 1,
	# so that no sample of it takes their place until they are dumped, however late that is
	taskset -p 2 $$ >/dev/null
	lbrctl record -a --flight=64K -e instructions:u -c 10007 -o flight.data 2>flight.said &
	pid=$!
	sampling
	taskset 1 ./loop
	taskset 1 ./loop
	kill -USR2 $pid
	await 600 test -s flight.data.1
	taskset 1 ./triggers
	kill -INT $pid
	wait $pid
	is "flight: lbrctl record ends well" 0 $?
	taskset -p 3 $$ >/dev/null
	matches "flight: a dump has as many samples as fit the rings" '^(15[89]|16[0-3])[0-9]$' \
		"$(perf_script -i flight.data.1 -F comm | grep -c loop)"
	is "flight: those of the last program" "1" "$(perf_script -i flight.data.1 -F comm,pid |
		awk '$1 == "loop" { n[$2]++ } END { for (pid in n) if (n[pid] > 100) many++; print many + 0 }')"
	counts=$(sed -n 's/.*produced \([0-9]*\) = delivered \([0-9]*\) + lost \([0-9]*\) (.*overwritten \([0-9]*\).*/\1 \2 \3 \4/p' flight.said)
	is "flight: produced = delivered + lost" yes \
		"$(echo "$counts" | awk '{ print (($1 > 3996 && $1 == $2 + $3 && $4 > 1000) ? "yes" : "no: " $0) }')"
	is "flight: all delivered samples are in the files" "$(echo "$counts" | cut -d' ' -f2)" \
		"$(($(samples flight.data.1) + $(samples flight.data)))"
	matches "flight: report counts no sample as lost" '^# Lost: 0 samples' "$(lbrctl report -v -i flight.data.1)"

	lbrctl record --flight -e instructions:u -c 10007 -o ends.data --trigger uprobe:./triggers:known -- \
		sh -c './loop; ./triggers; ./loop; exit 7' 2>/dev/null
	is "flight: the command goes on after the trigger" 7 $?
	is "flight: the first trigger is the last record" "1 uprobe:./triggers:known:" \
		"$(fired ends uprobe:./triggers:known) $(perf_script -i ends.data -F event | awk 'END { print $1 }')"
	near "flight: all samples up to it" 1998 "$(perf_script -i ends.data -F comm | grep -c loop)" 3
}

what_ends_it() {
	# each sample is of a million, and the first of branches is one of the last
	lbrctl record --flight -e instructions:u,branches:u -c 1000003 --trigger event:branches:u -o event.data -- ./loop 2>/dev/null
	is "event: its first sample is the last record" "1 branches:u:" \
		"$(fired event branches:u) $(perf_script -i event.data -F event | awk 'END { print $1 }')"
	near "event: the others come before it" 2 "$(fired event instructions:u)" 1

	lbrctl record -a --flight -e instructions:u -c 1000003 --trigger off-cpu:700ms -o wait.data 2>/dev/null &
	pid=$!
	sampling
	sleep 1
	wait $pid
	is "off-cpu: a long sleep ends it" 0 $?
	is "off-cpu: and is the last record" long "$(perf_script -i wait.data -F period,event |
		awk 'END { print (($1 >= 700000000 && $2 == "offcpu-time:") ? "long" : $0) }')"
}

what_happens
refusals
ends
flight
what_ends_it
. ./control.sh
is "the kernel log has no warning" "" \
	"$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
succeeds "lbrctl unload" lbrctl unload
finish
