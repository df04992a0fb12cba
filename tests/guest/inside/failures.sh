# SPDX-License-Identifier: GPL-2.0
# The N-th of some calls of lbrctl fails (cli/fail.c), at each place that reports it: one
# message, the right status, no file and no session left behind, and the watchdog on again.
. ./lib.sh
. ./refused.sh

watchdog=/proc/sys/kernel/nmi_watchdog
# asks the lbrctl that runs it for a dump, or for the next file
printf '#!/bin/sh\nkill -USR2 $PPID\nsleep 0.3\n' >dump
chmod 755 dump

# each NAME: lines of CALL:N:ERRNO, status, regex, arguments
each() {
	while IFS='|' read -r call want regex args; do
		# shellcheck disable=SC2086
		refused "$1$call: lbrctl $args" "$want" "$regex" env LD_PRELOAD="$PWD/fail.so" FAIL="$call" lbrctl $args
		[ -z "$(find . -name '*bad.*')" ] || nothing_left "$1$call: lbrctl $args"
	done
}

# while it is not loaded
each "" <<CALLS
kmod_new:1:1|1|libkmod cannot be used|load
kmod_module_new_from_path:1:12|1|reading ./fail.so: Cannot allocate memory|load ./fail.so
kmod_module_probe_insert_module:1:1|1|loading module lbrscope: not permitted; run lbrctl as root|load
kmod_module_probe_insert_module:1:2|1|lbrscope is not installed for kernel $(uname -r): make install, .* or install the package lbrscope-dkms|load
kmod_module_probe_insert_module:1:8|1|lbrscope is not built for kernel $(uname -r)|load
kmod_module_probe_insert_module:1:129|1|lbrscope is not signed with a trusted key|load
kmod_module_probe_insert_module:1:126|1|lbrscope is not signed with a trusted key|load
kmod_module_probe_insert_module:1:12|1|loading module lbrscope: Cannot allocate memory|load
kmod_module_insert_module:1:1|1|loading module ./fail.so: not permitted|load ./fail.so
nl_socket_alloc:1:12|1|opening a netlink socket to the module: Cannot allocate memory|info
CALLS
succeeds "lbrctl load" lbrctl load
echo 0 >$watchdog
each "" <<CALLS
kmod_new:1:1|1|libkmod cannot be used|unload
kmod_module_new_from_name:1:12|1|unloading module lbrscope: Cannot allocate memory|unload
kmod_module_remove_module:1:1|1|unloading module lbrscope: not permitted; run lbrctl as root|unload
kmod_module_remove_module:1:11|1|lbrscope is in use: a session is open; end its lbrctl record|unload
kmod_module_remove_module:1:5|1|unloading module lbrscope: Input/output error|unload
nl_send_auto:1:5|1|asking the module for its capabilities: Input/output error|info
nl_send_auto:2:5|1|reading the registers of CPU 0: Input/output error|regs
nl_send_auto:1:5|1|asking the module for its capabilities: Input/output error|record -a -o bad.data
nl_send_auto:2:5|125|the module refused the session: Input/output error|record -o bad.data -- true
nl_send_auto:3:5|125|starting the session: Input/output error|stat -- true
nl_send_auto:4:5|125|stopping the session: Input/output error|stat -- true
nl_send_auto:5:5|125|reading the session's counts: Input/output error|stat -- true
nl_send_auto:6:5|125|reading the counts of CPU 0: Input/output error|stat -- true
nl_send_auto:6:5|125|reading the counts of threads: Input/output error|stat --per-thread -- true
pipe2:1:24|125|starting true: Too many open files|record -o bad.data -- true
pipe2:2:24|125|starting true: Too many open files|record -o bad.data -- true
fork:1:11|125|starting true: Resource temporarily unavailable|record -o bad.data -- true
read:1:5|126|starting true: Broken pipe|record -o bad.data -- true
syscall:1:24|125|starting true: Too many open files|record -o bad.data -- true
syscall:3:13|125|opening perf's task events on CPU 0: Permission denied|record -o bad.data -- true
signalfd:1:24|125|watching for signals: Too many open files|record -o bad.data -- true
signalfd:2:24|125|watching for signals: Too many open files|record --flight -o bad.data -- true
epoll_create1:1:24|1|watching processes: Too many open files|record -p $$ -o bad.data
timerfd_create:1:24|1|watching threads: Too many open files|record -t $$ -o bad.data
epoll_ctl:1:12|1|watching process $$: Cannot allocate memory|record -p $$ -o bad.data
syscall:1:24|1|opening process $$: Too many open files|record -p $$ -o bad.data
flock:1:37|125|locking bad.data.partial: No locks available|record -o bad.data -- true
open:1:24|125|opening /dev/lbrscope: Too many open files|record -o bad.data -- true
open:1:13|125|no permission to open /dev/lbrscope: |record -o bad.data -- true
open:1:2|125|/dev/lbrscope does not exist: module lbrscope is not loaded; run 'lbrctl load'|record -o bad.data -- true
open:5:24|125|creating bad.data.partial: Too many open files|record -o bad.data -- true
mmap:1:12|125|mapping the ring of CPU 0: Cannot allocate memory|record -o bad.data -- true
mmap:2:12|125|mapping the tail of the ring of CPU 0: Cannot allocate memory|record -o bad.data -- true
mmap:3:1|125|opening perf's task events on CPU 0: Operation not permitted|record -o bad.data -- true
poll:1:12|125|waiting for samples: Cannot allocate memory|record -o bad.data -- true
pread:1:5|125|reading bad.data.partial: Input/output error|record --flight -c 10007 -o bad.data -- ./dump
fclose:8:12|125|out of memory|record --call-graph lbr -o bad.data -- true
rename:1:5|125|renaming bad.data to bad.data.old: Input/output error|record -o bad.data -- true
rename:2:5|125|renaming bad.data.partial to bad.data: Input/output error|record -o bad.data -- true
none:0:0|125|--topdown: there are more than 64 events|stat --topdown -e $(yes instructions:u | head -n 64 | paste -sd,) -- true
uname:1:14|125|asking for the kernel's release: Bad address|record -o bad.data -- true
fopen:3:24|125|reading /sys/devices/system/cpu/possible: Too many open files|record -o bad.data -- true
memory:1:12|125|out of memory|record -o bad.data -- true
memory:2:12|125|out of memory|record -o bad.data -- true
memory:9:12|125|reading call stacks: Cannot allocate memory|record -o bad.data -- true
poll:1:12|125|waiting for the end: Cannot allocate memory|stat -- true
signalfd:1:24|125|watching for signals: Too many open files|stat -- true
fflush:1:28|125|writing the counts: No space left on device|stat -I 10s -o bad.txt -- true
linkat:1:28|125|moving the finished file to bad.txt: No space left|stat -o bad.txt -- true
memory:1:12|125|out of memory|stat -- true
CALLS
nothing_left "calls that failed"
# what was safe before a disk fails is kept
for call in write:5:5 write:5:28 ftruncate:1:5 fsync:1:5; do
	FAIL=$call LD_PRELOAD=$PWD/fail.so lbrctl record -m 8M -e instructions:u -c 10007 -b -o bad.data -- \
		sh -c './loop; ./loop; ./loop; ./loop' 2>said
	is "$call: record fails" 125 $?
	matches "$call: the message names the file that is kept" \
		"^lbrctl: writing bad.data: .*; what was written before is in bad.data.partial, -i bad.data.partial reads it" "$(cat said)"
	is "$call: and it can be read" 1 $(($(lbrctl script -i bad.data.partial 2>/dev/null | grep -c '^ *loop ') > 50))
	rm -f bad.*
