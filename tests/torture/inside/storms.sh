# SPDX-License-Identifier: GPL-2.0
# One storm: recordings during everything that can disturb them; the sums of each must be exact.
. ./lib.sh

. ./seconds
cpus=$(grep -c ^processor /proc/cpuinfo)
end=$(($(date +%s) + seconds))
going() { [ "$(date +%s)" -lt $end ]; }
count() { echo "$(($(cat "$1" 2>/dev/null || echo 0) + 1))" >"$1"; }

if [ -e lbrscope.ko ]; then insmod ./lbrscope.ko; else lbrctl load; fi || exit 1
echo 0 >/proc/sys/kernel/unknown_nmi_panic
# lines on a serial line for each unknown NMI would stall a CPU
dmesg -n 1
# its thread has a low priority, holds RCU, and starves under this load
[ ! -e /sys/kernel/debug/kmemleak ] || echo scan=off >/sys/kernel/debug/kmemleak

# disturbances of the tasks
(while going; do ./relay 2 2000; sleep 0.2; done) >/dev/null 2>&1 &
(while going; do ./forks 20 5; sh -c ./loop; sleep 0.1; done) >/dev/null 2>&1 &
(while going; do dd if=/dev/zero bs=4k count=2000; sleep 0.1; done) >/dev/null 2>&1 | cat >/dev/null &

# disturbances of the CPUs
if [ "$cpus" -gt 1 ]; then
	(while going; do
		sleep 0.7
		echo 0 >/sys/devices/system/cpu/cpu1/online && count offline
		sleep 0.2
		echo 1 >/sys/devices/system/cpu/cpu1/online
	done) 2>/dev/null &
fi
# suspends up to the step that saves the registers, and resumes
if modprobe brd rd_nr=1 rd_size=600000 && mkswap /dev/ram0 && swapon /dev/ram0; then
	# one sleep takes minutes where all CPUs are busy
	(echo test_resume >/sys/power/disk && echo 0 >/sys/power/image_size && while going; do
		sleep 20
		echo disk >/sys/power/state && count asleep
	done) &
fi >/dev/null 2>&1

# other users of the PMU
(while going; do
	perf stat -e cycles:u,instructions:u -o /dev/null ./loop && count perf
	perf record -q -b -e cycles:u -o perf.data ./loop
	sleep 3
done) >/dev/null 2>&1 &
(while going; do
	sleep 4
	echo 1 >/proc/sys/kernel/nmi_watchdog
	sleep 0.3
	echo 0 >/proc/sys/kernel/nmi_watchdog && count watchdog
done) 2>/dev/null &
./perf_events "$seconds" "$$" >events.out 2>&1 &
events=$!

# lbrctl turns the watchdog off where it may; a PMU that perf has is refused
i=0
# on a busy host perf may have the PMU until the storm is over
while going || { [ ! -e recorded ] && [ $i -lt 30 ]; }; do
	i=$((i + 1))
	case $((i % 11)) in
	0) set -- -a -b -e cycles,instructions,branches -c 10007 ;;
	1) set -- -a -g -e cycles -c 10009 --off-cpu=0 --off-cpu-rate 10000 --waker ;;
	2) set -- -a -e dummy --trigger kprobe:ksys_read --trigger kretprobe:ksys_write --trigger exec --trigger exit ;;
	3) set -- -a --flight=64K -e instructions -c 10007 --trigger signal ;;
	4) set -- -a -e cycles,instructions,branches,branch-misses,cache-misses,cycles:u,instructions:u --jitter 50 -c 10007 ;;
	5) set -- -a -e cycles:u -c 10000 --stack-window=32768 -b ;;
	6) set -- -a -e instructions -F 20000 ;;
	7) set -- -a -e instructions:u -c 20011 --call-graph lbr ;;
	# timers, alone and beside counters, of CPUs and of tasks
	8) set -- -a --no-lbr -e cpu-clock,cpu-clock:u,cpu-clock:k -c 10007 --stack-window=32768 ;;
	9) set -- -e task-clock,cpu-clock,cycles,instructions:u --jitter 50 -c 10007 --off-cpu ;;
	10) set -- -a --flight=64K -e cpu-clock,instructions -c 10007 --trigger event:cpu-clock ;;
	esac
	lbrctl record "$@" -o storm.data -- sh -c './loop; ./forks 5 5' >said 2>&1
	case $? in
	0)
		count recorded
		sed 's/^lbrctl: /# /' said
		sed -n 's/.*produced \([0-9]*\) = delivered \([0-9]*\) + lost \([0-9]*\).*/\1 \2 \3/p' said >sums
		read -r produced delivered lost <sums
		[ "${produced:-none}" = "$((delivered + lost))" ] || not_ok "a storm's samples add up: $*" "$(cat said)"
		;;
	125) count refused && tail -n1 said >>why ;;
	*) not_ok "a recording in a storm ends: $*" "$(cat said)" ;;
	esac
done
wait $events
is "perf_events: status" 0 $?
wait
cat events.out
sort why 2>/dev/null | sed 's/process [0-9]*/process N/' | uniq -c | sort -rn | head -5 | sed 's/^/# refused: /'
for what in recorded refused perf; do
	echo "tried $(cat $what 2>/dev/null || echo 0) $what"
done | sed 's/ recorded$/ recordings in a storm/; s/ refused$/ recordings refused, the PMU being taken/; s/ perf$/ runs of perf beside them/'
for what in offline asleep watchdog; do
	echo "tried $(cat $what 2>/dev/null || echo 0) $what"
done | sed 's/ offline$/ times a CPU went and came/; s/ asleep$/ times the machine slept/; s/ watchdog$/ times the NMI watchdog came and went/'
. ./nmis.sh
matches "some recordings were made in the storm" '^[1-9]' "$(cat recorded)"
rm -f ./*.data
succeeds "unload" rmmod lbrscope
[ ! -e coverage.sh ] || . ./coverage.sh
dmesg | grep -E -A 60 'cut here|BUG:|Oops|soft lockup|rcu.*stall' | head -n 150 | sed 's/^/# /'
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Oops|soft lockup|rcu.*stall')"
finish
