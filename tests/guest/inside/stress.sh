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
	go_and_come
	kill -INT $record
	wait $record
	is "CPU 1 goes and comes under record -a" 0 $?
	adds_up "CPU 1 goes and comes under record -a" say
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
matches "report says so too" '^# Lost: [1-9]' "$(lbrctl report -v -i stop.data)"
is "perf and lbrctl count the same losses" "$(awk '{ print $3 }' sums)" \
	"$(perf report -i stop.data --stdio 2>/dev/null | sed -n 's/^# Total Lost Samples: //p')"

succeeds "unload" lbrctl unload
succeeds "load" lbrctl load
succeeds "unload again" lbrctl unload
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
