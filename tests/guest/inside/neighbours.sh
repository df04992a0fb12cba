# SPDX-License-Identifier: GPL-2.0
# The machine panics on a warning.  CPU 1 is isolated (nohz_full) and runs somebody else's loop.
. ./lib.sh

modprobe lbrscope || exit 1
insmod wedge.ko || exit 1
chmod 666 /dev/lbrscope
is "CPU 1 is isolated" 1 "$(cat /sys/devices/system/cpu/nohz_full)"

# A crowd of commands.  The times are those of the emulated machine: no result, but a figure.
threads=200
said=$(./neighbours stall 1000 $threads commands)
# shellcheck disable=SC2086
set -- $said
at_most "of $threads threads that send commands of a session, few wait at a time ($said)" 20 "${6:-99999}"
at_least "the others are refused" $threads "${8:-0}"
said=$(./neighbours stall 1000 $threads info)
# shellcheck disable=SC2086
set -- $said
is "no INFO_GET waits ($said)" 0 "${6:-none}"

# STARTs patch code that all CPUs execute.
said=$(./neighbours starts 1000 1)
matches "a user starts ten sessions in a second, not more" '^started 10 then Resource temporarily' "$said"
at_most "what follows the first STOP does not interrupt an isolated CPU" 10 \
	"$(echo "$said" | sed -n 's/^interrupts //p')"
matches "the refusal says when the next one is allowed" 'STARTs in a second.* in [0-9]+ ms' "$said"
sleep 1
succeeds "lbrctl waits that long" su user -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	lbrctl stat -e instructions -- true 2>/tmp/said || exit 1; done'
matches "lbrctl says which CPUs it does not measure" 'CPUs 1 are isolated' "$(cat /tmp/said)"
matches "a user cannot name the isolated CPU" 'not permitted: .*CPU 1, which is isolated' "$(./neighbours name 1000 1)"
is "a user can name the other one" "Success: " "$(./neighbours name 1000 0)"

# Requests for which the isolated CPU, or any that runs none of the user's tasks, would have been
# interrupted.
taskset 2 sh -c 'while :; do :; done' &
loop=$!
sleep 1
./neighbours poke 1000 1 >poked
while read -r how nr; do
	at_most "300 requests do not interrupt an isolated CPU: $how" 10 "$nr"
done <poked
is "all requests were sent" 5 "$(wc -l <poked)"
kill $loop

# The hooks, which stay for a second.
probes() { sort </sys/module/wedge/parameters/probes | xargs; }
sleep 1.5
is "no hook is left" "sched_switch 0 sched_waking 0" "$(probes)"
lbrctl record --off-cpu --waker -o off.data -- true 2>/dev/null
matches "the hooks of an off-CPU recording stay for the next one" "sched_waking 1" "$(probes)"
lbrctl record -e instructions:u -o on.data -- sleep 5 2>/dev/null &
recorder=$!
sleep 3
is "the next one loses those that it does not need" "sched_switch 1 sched_waking 0" "$(probes)"
wait $recorder
su user -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do lbrctl stat -e instructions -- sleep 0.5; done' 2>/dev/null &
loop=$!
sleep 1
lbrctl record --off-cpu --waker -o off.data -- true 2>/dev/null
sleep 3
matches "sessions in a row do not keep the hooks of one that preempted them" \
	"^sched_switch [01] sched_waking 0$" "$(probes)"
wait $loop

rmmod wedge
succeeds "rmmod" rmmod lbrscope
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
