# SPDX-License-Identifier: GPL-2.0
# The limits of users without privilege who can open the device.
. ./lib.sh

# crowd LIMIT ARGUMENTS...: starts ./sessions in a cgroup that has LIMIT bytes of memory for the
# sessions; returns when all of them have been requested
crowd() {
	rm -f crowd.in crowd.out
	mkfifo crowd.in
	limit=$1
	shift
	echo max >/sys/fs/cgroup/crowd/memory.max
	sh -c 'echo $$ >/sys/fs/cgroup/crowd/cgroup.procs && exec ./sessions "$@"' sh "$@" \
		<crowd.in >crowd.out 2>&1 &
	crowd=$!
	exec 8>crowd.in
	await 600 grep -q '^ready' crowd.out
	before=$(cat /sys/fs/cgroup/crowd/memory.current)
	[ "$limit" = max ] || limit=$((before + limit))
	echo $limit >/sys/fs/cgroup/crowd/memory.max
	echo >&8
	await 600 grep -q '^all' crowd.out
}
disperse() { exec 8>&- && wait $crowd; }
configured() { awk '$1 == "configured" { print $2 }' crowd.out; }

# held UID HOW: starts a session of this user; state: prints its state
held() {
	rm -f held.in held.out
	mkfifo held.in
	./sessions hold "$1" "$2" <held.in >held.out 2>&1 &
	held=$!
	exec 7>held.in
	await 300 test -s held.out
	is "a session of uid $1 that is $2" started "$(cat held.out)"
}
state() {
	: >held.out
	echo >&7
	await 100 test -s held.out
	cat held.out
}
drop() { exec 7>&- && wait $held; }

modprobe lbrscope idle_seconds=3 || exit 1
chmod 666 /dev/lbrscope
chmod 1777 /tmp
mount -t cgroup2 none /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/crowd

# A session with a ring of 1 MiB on each of two CPUs takes a little more than 2 MiB: there is
# room for 10, and for half of another.
kernel=$(uname -r)
case $kernel in
5.10.*) skip "rings are charged to the cgroup" "Linux 5.10 cannot map memory that is charged" ;;
*)
	crowd $((43 << 19)) many 2000 40 1048576
	is "within a cgroup with 21.5 MiB, of 40 users 10 have a session" 10 "$(configured)"
	matches "the others learn why" '^refused Cannot allocate memory: no memory for the session.*cgroup' "$(cat crowd.out)"
	at_least "the cgroup is charged for them" $((20 << 20)) \
		$(($(cat /sys/fs/cgroup/crowd/memory.current) - before))
	is "no process was killed for it" "oom_kill 0" "$(grep '^oom_kill ' /sys/fs/cgroup/crowd/memory.events)"
	disperse
	await 100 sh -c '[ $(cat /sys/fs/cgroup/crowd/memory.current) -lt 4194304 ]'
	at_most "a user gets the memory of an ended session back" 4194304 "$(cat /sys/fs/cgroup/crowd/memory.current)"
	;;
esac
# The machine has 2 GiB.
crowd max many 2000 100 1048576
at_most "without a limit all of them have 1/16 of the memory" 63 "$(configured)"
at_least "without a limit the sessions get all of that part" 40 "$(configured)"
matches "the others learn why" '^refused Cannot allocate memory: .*1/16' "$(cat crowd.out)"
disperse
crowd max within 1000 20 65536
is "a user's subordinate uids are himself" 1 "$(configured)"
matches "the others learn why" 'session already' "$(cat crowd.out)"
disperse
crowd max container 300000 3 65536
is "the users of a container have one session" 1 "$(configured)"
matches "the others learn why, and which process has it" 'session already .process [0-9]+.*container' "$(cat crowd.out)"
is "another container of root's has one, too" "configured 1" \
	"$(echo | ./sessions container 400000 3 65536 | grep ^configured)"
disperse