done
FAIL=fsync:2:5 LD_PRELOAD=$PWD/fail.so lbrctl record -o bad.data -- ./loop 2>said
is "the folder cannot be written: record fails" 125 $?
matches "the folder cannot be written: says so" \
	"^lbrctl: writing the folder of bad.data, whose capture is complete: Input/output error$" "$(cat said)"
succeeds "the folder cannot be written: the capture can be read" lbrctl report -i bad.data
rm -f bad.*
FAIL=unlink:1:1 LD_PRELOAD=$PWD/fail.so lbrctl record -o bad.data -- ./nonesuch 2>said
is "a recording that is given up and whose file cannot be removed: status" 127 $?
matches "a recording that is given up and whose file cannot be removed: the message names the file" \
	"^lbrctl: removing the incomplete bad.data.partial: Operation not permitted" "$(cat said)"
rm -f bad.*

# what a module of another version, or one at fault, and other CPUs might tell
each "told: " <<CALLS
nla_get_u32:9:77|125|this lbrctl does not know LBR format 77 of the module: use the lbrctl of the module's version|record -o bad.data -- true
nla_get_u32:11:0|125|this CPU or virtual machine has no branch records: record without -b and -j|record -b -o bad.data -- true
nla_get_u32:11:1|125|this CPU records only user-mode branches: add :u|record -b -o bad.data -- true
nla_get_u64:3:77|125|the module says it delivered 77 samples, but [0-9]* were read|record -e instructions:u -o bad.data -- true
nla_get_u64:19:77|125|the module says it delivered 77 times off the CPU, but [0-9]* were read|record --off-cpu -o bad.data -- true
CALLS
while IFS='|' read -r call regex args; do
	# shellcheck disable=SC2086
	FAIL=$call LD_PRELOAD=$PWD/fail.so lbrctl $args >said 2>&1
	is "optional: $call: lbrctl $args: the result is complete" 0 $?
	matches "optional: $call: lbrctl $args: a warning" "^lbrctl: warning: $regex" "$(cat said)"
