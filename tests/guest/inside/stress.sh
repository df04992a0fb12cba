# SPDX-License-Identifier: GPL-2.0
# Many sessions, together with other actions of a machine.
. ./lib.sh

cpus=$(grep -c ^processor /proc/cpuinfo)
lbrctl load || exit 1

# summed FILE: the figures of the summary add up
adds_up() {
	sed -n 's/.*produced \([0-9]*\) = delivered \([0-9]*\) + lost \([0-9]*\).*/\1 \2 \3/p' "$2" >sums
	read -r produced delivered lost <sums
	is "$1: produced = delivered + lost" "${produced:-none}" "$((delivered + lost))"
}

free() { sync; awk '/^(Slab|VmallocUsed|Percpu|PageTables)/ { n += $2 } END { print n }' /proc/meminfo; }

lbrctl record -e instructions:u -c 100003 -o s.data -- ./loop 2>say
before=$(free)
wrong=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	lbrctl record -e instructions:u -c 100003 -o s.data -- ./loop 2>say || wrong="$wrong $i"
done
is "20 sessions, one behind the other" "" "$wrong"
same_memory "20 sessions leave no memory behind (KiB), rings are 1 MiB a CPU" "$before" "$(free)" 3000
near "the last of them has all samples" $((20000004 / 100003)) \
	"$(lbrctl script -i s.data | grep -c '^loop ')" 1

# Many short tasks in a session of the whole machine with times off the CPU.
off="--off-cpu=0 --off-cpu-rate 10000 --waker"
# shellcheck disable=SC2086
lbrctl record -a $off -e instructions:u -c 100003 -o forks.data -- sh -c '
	i=0
	while [ $i -lt 500 ]; do
		(:) &
		i=$((i + 1))
		[ $((i % 50)) -eq 0 ] && wait
	done
	wait' 2>say
is "500 forks under record -a" 0 $?
matches "500 forks under record -a are off the CPU" '^lbrctl: [0-9]{3,} times off the CPU' "$(cat say)"
adds_up "500 forks under record -a" say
lbrctl record -e instructions:u -c 100003 -o forks.data -- ./forks 100 5 2>say
is "100 children of the target" 0 $?
adds_up "100 children of the target" say

if [ "$cpus" -gt 1 ]; then
	# shellcheck disable=SC2086
	lbrctl record -a -m 8M $off -e instructions:u -c 20011 -o hot.data 2>say &
	record=$!
	sampling
	for _ in 1 2 3; do
		./loop &
		echo 0 >/sys/devices/system/cpu/cpu1/online
		./loop
		echo 1 >/sys/devices/system/cpu/cpu1/online
		taskset 2 ./loop
		wait $!
	done
	kill -INT $record
	wait $record
	is "CPU 1 goes and comes under record -a" 0 $?
	adds_up "CPU 1 goes and comes under record -a" say
	# Samples are found by their addresses: perf's task events of CPU 1 may be lost with it, and a
	# sample then has the name of the shell.
	looped=$(lbrctl script --event instructions:u -i hot.data | awk '
		/^[^[:space:]]/ { wanted = 1; next }
		!wanted || /^[[:space:]]+ffff/ { next }
		{ n += $1 ~ /^(40)?10[01][0-9a-f]$/; wanted = 0 }
		END { print n + 0 }')
	near "CPU 1 goes and comes: a sample for every 20011 instructions of the program" \
		$((9 * 20000004 / 20011)) "$looped" 40
	is "CPU 1 goes and comes: no sample is lost" 0 "$lost"
	matches "CPU 1 goes offline and online: a warning about missing records" \
		'^lbrctl: warning: CPU 1 was offline' "$(cat say)"

	# CPU 1 is offline at the start of the recording, and once more later. Tasks that run when it is
	# back have their names, and so have tasks that begin there afterwards.
	echo 0 >/sys/devices/system/cpu/cpu1/online
	lbrctl record -a --no-lbr -e instructions:u -c 20011 -o back.data 2>say &
	record=$!
	sampling
	for _ in 1 2; do
		echo 1 >/sys/devices/system/cpu/cpu1/online
		taskset 2 ./tree 1000000 200 >/dev/null &
		tree=$!
		looked_round $record
		kill $tree
		wait $tree
		taskset 2 ./loop
		echo 0 >/sys/devices/system/cpu/cpu1/online
	done
	kill -INT $record
	wait $record
	is "CPU 1 is away at first: record -a ends well" 0 $?
	echo 1 >/sys/devices/system/cpu/cpu1/online
	matches "CPU 1 is offline at the end: only processes that began as it came back may be missing" \
		'CPU 1 was offline: a process that started when it came back' "$(cat say)"
	# samples, name, CPU, thread
	lbrctl script -i back.data -F comm,cpu,tid | awk '{ print $1, $3, $2 }' | sort | uniq -c >ours
	perf_script -i back.data -F comm,cpu,tid 2>perf.err | awk '{ print $1, $3, $2 }' |
		sort | uniq -c >theirs
	near "a process that begins on a CPU that came back has its name" $((2 * 20004000 / 20011)) \
		"$(awk '/ loop \[001\]/ { n += $1 } END { print n }' ours)" 4
	is "a process that began there before lbrctl noticed has its name" 2 \
		"$(grep -c ' tree \[001\]' ours)"
	is "perf names them alike" "" "$(diff ours theirs)"
fi

# A session that is not read: the reader is stopped while the program runs.
lbrctl record -a -e instructions:u -c 10007 -o stop.data 2>say &
record=$!
sampling
kill -STOP $record
./tree 400 200 >/dev/null
./tree 400 200 >/dev/null
kill -CONT $record
sleep 0.5
kill -INT $record
wait $record
is "a reader that stood still ends well" 0 $?
adds_up "a reader that stood still" say
matches "a reader that stood still has losses, and says so" 'lost [1-9]' "$(cat say)"
matches "report says so too" '^# Lost: [1-9]' "$(lbrctl report -i stop.data)"
is "perf and lbrctl count the same losses" "$(awk '{ print $3 }' sums)" \
	"$(perf report -i stop.data --stdio 2>/dev/null | sed -n 's/^# Total Lost Samples: //p')"

succeeds "unload" lbrctl unload
succeeds "load" lbrctl load
succeeds "unload again" lbrctl unload
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
