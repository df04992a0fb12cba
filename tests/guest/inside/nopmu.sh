# SPDX-License-Identifier: GPL-2.0
# A CPU without a PMU: a timer of the module takes the samples, and stacks come from the stack.
# The results are compared with getrusage() of the program and with Linux's perf, which has a timer of
# its own. The host judges the call chains. With two CPUs the guest's time is that of the host, which may
# pause: only results that do not depend on time are judged then.
. ./lib.sh
. ./counted.sh

cpus=$(grep -c ^processor /proc/cpuinfo)
on=", $cpus CPUs"

# told: the numbers produced, delivered and lost in the last lines of lbrctl
told() {
	tr '\n' ' ' <said | sed -n 's/.*produced \([0-9]*\) = delivered \([0-9]*\) + lost \([0-9]*\).*/\1 \2 \3/p'
}

# adds_up WHAT: produced = delivered + lost
adds_up() {
	# shellcheck disable=SC2046
	set -- "$1" $(told)
	is "$1: produced = delivered + lost$on" "${2:-nothing}" "$(($3 + $4))"
}

# periods WHAT NS PERIOD: NS / PERIOD samples fell due; NS includes the program's start
periods() {
	[ "$cpus" -gt 1 ] && return
	# shellcheck disable=SC2046
	set -- "$1" "$2" "$3" $(told)
	near "$1: periods = time / period$on" $(($2 / $3)) "$4" $(($2 / $3 / 50 + 5))
}

succeeds "lbrctl load$on" lbrctl load
matches "the log states the capabilities$on" "lbrscope: .*only clocks: .*no performance counters" "$(dmesg)"
matches "lbrctl info$on" "^pmu +none: .*no performance counters" "$(lbrctl info)"

# the default
lbrctl record -o tree.data -- ./tree.static 700 200 >/dev/null 2>said
is "lbrctl record: status$on" 0 $?
is "lbrctl record: one line about it$on" 1 "$(grep -c warning said)"
matches "the message states what the clock does not see$on" \
	"warning: no PMU .*cpu-clock.*interrupts off.*hardware events" "$(grep warning said)"
adds_up "lbrctl record"
lbrctl script --no-inline -i tree.data >tree.ours.txt
perf script --no-inline -i tree.data >tree.perf.txt 2>perf.err
# samples may be lost on a busy host; perf reports that
is "perf script reads it without complaint$on" "" "$(grep -v -e '^Warning:$' -e ' and lost ' -e '^$' perf.err)"
perf report --no-inline --stdio -i tree.data >perf.out 2>perf.err
is "perf report reads it without complaint$on" "" "$(grep -v -e '^Warning:$' -e ' and lost ' -e '^$' perf.err)"
matches "perf report shows a call chain$on" '^ +(---|\|--).*[a-z_]' "$(cat perf.out)"
# A timer may expire while a thread uses a page of its stack for the first time.
[ "$cpus" -gt 1 ] || is "lbrctl report: whole stacks$on" "" "$(lbrctl report -v -i tree.data |
	grep -E '^# \[(truncated|partial|broken|disputed)\]' | grep -v 'page of its stack for the first time')"
matches "lbrctl report: the event$on" "^# Event: cpu-clock" "$(lbrctl report -v -i tree.data)"
is "perf reads it as its own event$on" "cpu-clock" \
	"$(perf_script -F event -G -i tree.data 2>/dev/null | awk 'NF { print $1 }' | sort -u | tr -d :)"

# time, counted
lbrctl stat --json -e cpu-clock,task-clock -o stat.json -- ./spent 400 >rusage
[ "$cpus" -gt 1 ] || near "lbrctl stat: cpu-clock is the program's time by getrusage()$on" "$(cat rusage)" \
	"$(grep -o '"value":[0-9]*' stat.json | sed -n '1s/.*://p')" $(($(cat rusage) / 50 + 3000000))
is "task-clock is the same$on" 1 "$(grep -o '"value":[0-9]*' stat.json | sort -u | wc -l)"
perf stat -x, -e cpu-clock ./spent 400 >perf.rusage 2>perf.stat
# both count the program's start and its end as well
ours=$(grep -o '"value":[0-9]*' stat.json | sed -n '1s/.*://p')
theirs=$(awk -F, '/cpu-clock/ { print $4 }' perf.stat)
[ "$cpus" -gt 1 ] || near "Linux's perf counts as much more than getrusage()$on" \
	$((theirs - $(cat perf.rusage))) $((ours - $(cat rusage))) 3000000
[ "$cpus" -gt 1 ] || near "task-clock does not count sleep$on" 5000000 "$(counted task-clock sleep 1)" 5000000

# time, sampled
lbrctl record -e cpu-clock -c 1000000 -o shares.data -- ./spent 400 >rusage 2>said
adds_up "lbrctl record -e cpu-clock -c"
periods "lbrctl record -e cpu-clock -c" "$(cat rusage)" 1000000
lbrctl report --csv -s sym -i shares.data >shares.csv
perf record -q -e cpu-clock -c 1000000 -o perf.data ./spent 400 >perf.rusage
[ "$cpus" -gt 1 ] || near "task-clock has as many samples as Linux's perf takes of the same time$on" \
	"$(($(perf_script -F ip -G -i perf.data 2>/dev/null | grep -c .) * ($(cat rusage) / 1000) / ($(cat perf.rusage) / 1000)))" \
	"$(told | awk '{ print $2 }')" 20
