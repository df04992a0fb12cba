# SPDX-License-Identifier: GPL-2.0
# Switches a tracepoint of the busiest path of the kernel on and off while both CPUs run
# through it: the kernel patches its own code each time.
. ./lib.sh

for _ in 1 2 3; do
	(while :; do usleep 100; done) &
	busy="$busy $!"
done
switch=/sys/kernel/tracing/events/sched/sched_switch/enable
[ -e $switch ] || mount -t tracefs none /sys/kernel/tracing
echo 0 >/sys/kernel/tracing/tracing_on
i=0
while [ $i -lt 40 ]; do
	echo 1 >$switch
	echo 0 >$switch
	i=$((i + 1))
done
# shellcheck disable=SC2086
kill $busy
is "code that is patched under running CPUs" 40 $i
finish
