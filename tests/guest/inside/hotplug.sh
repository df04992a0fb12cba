# SPDX-License-Identifier: GPL-2.0
# CPU 1 goes offline and online under record -a.
. ./lib.sh

online=/sys/devices/system/cpu/cpu1/online
modprobe lbrscope || exit 1

# Linux 5.10 lets the tasks of a CPU run on after its modules have left it; there nothing samples
# them. Later kernels move the tasks away first.
case $(uname -r) in 5.10.*) stays="taskset 1" ;; *) stays= ;; esac

lbrctl record -a -m 8M --off-cpu=0 --off-cpu-rate 10000 --waker -e instructions:u -c 20011 -o hot.data 2>say &
record=$!
sampling
go_and_come $stays
kill -INT $record
wait $record
is "CPU 1 goes and comes under record -a" 0 $?
# Samples are found by their addresses: perf's task events of CPU 1 may be lost with it, and a
# sample then has the name of the shell.
looped=$(lbrctl script --event instructions:u -i hot.data | awk '
	/^[^[:space:]]/ { wanted = 1; next }
	!wanted || /^[[:space:]]+ffff/ { next }
	{ n += $1 ~ /^(40)?10[01][0-9a-f]$/; wanted = 0 }
	END { print n + 0 }')
near "CPU 1 goes and comes: a sample for every 20011 instructions of the program" \
	$((9 * 20000004 / 20011)) "$looped" 12
matches "CPU 1 goes and comes: no sample is lost" '\+ lost 0($|[^0-9])' "$(cat say)"
matches "CPU 1 goes offline and online: a warning about missing records" \
	'^lbrctl: warning: CPU 1 was offline' "$(cat say)"

# CPU 1 is offline at the start of the recording, and once more later. Tasks that run when it is
# back have their names, and so have tasks that begin there afterwards.
echo 0 >$online
lbrctl record -a --no-lbr -e instructions:u -c 20011 -o back.data 2>say &
record=$!
sampling
for _ in 1 2; do
	echo 1 >$online
	taskset 2 ./tree 1000000 200 >/dev/null &
	tree=$!
	looked_round $record
	kill $tree
	wait $tree
	taskset 2 ./loop
	echo 0 >$online
done
kill -INT $record
wait $record
is "CPU 1 is away at first: record -a ends well" 0 $?
echo 1 >$online
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
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