held 1000 silent
matches "the session that has the PMU runs" '^running ended 0' "$(state)"
# goes_on NAME TAKEN: the session runs, has TAKEN losses, and its number of samples grows
goes_on() {
	before=$(state) after=$(state)
	matches "$1: the other one goes on" "^running ended 0 taken $2 " "$after"
	at_least "$1: and is sampled" 10 $((${after##* } - ${before##* }))
}
matches "a privileged session does not start if its target has exited" \
	'^not started: .*exited' "$(./sessions fail exited)"
goes_on "its target has exited" 0
matches "a session does not start if the kernel refuses its trigger" \
	'^not started: .*trigger 0' "$(./sessions fail trigger)"
goes_on "its trigger was refused" 2
is "a privileged session takes the PMU from it" 0 "$(./sessions cycle 1 0-1 >&2; echo $?)"
matches "the owner of the preempted session learns that, and of a loss on both CPUs" '^stopped ended 1 taken 4 ' "$(state)"
drop

# The session of uid 1000 goes on five times on CPU 1, where its process has run on meanwhile.
./sessions calls 1000 5 >calls.out 2>&1 &
calls=$!
await 300 test -s calls.out
for i in 1 2 3 4 5; do
	taskset 1 ./sessions fail trigger >/dev/null
done
wait $calls
said=$(tail -n 1 calls.out)
matches "when a session goes on, no sample has calls from before # $said" '^samples [0-9]{2,} wrong 0$' "$said"

held 0 silent
matches "no session takes it from a privileged one" 'holds the PMU' "$(./sessions cycle 1 0-1)"
sleep 5
matches "a privileged session does not end by itself" '^running ended 0' "$(state)"
drop
held 1000 silent
await 600 in_use_by nobody
matches "a silent owner loses it" '^stopped ended 2 taken 2 ' "$(state)"
drop
for how in poll read; do
	held 1000 $how
	sleep 5
	matches "an active owner keeps it: $how" '^running ended 0' "$(state)"
	drop
done

# The behaviour of lbrctl in these cases.
cp tree.static /tmp
su user -c 'cd /tmp && exec lbrctl record -e instructions -c 100003 -o own.data -- sh -c "until [ -e preempted ]; do ./tree.static 300 200; done"' \
	>/dev/null 2>said.user &
recorder=$!
sampling
sleep 1
is "root records meanwhile" 0 "$(lbrctl record -a -e instructions:u -c 100003 -o root.data -- true >&2 2>said.root; echo $?)"
touch /tmp/preempted
wait $recorder
is "the user's recorder fails" 125 $?
matches "the user's recorder says why it fails" '^lbrctl: .*a privileged session' "$(cat said.user)"
cp /tmp/own.data own.data
is "the user's file has all samples until then" yes "$(lbrctl report -i own.data 2>&1 | grep -q 'tree.static' && echo yes)"
su user -c 'cd /tmp && exec lbrctl stat -e instructions -- sleep 8' >said.user 2>&1
is "counting a task that sleeps for long is not idle" 0 $?
su user -c 'cd /tmp && exec lbrctl stat -e instructions -- sleep 20' >said.user 2>&1 &
counter=$!
sampling
./sessions cycle 1 0-1
wait $counter
is "a count that is cut short fails" 125 $?
matches "a count that is cut short says why" '^lbrctl: .*a privileged session' "$(cat said.user)"

# CPU 1 takes no part. START and STOP would be 400 interrupts; Linux's own, wakings mostly,
# are among these, too.
calls() { awk '$1 == "CAL:" { print $3 }' /proc/interrupts; }
before=$(calls)
./sessions cycle 200 0
at_most "CPU 1 is not interrupted for 200 sessions of CPU 0 alone" 399 $(($(calls) - before))
lbrctl record -C 0 -e instructions:u -c 20011 -o one.data -- taskset 1 ./tree.static 20 200 >/dev/null 2>said ||
	not_ok "lbrctl record -C 0" "$(cat said)"
matches "a session of one CPU has samples" ' [1-9][0-9]+ samples from ' "$(cat said)"
succeeds "rmmod" rmmod lbrscope
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received|Fixing up')"
finish