lbrctl record -e task-clock -c 100000 -o /tmp/fast.data -- ./spent 200 >rusage 2>said
adds_up "lbrctl record -e task-clock, ten times as often"
periods "lbrctl record -e task-clock, ten times as often" "$(cat rusage)" 100000
# 300 children, each shorter than a period: together they have samples in proportion to their time
lbrctl record -e cpu-clock:u -c 2000000 -o /tmp/children.data -- ./spent 2 300 >rusage 2>said
adds_up "short children"
samples=$(lbrctl report --csv -s sym -i /tmp/children.data | awk -F, '/half|third|fifth/ { sum += $4 } END { print sum }')
[ "$cpus" -gt 1 ] || near "short children: as many samples as one process that does their work$on" \
	"$(($(./spent 600) / 2000000))" "$samples" 40
lbrctl record --no-lbr -e cpu-clock:k -o /tmp/kernel.data -- ./spent 200 >/dev/null 2>said
adds_up "lbrctl record -e cpu-clock:k"
is "lbrctl record -e cpu-clock:k: no sample of user mode$on" 0 \
	"$(lbrctl script -i /tmp/kernel.data | awk '/^[^ \t]/ { leaf = 1; next } leaf { print; leaf = 0 }' |
		grep -c '/spent)')"

# all CPUs, while one of them goes offline and comes back
lbrctl record -a -e cpu-clock -c 4000000 -o /tmp/all.data -d 500ms 2>said
adds_up "lbrctl record -a"
if [ "$cpus" -gt 1 ]; then
	(for _ in 1 2 3; do
		echo 0 >/sys/devices/system/cpu/cpu1/online
		echo 1 >/sys/devices/system/cpu/cpu1/online
	done) &
	lbrctl record -a -e cpu-clock -c 100000 -o /tmp/hotplug.data -- ./spent 400 >/dev/null 2>said
	wait $!
	adds_up "CPU 1 goes and comes"
fi
# a flight recorder that a clock event ends
lbrctl record --flight -e cpu-clock -c 1000000 --trigger event:cpu-clock -o /tmp/flight.data \
	-- ./spent 400 >/dev/null 2>said
is "lbrctl record --flight --trigger event:cpu-clock: status$on" 0 $?

# refusals and their reasons
lbrctl record -e cycles -o /tmp/no.data -- true 2>said
is "a hardware event: status$on" 125 $?
matches "a hardware event: the reason$on" "event 'cycles' .*no performance counters.*cpu-clock" "$(cat said)"
lbrctl record -b -o /tmp/no.data -- true 2>said
is "branches: status$on" 125 $?
is "branches: one line with the reason$on" 1 "$(grep -c "" said)"
matches "branches: the line names branch records$on" "no branch records" "$(cat said)"
lbrctl record -e '{cpu-clock,task-clock}' -o /tmp/no.data -- true 2>said
is "a clock in a group: status$on" 125 $?
matches "a clock in a group: the reason$on" "cpu-clock.* in no group" "$(cat said)"
lbrctl record -e cpu-clock,cpu-clock:u,cpu-clock:k,task-clock,task-clock:u -o /tmp/no.data -- true 2>said
is "five clocks: status$on" 125 $?
matches "five clocks: the reason$on" "5 clocks .*4 at most" "$(cat said)"
matches "triage: why there is no IPC$on" "^ipc +not known: .*no performance counters$" "$(lbrctl triage -d 200ms)"
lbrctl stat -a -e task-clock -- true 2>said
is "task-clock of all CPUs: status$on" 125 $?
matches "task-clock of all CPUs: the reason$on" "use cpu-clock" "$(cat said)"
lbrctl stat -- ./spent 400 >rusage 2>stat.txt
is "lbrctl stat: status$on" 0 $?
matches "it prints milliseconds, and the CPUs utilized$on" '^ +[0-9]+\.[0-9]{2} ms  cpu-clock +# [0-9]\.[0-9]{2} CPUs utilized$' \
	"$(grep cpu-clock stat.txt | tail -n 1)"
[ "$cpus" -gt 1 ] || near "which are those of getrusage()$on" $(($(cat rusage) / 1000000)) \
	"$(sed -n 's/\.[0-9]* ms  cpu-clock.*//p' stat.txt | tr -d ' ')" $(($(cat rusage) / 50000000 + 3))
is "lbrctl list has what this machine counts$on" "cpu-clock task-clock page-faults faults minor-faults major-faults context-switches cs cpu-migrations migrations alignment-faults emulation-faults" \
	"$(lbrctl list 2>list.said | awk '{ print $1 }' | xargs)"
matches "and says why that is all$on" "no PMU .*no performance counters.*time, and what Linux counts" "$(cat list.said)"

# an ordinary user
chmod 666 /dev/lbrscope
chmod 777 . /tmp
su user -c "lbrctl record -e cpu-clock -c 99999 -o /tmp/user.data -- ./spent 20" >/dev/null 2>said
is "a user: a period that is too short: status$on" 125 $?
matches "a user: a period that is too short: the reason$on" "period of 99999 ns is too short without privilege" "$(cat said)"
su user -c "lbrctl record -o /tmp/user.data -- ./spent 400" >/dev/null 2>said
is "a user: lbrctl record: status$on" 0 $?
adds_up "a user"
is "a user: no address of the kernel$on" 0 "$(lbrctl script -i /tmp/user.data | grep -Ec '\[k\]|ffffffff')"
is "the kernel log has no warning$on" "" \
	"$(dmesg | sed '1,/only clocks/d' | grep -iE 'warn|bug:|lockdep|dazed|rcu:')"
succeeds "lbrctl unload$on" lbrctl unload
finish
