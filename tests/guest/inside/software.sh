# SPDX-License-Identifier: GPL-2.0
# The events that Linux counts, by lbrctl stat: prog/happens.c states how often each happens, and perf is the
# second witness. The difference of two runs is without what the start of a program takes.
. ./lib.sh

events=minor-faults,page-faults,faults:u,context-switches,cs,cpu-migrations,migrations,major-faults
wanted="1000 1000 1000 yes yes 10 10 0"

# counts TOOL PAGES SLEEPS MOVES
counts() {
	tool=$1
	shift
	echo | taskset 1 $tool stat -x, -o counted -e $events -- ./happens "$@" >/dev/null 2>&1
	grep -v '^#\|^$' counted | cut -d, -f1
}

# more COMMAND: what it counts of a program that does more, as the difference of a program that does not. 25 sleeps
# and 10 moves are 35 switches, and others may have wanted the CPU.
more() {
	"$@" 1000 25 10 >one
	"$@" 0 0 0 >none
	paste -d' ' one none | awk '{ n = $1 - $2; print (n >= 35 && n < 60 ? "yes" : n) }' | xargs
}

succeeds "lbrctl load" lbrctl load
# the same addresses in each run, and the same faults
echo 0 >/proc/sys/kernel/randomize_va_space
is "a command and its threads: what happens" "$wanted" "$(more counts lbrctl)"
is "the same, by perf" "$wanted" "$(more counts perf)"

mkfifo go-on
# counts_of TOOL PAGES SLEEPS MOVES: of a process that waits, with a thread
counts_of() {
	tool=$1
	shift
	mkfifo go
	taskset 1 ./happens "$@" <go &
	exec 9>go
	until [ "$(ls /proc/$!/task | wc -l)" = 2 ]; do sleep 0.01; done
	$tool stat -x, -o counted -e $events -p $! ${again:+-p $! -t $!} 2>/dev/null &
	counter=$!
	sleep 0.3
	echo >&9
	wait $counter
	exec 9>&-
	rm go
	grep -v '^#\|^$' counted | cut -d, -f1
}
is "-p: what happens in its threads" "$wanted" "$(more counts_of lbrctl)"
again=yes
is "-p and -t that name a thread several times: each counts once" "$wanted" "$(more counts_of lbrctl)"
again=

# Other programs are counted with them.
cpus() { echo | lbrctl stat -a -x, -o counted -e minor-faults,cs -A -- ./happens "$@"; awk -F, '{ n[$4] += $2 } END { print n["minor-faults"], n["cs"] }' counted; }
set -- $(cpus 5000 100 0)
at_least "-a -A: the faults of all CPUs" 5000 "$1"
at_least "-a -A: the switches of all CPUs" 100 "$2"
at_least "-C: another CPU has few of them" 1 "$(echo | lbrctl stat -C 1 -x, -e minor-faults -- ./happens 5000 0 0 2>&1 |
	awk -F, '{ print ($1 < 2500) }')"

grep -q " cgroup2 " /proc/mounts || mount -t cgroup2 cgroup /sys/fs/cgroup
mkdir /sys/fs/cgroup/late
matches "-G: a cgroup that Linux has no controller for is said to be one" "the cgroup has no perf_event controller" \
	"$(lbrctl stat -G late -e cs -- true 2>&1)"
echo +pids >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/in /sys/fs/cgroup/in/below
lbrctl stat -G in -x, -o counted -e minor-faults,context-switches -- sh -c '
	echo | ./happens 5000 0 0
	echo 0 >/sys/fs/cgroup/in/below/cgroup.procs; echo | ./happens 1000 40 0'
near "-G: the faults in the cgroup and below it" 1100 "$(awk -F, '$3 == "minor-faults" { print $1 }' counted)" 200
at_least "-G: the switches" 40 "$(awk -F, '$3 == "context-switches" { print $1 }' counted)"

echo | lbrctl stat -I 20ms --csv -o parts.csv -e minor-faults -- ./happens 2000 100 0
is "intervals add up to the count" yes "$(tr -d '\r' <parts.csv | awk -F, 'NR > 1 { n += $3; rows++ }
	END { print (rows > 3 && n >= 2000 && n < 2200) ? "yes" : "no, " n " in " rows }')"