done <<CALLS
nla_get_u64:4:77|the module had no memory for the branch records of 77 tasks|record -o good.data -- true
nla_get_u64:7:77|Linux missed 77 triggers: |record -o good.data -- true
nla_get_u64:4:77|the module had no memory for 77 tasks: they were not counted\$|stat --per-thread -- true
nla_get_u64:5:77|77 threads ended before their counts could be read|stat --per-thread -- true
nla_get_u64:13:77|another program used the counters without reserving them, on 77 CPUs|stat -- true
CALLS
echo 1 >threads
mount --bind threads /sys/devices/system/cpu/smt/active
matches "top-down where two threads share a core: a warning" \
	"^lbrctl: warning: two threads of a core share its slots" "$(lbrctl stat --topdown true 2>&1)"
umount /sys/devices/system/cpu/smt/active
chmod 666 /dev/lbrscope
refused "a flight recorder of a user without task events" 125 \
	"task events, which are denied to you .*: record without --flight and --switch-output, or as root" \
	su user -c "cd /tmp && lbrctl record --flight -o bad.data -- true"
chmod 600 /dev/lbrscope

# cgroups: none, one that is not there, and one that cannot be read
each "" <<CALLS
none:0:0|1|no cgroup v2 hierarchy is mounted: mount -t cgroup2|record -G bad -o bad.data
none:0:0|125|no cgroup v2 hierarchy is mounted: mount -t cgroup2|record --all-cgroups -o bad.data -- true
CALLS
mkdir -p groups && mount -t cgroup2 none groups
each "" <<CALLS
none:0:0|1|no cgroup bad in $PWD/groups|record -G bad -o bad.data
open:2:13|1|opening cgroup $PWD/groups/.: Permission denied|record -G . -o bad.data
fts_open:1:12|125|reading $PWD/groups: Cannot allocate memory|record --all-cgroups -o bad.data -- true
CALLS

# whole: which of the files that are there should not be, after $status. A dump, or a file that was
# switched from, stays whatever comes after it.
whole() {
	for file in $(find . -name '*bad.*'); do
		case "$status $file" in
		*.partial | [!0]*/bad.data | [!0]*/bad.txt) echo "$file" ;;
		*/bad.txt) ;;
		*) lbrctl script -i "$file" 2>&1 >/dev/null | grep -v 'no samples' ;;
		esac
	done
}

# without memory at one place after the other, from that on: refused, or done without. What recordings
# begin with is the same.
while read -r from args; do
	# shellcheck disable=SC2086
	FAIL=memory:0:0 FAIL_COUNT=count LD_PRELOAD=$PWD/fail.so lbrctl $args >out 2>err
	rm -f bad.*
	places=$(cat count) place=$((from - 1)) wrong=
	[ "$places" -gt "$from" ] || wrong="none there"
	while [ $((place += 1)) -le "$places" ]; do
		# shellcheck disable=SC2086
		FAIL=memory:$place:12 LD_PRELOAD=$PWD/fail.so timeout -s KILL 60 lbrctl $args >out 2>err
		status=$?
		left=$(whole)
		[ -z "$left" ] && { [ $status -eq 0 ] || { [ $status -eq 125 ] && grep -q '^lbrctl: .*memory' err; }; } ||
			wrong="$wrong $place: $status: $(cat err) $left"
		rm -f bad.*
	done
	is "without memory at each of places $from to $places: lbrctl $args" "" "$wrong"
done <<CALLS
1 record --all-cgroups -z -e instructions:u -o bad.data -- true
33 record --call-graph lbr --switch-output --switch-max-files 1 -o bad.data -- ./dump
60 record --call-graph lbr --flight -o bad.data -- ./dump
1 stat --per-thread -I 10s -o bad.txt -- true
CALLS
# read without memory on the host, which is faster
succeeds "a capture with much in it" lbrctl record --all-cgroups --stack-window=8192 -z -e cycles:u -c 20011 \
	-o rich.data -- ./forks 2 100
succeeds "one of branches" lbrctl record -b -e cycles:u -c 20011 -o branches.data -- ./forks 2 5

# what Linux says in its files
echo nonsense >nonsense
mount --bind nonsense /sys/devices/system/cpu/online
each "online: " <<CALLS
none:0:0|1|/sys/devices/system/cpu/online is not a list of CPUs|regs
CALLS
umount /sys/devices/system/cpu/online
echo 2 >/proc/sys/kernel/kptr_restrict
lbrctl record -a -o good.data -- true 2>said
matches "no addresses of the kernel: a warning" "^lbrctl: warning: /proc/kallsyms shows no addresses: samples in the kernel will have no names" "$(cat said)"
echo 0 >/proc/sys/kernel/kptr_restrict

