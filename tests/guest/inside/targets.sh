# SPDX-License-Identifier: GPL-2.0
# Recordings of some threads, some processes, a cgroup. The function of a sample, or the name of
# its task, shows which target it belongs to.
. ./lib.sh

opts="-e instructions:u -c 500009"
cgroups=/sys/fs/cgroup
grep -q " cgroup2 " /proc/mounts || mount -t cgroup2 none $cgroups
# perf's controller is there once any has been asked for
echo +pids >$cgroups/cgroup.subtree_control
mkdir $cgroups/one $cgroups/one/below $cgroups/two

# phase FILE N
phase() { printf "\\00$2" | dd of="$1" bs=1 conv=notrunc 2>/dev/null; }

# spun_until FILE SLOT...: returns when the program that FILE controls has run for 20 more samples in
# each of these functions. Waiting for seconds would not do: on a busy host a thread begins late.
spun_until() {
	file=$1
	shift
	for slot in "$@"; do
		want=$(($(times_spun $file $slot) + 20 * 500009 / 600))
		until [ "$(times_spun $file $slot)" -ge $want ]; do sleep 0.1; done
	done
}
times_spun() { od -A n -t u8 -j $(($2 * 8)) -N 8 "$1" | tr -d ' '; }
a=1 b=2 c=3 clone=4 other=5 fork=6

# spins NAME: starts ./targets, which reads its phase from the file NAME and writes its threads to
# NAME.out; $pid is its pid
spins() {
	phase "$1" 0
	: >"$1.out"
	./targets "$1" >"$1.out" &
	pid=$!
	until [ "$(grep -c '^[abc]' "$1.out")" = 3 ]; do sleep 0.1; done
}

# thread FILE NAME: its tid
thread() { awk -v name="$2" '$1 == name { print $2 }' "$1.out"; }

# starts OPTIONS...: lbrctl record in the background, sampling when it returns
starts() {
	lbrctl record $opts "$@" 2>say &
	record=$!
	sampling
}

# spun FILE: prints each function with its number of samples, or "many"
spun() {
	perf script --no-inline -i "$1" -F ip,sym 2>/dev/null |
		sed -n 's/.* spin_\([a-z0-9]*\)$/\1/p' | sort | uniq -c |
		awk '{ printf "%s%s:%s", sep, $2, ($1 >= 10 ? "many" : $1); sep = " " }'
}

# of FILE: the names of the tasks with samples
of() {
	perf_script -i "$1" -F comm,ip 2>/dev/null | awk '/^[^ \t]/ { print $1 }' | sort -u | tr '\n' ' '
}

succeeds "lbrctl load" lbrctl load
./tasks

spins file
starts -t "$(thread file a)" -o a.data
spun_until file $a
phase file 1
spun_until file $a $clone $other $fork
phase file 2
wait $record
is "-t: recording ends when the thread does" 0 $?
starts -t "$(thread file b),$(thread file c)" -o bc.data
spun_until file $b $c $clone $other
kill -INT $record
wait $record
starts -t $pid -p $pid -o all.data
spun_until file $b $c $clone $other
phase file 3
wait $record
is "-p: recording ends when the process does" 0 $?
wait
is "-t: the thread, and the tasks that it clones and forks" "a:many clone:many fork:many" "$(spun a.data)"
is "-t: two threads, without earlier children" "b:many c:many" "$(spun bc.data)"
is "-p: all threads, of a thread and its process" "b:many c:many clone:many other:many" \
	"$(spun all.data)"

for name in p1 p2 p3; do
	spins $name
	eval $name=$pid
done
starts -p $p1,$p3 -o p.data
spun_until p1 $a
spun_until p2 $a
spun_until p3 $a
phase p2 3
phase p1 3
wait $p1
is "-p: recording goes on while one of two processes is there" yes "$(kill -0 $record && echo yes)"
phase p3 3
wait $record
is "-p: two of three processes" "$(printf '%s\n' $p1 $p3 | sort -n | tr '\n' ' ')" \
	"$(perf_script -i p.data -F pid,ip 2>/dev/null | awk '/^ *[0-9]+ *$/ { print $1 }' |
		sort -nu | tr '\n' ' ')"
