# SPDX-License-Identifier: GPL-2.0
# Registers before and after sessions, read through /dev/cpu/N/msr, as other users find them.
# Runs with the NMI watchdog off and, by the kernel's setting, on.
. ./lib.sh
. ./session.sh

watchdog=$(cat /proc/sys/kernel/nmi_watchdog)
cpus=$(grep -c ^processor /proc/cpuinfo)
with="$cpus CPUs, nmi_watchdog=$watchdog"

# the watchdog may be switched on again by a process that outlives the session
watchdog_is_back() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		[ "$(cat /proc/sys/kernel/nmi_watchdog)" = "$watchdog" ] && break
		sleep 0.1
	done
	is "the watchdog as before: $1, $with" "$watchdog" "$(cat /proc/sys/kernel/nmi_watchdog)"
}

modprobe msr || exit 1
is "perf counts before, $with" 20000004 "$(perf_counts)"
# fills the registers, so that a lost value would be noticed
perf_record -N -o /tmp/b -b -e cycles:u -c 1000003 ./loop
./regs >before

modprobe lbrscope
same_registers "insmod, $with"
if [ "$watchdog" = 1 ]; then
	# the module overwrites no foreign value
	if hold hold 100003; then
		not_ok "the module refuses while the watchdog has the PMU, $with"
	else
		matches "the module refuses while the watchdog has the PMU, $with" \
			"resource busy .*watchdog" "$(cat hold.out)"
	fi
	let_go
	same_registers "a session refused, $with"
else
	hold hold 100003 || not_ok "a session starts, $with" "$(cat hold.out)"
	matches "perf gets EBUSY for the PMU, $with" "busy" \
		"$(perf stat -e instructions:u ./loop 2>&1)"
	succeeds "perf's software events go on, $with" perf stat -e task-clock ./loop
	matches "rmmod is refused while a session runs, $with" "in use|unavailable" "$(rmmod lbrscope 2>&1)"
	./loop
	let_go
	same_registers "a session, $with"
	is "perf counts after it, $with" 20000004 "$(perf_counts)"
	./regs >before

	hold hold 10007
	./loop
	kill_it
	same_registers "a client killed with -9, $with"

	hold liar 10007
	./loop
	./loop
	let_go
	is "a tail that lies: produced = delivered + lost, $with" "$(count produced)" \
		"$(($(count delivered) + $(lost)))"
	same_registers "a client whose tail lies, $with"
fi

succeeds "lbrctl record, $with" lbrctl record -e instructions:u -c 100003 -o a.data -- ./loop
same_registers "lbrctl record, $with"
watchdog_is_back "lbrctl record"
RANDOM=1
for try in 1 2 3 4 5 6 7 8; do
	lbrctl record -a -c 50021 -o k.data >/dev/null 2>&1 &
	pid=$!
	sleep 0.$((try * 7 % 10))$((RANDOM % 10))
	kill -9 $pid
	wait $pid 2>/dev/null
done
watchdog_is_back "lbrctl record killed eight times"
await 300 in_use_by nobody
same_registers "lbrctl record killed eight times, $with"
if [ -e k.data ]; then
	not_ok "no result of a record that was killed, $with" "$(ls -l k.data; lbrctl report -i k.data 2>&1 | head -n 5)"
else
	ok "no result of a record that was killed, $with"
fi
lbrctl record -a -c 50021 -o k.data >/dev/null 2>&1 &
pid=$!
sampling
matches "perf gets EBUSY for the PMU, lbrctl record, $with" "busy" \
	"$(perf stat -e instructions:u ./loop 2>&1)"
kill -INT $pid
wait $pid
is "lbrctl record ends well when it is interrupted, $with" 0 $?
watchdog_is_back "lbrctl record interrupted"

succeeds "rmmod, $with" rmmod lbrscope
same_registers "rmmod, $with"
is "perf counts after rmmod, $with" 20000004 "$(perf_counts)"
is "the kernel log has no warning, $with" "" \
	"$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
