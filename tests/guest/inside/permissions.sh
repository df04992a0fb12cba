# SPDX-License-Identifier: GPL-2.0
# The device's permissions admit a user: the actions that are allowed, and the data that are
# visible.
. ./lib.sh

# as USER COMMAND...: as this user, in /tmp, where the user's files are
as() {
	who=$1
	shift
	su "$who" -c "cd /tmp && $*"
}

# refused NAME REGEX COMMAND...: the command of the user "user" prints one line and leaves no file
refused() {
	name=$1 regex=$2
	shift 2
	said=$(as user "$@" 2>&1 >/dev/null | grep -v '^lbrctl: warning')
	matches "$name" "^lbrctl: .*$regex" "$said"
	is "$name: no file is left" "" "$(find /tmp -name 'bad*')"
}

# comms FILE: the names of the tasks with samples; of PID FILE: the number of samples of this process;
# kernel FILE: the number of samples with an address of the kernel
comms() { perf_script -f -i "$1" -F comm 2>/dev/null | sort -u | tr -d ' ' | tr '\n' ' '; }
of() { perf_script -f -i "$2" -F pid 2>/dev/null | grep -cw "$1"; }
kernel() { perf_script -f -i "$1" -F ip,brstack 2>/dev/null | grep -Ec '(^|[^0-9a-f])(0x)?ffff[0-9a-f]{12}'; }
# more NAME LEAST N, few NAME N
more() { is "$1" yes "$([ "$3" -ge "$2" ] && echo yes || echo "$3")"; }
few() { is "$1" yes "$([ "$2" -lt 50 ] && echo yes || echo "$2")"; }

echo 'other:x:1001:1001:other:/tmp:/bin/sh' >>/etc/passwd
chmod 1777 /tmp
mount -t cgroup2 none /sys/fs/cgroup
cp tree tree.static rights /tmp
cp tree2 /tmp/setuid && chmod 4755 /tmp/setuid
cp tree2 /tmp/unreadable && chmod 711 /tmp/unreadable
cat >/tmp/programs <<'E2'
cd /tmp
./tree 50 200 & echo $! >/tmp/pid.own; wait
./setuid 150 200 & echo $! >/tmp/pid.setuid; wait
./unreadable 150 200 & echo $! >/tmp/pid.unreadable; wait
E2
# many system calls
echo 'i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); echo; done >/dev/null' >/tmp/calls
event="-c 20011 -e instructions"

succeeds "lbrctl load" lbrctl load
refused "the device is root's at first" "no permission to open /dev/lbrscope" "lbrctl record -o bad.data -- ./tree 1 1"
chown root:user /dev/lbrscope && chmod 660 /dev/lbrscope
refused_other=$(as other 'lbrctl record -o bad.data -- ./tree 1 1' 2>&1)
matches "a user who is not in its group" "no permission to open /dev/lbrscope" "$refused_other"

as other 'exec sleep 1000' &
until sleeper=$(pidof sleep); do sleep 0.1; done
./rights 1000 "$sleeper" || failed=1
refused "all processes" "CAP_PERFMON" "lbrctl record -a -o bad.data"
refused "another user's process" "belongs to another user" "lbrctl record -p $sleeper -o bad.data"
refused "an event of the kernel" "CAP_PERFMON" "lbrctl record -e cycles:k -o bad.data -- ./tree 1 1"
refused "branches of the kernel" "CAP_PERFMON" "lbrctl record -j any,k -o bad.data -- ./tree 1 1"
refused "the module" "ermi" "lbrctl unload"

# The owner of the PMU.
lbrctl record -a -c 1000003 -e instructions -o held.data -- sleep 1000 >/dev/null 2>&1 &
recorder=$!
sampling
./rights 1000 || failed=1
matches "info names a session of root's to root" "^in use by +lbrctl, pid $recorder" "$(lbrctl info)"
matches "info does not name a session of root's to a user" "^in use by +a process of another user" "$(as user lbrctl info)"
matches "info --json does not name a session of root's to a user" '"in_use":true,"owner":null,"owner_pid":null' "$(as user lbrctl info --json)"
refused "a recording beside it" "of another user.*end it" "lbrctl record -o bad.data -- ./tree 1 1"
kill $recorder
wait $recorder

# What an ordinary user may measure.
succeeds "a user records a command" as user "lbrctl record -e instructions -c 100003 -o own.data -- ./tree 300 200"
is "a user's command: its samples are in the file" "tree " "$(comms /tmp/own.data)"
lbrctl report -v -i /tmp/own.data >report
matches "the report says where mappings come from" '^# Mappings: from /proc' "$(cat report)"
matches "the report says that the event is of user mode" '^# Event: instructions:u,' "$(cat report)"
lbrctl script --no-inline -i /tmp/own.data >own.txt
as user 'exec ./tree.static 20000 200' >/dev/null &
until pid=$(pidof tree.static); do sleep 0.1; done
succeeds "a user records a process of his" as user "lbrctl record $event -p $pid -o own.data -- sleep 2"
is "a user's process: its samples are in the file" "tree.static " "$(comms /tmp/own.data)"
kill $pid
succeeds "a user records stacks and cgroups" as user \
	"lbrctl record $event --stack-window --all-cgroups -o own.data -- ./tree 20 200"
is "a user's stacks and cgroups: the samples are in the file" "tree " "$(comms /tmp/own.data)"
near "a user counts" "$(lbrctl stat -e instructions:u --json -- ./tree.static 50 200 2>&1 >/dev/null | sed 's/.*"value":\([0-9]*\).*/\1/')" \
	"$(as user 'lbrctl stat -e instructions --json -- ./tree.static 50 200 2>&1 >/dev/null' | sed 's/.*"value":\([0-9]*\).*/\1/')" 20000