wait

# A user's processes: of two programs the user's, and neither the other one nor one that the user
# starts later; short ones that end meanwhile do not disturb it.
chmod 1777 /tmp
cp targets /tmp
chmod 755 /tmp/targets
theirs() {
	phase "/tmp/$1" 0
	: >"/tmp/$1.out"
	chmod 666 "/tmp/$1" "/tmp/$1.out"
	su user -c "exec /tmp/targets /tmp/$1 >/tmp/$1.out" &
	until [ "$(grep -c '^[abc]' "/tmp/$1.out")" = 3 ]; do sleep 0.1; done
}
theirs early
su user -c 'while [ -e /tmp/early ]; do true | true; done' &
spins other
starts -u user -o user.data
theirs late
spun_until other $a
spun_until /tmp/early $a
spun_until /tmp/late $a
kill -INT $record
wait $record
is "-u: a recording of a user's processes ends well" 0 $?
for name in /tmp/early /tmp/late other; do phase $name 3; done
rm /tmp/early
wait
is "-u: of three programs the one that the user ran" "$(thread /tmp/early a)" \
	"$(perf_script -i user.data -F tid,ip,sym 2>/dev/null | awk '/^ *[0-9]+ *$/ { tid = $1 } /spin_a/ { print tid }' | sort -u)"

# More processes than a process may have descriptors at first; only the last one does anything.
# A subshell that waits is not executed, which takes a debug kernel minutes for 300 programs.
mkfifo never
exec 3<>never
idle=
for _ in $(seq 300); do
	read -r _ <&3 &
	idle=$idle$!,
done
exec 3>&-
spins other
spins many
(ulimit -S -n 256 && exec lbrctl record $opts -p $idle$pid -o many.data) 2>say &
record=$!
sampling
spun_until many $a
phase many 3
phase other 3
# shellcheck disable=SC2086
kill $(echo $idle | tr , ' ')
wait $record
is "-p: the last one of 301 processes" "$pid " "$(perf_script -i many.data -F pid,ip 2>/dev/null |
	awk '/^ *[0-9]+ *$/ { print $1 }' | sort -nu | tr '\n' ' ')"
wait

# The counters run for a task from the scheduler's hook on, when the task before it is still the
# current one.
cp relay inside
cp relay outside
taskset 1 ./outside 1 2000 &
succeeds "a program that takes turns with another" \
	taskset 1 lbrctl record -e cycles -c 10007 -o turns.data -- ./inside 1 1000
wait
is "the samples in its switches are its own" "inside " "$(of turns.data)"

# Three programs take turns on one CPU; two of them are in the cgroup. They sleep once, because a
# moved task counts from its next context switch on.
for name in first second outside; do cp loop $name; done
cat >three <<'END'
within() { echo 0 >/sys/fs/cgroup/$1/cgroup.procs && sleep 0.01 && exec ./$2; }
within one first &
within one/below second &
within two outside &
wait
END
succeeds "-G" taskset 1 lbrctl record -G one -e instructions:u -c 10007 -o g.data -- sh ./three
names=$(of g.data)
matches "-G: tasks in the cgroup and below it" '(^| )first .*second ' "$names"
is "-G: no other tasks" "" "$(echo "$names" | grep outside)"
near "-G: a sample for every 10007 instructions" $((2 * 20000004 / 10007)) \
	"$(perf_script -i g.data -F comm,ip 2>/dev/null | grep -Ec '^ *(first|second)')" 40
matches "-a has the others, too" "outside" "$(taskset 1 lbrctl record -a $opts -o ga.data -- \
	sh ./three 2>/dev/null; of ga.data)"
succeeds "-G, and a CPU without such tasks" lbrctl record -G one -C 1 $opts -o c.data -- \
	taskset 1 sh ./three
is "-G and a CPU without such tasks: no samples" "" "$(of c.data)"

# ours GROUP, theirs GROUP: how many instructions
ours() {
	taskset 1 lbrctl stat -G $1 -e instructions:u --json -- sh ./three 2>&1 >/dev/null |
		sed -n 's/.*"value": *\([0-9]*\).*/\1/p' | head -n 1
}
theirs() {
	taskset 1 perf stat -a -x, -e instructions:u -G $1 sh ./three 2>&1 >/dev/null |
		awk -F, '/instructions/ { print $1 }'
}
for group in one /; do
	near "lbrctl stat -G $group counts the same as perf" "$(theirs $group)" "$(ours $group)" 50000