is "-x: as perf prints them" "$(echo | perf stat -x, -e page-faults,cs -- ./happens 0 0 0 2>&1 | sed -E 's/[0-9]+/N/g; s/N\.N/N/; s/,,$//')" \
	"$(echo | lbrctl stat -x, -e page-faults,cs -- ./happens 0 0 0 2>&1 | sed -E 's/,[0-9.]*,per second$//; s/[0-9]+/N/g; s/N\.N/N/')"
echo | lbrctl stat -o text -e cs,task-clock,page-faults -- ./happens 0 0 0
is "in the order in which they are asked for" "cs task-clock page-faults" "$(awk '/#/ { for (i = 1; i <= NF; i++) if ($i ~ /^[a-z]+-?[a-z]+$/ && $i != "ms") { print $i; break } }' text | xargs)"
matches "how many in a second" '[0-9]  page-faults +# [0-9.]+ per second' "$(cat text)"
echo 2 >/proc/sys/kernel/randomize_va_space
matches "of several runs, the mean" 'page-faults +(\+- [0-9.]+ % )? # ' "$(lbrctl stat -r 3 -e page-faults -- ls 2>&1 >/dev/null)"

./happens 0 0 0 <go-on & # waits for a byte
exec 8>go-on
until [ "$(ls /proc/$!/task | wc -l)" = 2 ]; do sleep 0.01; done
matches "more counters than files may be open: how many" "each thread and each CPU takes a file .*ulimit -n" \
	"$(ulimit -n 20; lbrctl stat -e cs,faults,cs,faults,cs,faults,cs,faults,cs -p $! -- sleep 0.1 2>&1)"
exec 8>&-
kill $!

(sleep 0.3; echo 0 >/sys/devices/system/cpu/cpu1/online; sleep 0.2; echo 1 >/sys/devices/system/cpu/cpu1/online) &
lbrctl stat -a -A -I 400 -x, -o parts -e cs,cpu-clock -- sleep 1.5 2>said
matches "a CPU that goes offline and comes back: a warning" "CPU 1 was offline for a part of the time" "$(cat said)"
matches "and no count of it" "CPU1,<not counted>,,cs,0,100.00," "$(cat parts)"
wait $!
echo 0 >/sys/devices/system/cpu/cpu1/online
(sleep 0.3; echo 1 >/sys/devices/system/cpu/cpu1/online) &
matches "a CPU that comes" "CPU 1 was offline for a part of the time" "$(lbrctl stat -a -e cs -- sleep 1 2>&1)"
wait $!
is "CPUs that stay: no warning" 0 "$(lbrctl stat -a -e cs -- sleep 0.1 2>&1 | grep -c offline)"

# those who may not
chmod 666 /dev/lbrscope
echo 3 >/proc/sys/kernel/perf_event_paranoid
matches "a user whom perf counts nothing for is told why" "counting 'page-faults:u': perf does not let this user .*paranoid is 3" \
	"$(su user -c 'lbrctl stat -e page-faults -- true' 2>&1)"
echo 2 >/proc/sys/kernel/perf_event_paranoid
matches "a user: his own faults" '[0-9]  page-faults:u ' "$(su user -c 'lbrctl stat -e page-faults -- true' 2>&1)"
matches "a user: not what the kernel does" "event 'cs:u' happens in the kernel" "$(su user -c 'lbrctl stat -e cs -- true' 2>&1)"

matches "no thread has them for itself" "omit --per-thread" "$(lbrctl stat --per-thread -e cs -- true 2>&1)"
matches "nor a CPU, of tasks" "omit -A" "$(lbrctl stat -A -e cs -- true 2>&1)"
matches "nor a core" "omit --per-core" "$(lbrctl stat --per-core -e cs -- true 2>&1)"
matches "they are in no group" "'cs' is on no counter, and in no group" "$(lbrctl stat -e '{cs,cpu-clock}' -- true 2>&1)"
matches "they are on no counter" "'cs@1': it is on no counter" "$(lbrctl stat -e cs@1 -- true 2>&1)"
for verb in record top; do
	matches "$verb: nothing samples them" "'cs': 'record --off-cpu' shows .*; .stat -e cs. counts it" "$(lbrctl $verb -e cs -- true 2>&1)"
done
matches "a name that is nearly right" "similar names: page-faults" "$(lbrctl stat -e page-falts -- true 2>&1)"
succeeds "lbrctl unload" lbrctl unload
finish