echo -1 >/proc/sys/kernel/perf_event_paranoid
as user "lbrctl record $event -o own.data -- ./tree 20 200" >/dev/null 2>&1
is "with perf's task events, the report has no note on mappings" "" \
	"$(lbrctl report -i /tmp/own.data | grep Mappings)"
echo 3 >/proc/sys/kernel/perf_event_paranoid

# The user sees nothing of the kernel, where root does.
lbrctl record $event:u -j any,u -o calls.data -- sh /tmp/calls 2>/dev/null
more "root sees where the kernel returns from" 10 "$(kernel calls.data)"
as user "lbrctl record $event -b -o own.data -- sh calls" 2>/dev/null
more "a user records branches" 500 "$(of . /tmp/own.data)"
is "the samples have nothing of the kernel" 0 "$(kernel /tmp/own.data)"
lbrctl record $event:u --off-cpu=0 -o calls.data -- sh -c 'sleep 0.2; ./tree 20 200' 2>/dev/null >&2
matches "root sees where the kernel sleeps" 'ffff[0-9a-f]{12}' "$(perf_script -f -i calls.data -F event,ip 2>/dev/null)"
as user "lbrctl record $event --off-cpu=0 -o own.data -- sh -c 'sleep 0.2; ./tree 20 200'" 2>/dev/null >&2
perf_script -f -i /tmp/own.data -F event,ip >offcpu 2>/dev/null
matches "a user records times off the CPU" 'offcpu' "$(cat offcpu)"
is "the samples have nothing of the kernel" "" "$(grep -E 'ffff[0-9a-f]{12}' offcpu)"

# Programs with more rights than the user.
lbrctl record $event:u -o all.data -- sh /tmp/programs >/dev/null 2>&1
more "root sees a set-uid program" 500 "$(of "$(cat /tmp/pid.setuid)" all.data)"
more "root sees a program that is not readable for all" 500 "$(of "$(cat /tmp/pid.unreadable)" all.data)"
rm /tmp/pid.*
said=$(as user "lbrctl record $event -o own.data -- sh programs 2>&1 >/dev/null")
matches "a warning about tasks that were not measured" '2 tasks were not measured.*set-uid program' "$said"
# By pid: the name comes from /proc, which a late recorder reads after the program's end.
more "a user sees his own programs" 500 "$(of "$(cat /tmp/pid.own)" /tmp/own.data)"
few "a user does not see a set-uid program" "$(of "$(cat /tmp/pid.setuid)" /tmp/own.data)"
few "a user does not see a program that he must not read" "$(of "$(cat /tmp/pid.unreadable)" /tmp/own.data)"
matches "a user does not see the counts of such programs" '^[0-9]{1,7}$' \
	"$(as user 'lbrctl stat -e instructions --json -- sh -c "./setuid 150 200" 2>&1 >/dev/null' | sed -n 's/.*"value":\([0-9]*\).*/\1/p')"
as user 'exec ./unreadable 20000 200' >/dev/null &
until pid=$(pidof unreadable); do sleep 0.1; done
refused "a process that he must not read" "a program with more rights" "lbrctl record -p $pid -o bad.data"
kill $pid

# Other tasks run between the steps of an exec.
echo 'i=0; while [ $i -lt 150 ]; do i=$((i + 1)); /bin/busybox true; done' >/tmp/execs
for us in 200 300; do
	(while :; do taskset 1 usleep $us; done) &
	others="$others $!"
done
said=$(as user "taskset 1 lbrctl record $event -o own.data -- sh execs" 2>&1 >/dev/null)
matches "a user records programs that are loaded" ' [0-9]+ samples from ' "$said"
is "no measured program has more rights than the user" "" "$(echo "$said" | grep 'set-uid')"
# shellcheck disable=SC2086
kill $others

# Root of a user namespace has no privilege here.
refused "all processes, for root of a user namespace" "CAP_PERFMON" "unshare -Ur lbrctl record -a -o bad.data"
refused "registers, for root of a user namespace" "CAP_PERFMON" "unshare -Ur lbrctl regs"
as user 'exec ./tree.static 20000 200' >/dev/null &
until pid=$(pidof tree.static); do sleep 0.1; done
refused "a process outside of it" "a program with more rights" "unshare -Ur lbrctl record -p $pid -o bad.data"
kill $pid
succeeds "a command inside of it" as user "unshare -Ur lbrctl record $event -o own.data -- ./tree 20 200"
is "a command inside of the user namespace: its samples are in the file" "tree " "$(comms /tmp/own.data)"

# Pids are those of the caller's namespace.
unshare -p -f sh -c 'mount -t proc proc /proc && lbrctl record -e instructions:u -c 20011 -o ns.data -- sh -c "echo \$\$ >ns.pid; exec ./tree 20 200"' \
	>/dev/null 2>&1
is "pids are those of the caller's namespace" "$(cat ns.pid)" "$(perf_script -f -i ns.data -F pid 2>/dev/null | sort -u | tr -d ' ')"

mount -t securityfs none /sys/kernel/security
if [ -e /sys/kernel/security/lockdown ]; then
	echo confidentiality >/sys/kernel/security/lockdown
	matches "a kernel that is locked down: record" "locked down" \
		"$(lbrctl record -o bad.data -- ./tree 1 1 2>&1)"
	matches "a kernel that is locked down: regs" "locked down" "$(lbrctl regs 2>&1)"
	succeeds "a kernel that is locked down: info" lbrctl info
else
	skip "a kernel that is locked down" "this one cannot be"
fi
is "the kernel log has no warning" "" \
	"$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