done

# move PID GROUP: moves a process while it does not run: the module sees the move of a task when that
# begins to run again, as kmod/README.md says.
move() {
	kill -STOP $1
	succeeds "the process stops" await 600 grep -q '^State:.T' /proc/$1/status
	echo $1 >$cgroups/$2/cgroup.procs
	kill -CONT $1
}

# A program is moved into the cgroup and out again.
phase place 0
./places place &
places=$!
starts -G one -o m.data
spun_until place 1
phase place 3
move $places one
phase place 1
spun_until place 1
phase place 3
move $places two
phase place 2
spun_until place 1
phase place 4
wait $places
kill -INT $record
wait $record
is "-G: a task that is moved, while it is there" "1:many" "$(spun m.data)"

cat >trees <<'END'
(echo 0 >/sys/fs/cgroup/one/cgroup.procs && exec ./tree 200 200) &
(echo 0 >/sys/fs/cgroup/two/cgroup.procs && exec ./tree2 200 200) &
wait
END
succeeds "-G, with call stacks" \
	taskset 1 lbrctl record -G one -e instructions:u -c 100003 -o trees.data -- sh ./trees
perf script -i trees.data >trees.txt 2>/dev/null
is "-G, with call stacks: not of the other program" 0 "$(grep -c tree2 trees.txt)"

# samples, times off the CPU and triggers of a cgroup at once; the short sleep is for the move,
# as above
cat >both <<'END'
within() { echo 0 >/sys/fs/cgroup/$1/cgroup.procs && sleep 0.01 && sleep 1 && exec ./$2; }
within one first &
within two outside &
wait
END
succeeds "-G, with times off the CPU and triggers" lbrctl record -G one -e instructions:u -c 10007 \
	--off-cpu=500ms --trigger exec --trigger exit -o both.data -- sh ./both
# told EVENT: the names of the tasks that have samples of this event
told() {
	lbrctl script -i both.data -e "$1" 2>/dev/null | awk '/^[^ \t]/ { print $1 }' | sort -u | xargs
}
near "-G, with both: a sample for every 10007 instructions" $((20000004 / 10007)) \
	"$(lbrctl script -i both.data -e instructions:u | grep -c '^first')" 40
is "-G, with both: no other task has a sample" "" "$(of both.data | grep outside)"
is "-G, with both: the waiting task, and the task that waits for it" "sh sleep" "$(told offcpu-time)"
is "-G, with both: each program, two sleeps and one more" 3 \
	"$(lbrctl script -i both.data -e exec | grep -c '^[^ 	]')"
is "-G, with both: and its end" "first sleep" "$(told exit)"

# only a trigger in the cgroup ends its flight recorder
for trigger in event:instructions:u off-cpu:500ms; do
	starts -G one --flight --off-cpu --trigger $trigger -o flight.data
	./loop
	sleep 1
	is "-G, $trigger: other tasks do not end the recording" yes "$(kill -0 $record && echo yes)"
	sh -c "echo 0 >$cgroups/one/cgroup.procs && sleep 0.01 && sleep 1 && ./loop"
	wait $record
	is "-G, $trigger: ends well" 0 $?
	is "-G, $trigger: it is the last record" "$(echo $trigger | sed 's/off-cpu.*/offcpu-time/;s/event://')" \
		"$(perf_script -i flight.data -F event | awk 'NF { last = $1 } END { sub(/:$/, "", last); print last }')"
done

matches "no such cgroup" "no cgroup none" "$(lbrctl record -G none -o no.data 2>&1)"
matches "no such thread" "no thread 4000000" "$(lbrctl record -t 4000000 -o no.data 2>&1)"
matches "a thread is not a process" "is a thread, not a process" \
	"$(spins file && lbrctl record -p "$(thread file a)" -o no.data 2>&1)"
phase file 3

succeeds "lbrctl unload" lbrctl unload
is "the kernel log has no warning" "" \
	"$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