# a file that cannot be removed is no reason to lose the others
mkdir files
FAIL=unlink:1:1 LD_PRELOAD=$PWD/fail.so lbrctl record --switch-output=1s --switch-max-files 1 -o files/f.data \
	-- sleep 3 2>said
matches "a file that cannot be removed: is named" "^lbrctl: removing the oldest file, files/f.data.[0-9]*: Operation not permitted" "$(cat said)"
for file in files/*; do
	succeeds "a file that cannot be removed: $file can be read" perf script -i "$file"
done

# SIGUSR2 after the last output
FAIL=rename:1:-12 LD_PRELOAD=$PWD/fail.so lbrctl record --flight -o good.data -- true 2>said
is "SIGUSR2 at the end: status" 0 $?
succeeds "SIGUSR2 at the end: the file can be read" perf script -i good.data

# a run waits for its command alone, so that the second is the second command's
FAIL=waitpid:2:-2 LD_PRELOAD=$PWD/fail.so lbrctl stat -r 3 -e instructions:u -- ./loop >said 2>&1
matches "a signal between two runs: the runs so far are printed" '^ *20,000,004  instructions:u' "$(cat said)"
matches "a signal between two runs: only complete runs" "mean of 2 runs" "$(cat said)"

# top, at a terminal
export TERM=linux TERMINFO="$PWD/terminfo"
mkdir -p terminfo/l && mv linux terminfo/l/
top() {
	timeout -s KILL 60 ./terminal env FAIL="$1" LD_PRELOAD="$PWD/fail.so" lbrctl top -a </dev/null >seen.txt
	is "$1: lbrctl top: status" 1 $?
	matches "$1: lbrctl top: says so" "lbrctl: $2" "$(cat seen.txt)"
	is "$1: lbrctl top: leaves no folder" "" "$(find /tmp -name 'lbrctl-top*')"
}
top mkdtemp:1:13 "making a folder in /tmp: Permission denied"
top memfd_create:1:24 "starting to record: Too many open files"
top pipe2:1:24 "starting to record: Too many open files"
top fork:1:11 "starting to record: Resource temporarily unavailable"
top syscall:1:24 "starting to record: Too many open files"
top memfd_create:2:24 "starting a thread: Too many open files"
top signalfd:1:24 "watching for signals: Too many open files"
TMPDIR=/$(printf '%05000d' 0)
export TMPDIR
top none:0:0 'the name in \$TMPDIR is too long'
unset TMPDIR
TERM=nonsuch
top none:0:0 "cannot draw on this terminal \\(\\\$TERM is 'nonsuch'\\)"

# the self-test writes what it has found so far
while IFS='|' read -r call regex; do
	FAIL=$call LD_PRELOAD=$PWD/fail.so lbrctl doctor --self-test -o found.json >said 2>err
	is "$call: doctor --self-test: status, and the file for a bug report" "1 1" "$? $(grep -c '^"checks":' found.json)"
	matches "$call: doctor --self-test: says so" "^lbrctl: $regex" "$(cat err)"
	rm -f found.json
done <<CALLS
fork:1:11|starting a program of the self-test: Resource temporarily unavailable
wait4:1:10|waiting for a program of the self-test: No child processes
nl_send_auto:6:5|reading the registers of CPU 0: Input/output error
nl_send_auto:11:5|reading the counts of CPU 0: Input/output error
kill:1:1|a program of the self-test could not run on CPU 0
CALLS

# the watchdog is on, and stays on
echo 1 >$watchdog
each "watchdog: " <<CALLS
socketpair:1:24|125|starting the process that restores the NMI watchdog: Too many open files|record -o bad.data -- true
fork:2:11|125|starting the process that restores the NMI watchdog: Resource temporarily unavailable|record -o bad.data -- true
read:2:5|125|switching off the NMI watchdog, which uses the PMU: Input/output error|stat -- true
CALLS
await 300 grep -qx 1 $watchdog	# the guardian without a recorder switches it on
is "watchdog: a guardian without a recorder switches it on" 1 "$(cat $watchdog)"
chmod 666 /dev/lbrscope
refused "the watchdog, for a user" 125 "the NMI watchdog uses the PMU, and only root can switch it off" \
	su user -c "cd /tmp && lbrctl record -o bad.data -- true"
chmod 600 /dev/lbrscope
lbrctl record -a -o good.data 2>said &
recorder=$!
sampling
for process in /proc/[0-9]*; do
	[ "$(cat "$process/comm" 2>/dev/null)" != nmi-guardian ] || kill -9 "${process#/proc/}"
done
kill -INT $recorder
wait $recorder
matches "the guardian is killed: a warning" "warning: the process that restores the NMI watchdog was killed" "$(cat said)"
is "the watchdog is on" 1 "$(cat $watchdog)"
is "no session is left" 0 "$(cat /sys/module/lbrscope/refcnt)"
finish
