# SPDX-License-Identifier: GPL-2.0
# The timer on a CPU with a PMU: beside counters in one session, and alone in a session that
# leaves the PMU free.
. ./lib.sh

told() {
	tr '\n' ' ' <said | sed -n 's/.*produced \([0-9]*\) = delivered \([0-9]*\) + lost \([0-9]*\).*/\1 \2 \3/p'
}

succeeds "lbrctl load" lbrctl load
lbrctl record -e cycles:u,cpu-clock -F 2000 -o both.data -- ./spent 400 >rusage 2>said
is "cycles and cpu-clock: status" 0 $?
# shellcheck disable=SC2046
set -- $(told)
is "produced = delivered + lost" "${1:-nothing}" "$(($2 + $3))"
lbrctl script -i both.data >both.txt
near "samples of the clock" $(($(cat rusage) / 500000)) "$(grep -c ' cpu-clock:' both.txt)" 30
matches "samples of the counter" '^[1-9][0-9]' "$(grep -c ' cycles:u:' both.txt)"
matches "with the LBR's stacks" "^# Stacks: .* complete \((100|9[0-9])\." "$(lbrctl report -v -e cpu-clock -i both.data | grep Stacks)"

# the counters are perf's meanwhile
lbrctl record --no-lbr -e cpu-clock -o /tmp/clock.data -- \
	perf stat -x, -e instructions:u,branches:u ./loop >/dev/null 2>said
is "a session of clocks leaves the counters to perf" "20000004 10000001" \
	"$(awk -F, '$1 ~ /^[0-9]+$/ { printf "%s%s", sep, $1; sep = " " }' said)"
# and the NMI watchdog keeps its own
watchdog=/proc/sys/kernel/nmi_watchdog
echo 1 >$watchdog
is "record by a clock leaves the NMI watchdog on" 1 \
	"$(lbrctl record --no-lbr -e cpu-clock -o /tmp/clock.data -- cat $watchdog 2>said)"
is "stat of clocks leaves it on" 1 "$(lbrctl stat -e cpu-clock,task-clock -o /tmp/stat.txt -- cat $watchdog 2>said)"
is "record by a clock with the LBR switches it off" 0 \
	"$(lbrctl record -e cpu-clock -o /tmp/clock.data -- cat $watchdog 2>said)"
is "after a record by a clock with the LBR the watchdog is on again" 1 "$(cat $watchdog)"
chmod 666 /dev/lbrscope
chmod 777 . /tmp
su user -c "lbrctl record --no-lbr -e cpu-clock -o /tmp/user.data -- ./spent 20" >/dev/null 2>said
is "an unprivileged user can record by a clock while the watchdog is on" 0 $?
succeeds "lbrctl unload" lbrctl unload
finish
