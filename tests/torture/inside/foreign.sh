# SPDX-License-Identifier: GPL-2.0
# NMIs of others beside a session of all CPUs, which has the PMU to itself, while tasks switch and
# CPU 1 goes and comes: how many NMIs there were, and how many the kernel did not know.
. ./lib.sh

echo 0 >/proc/sys/kernel/unknown_nmi_panic
dmesg -n 1
lbrctl load || exit 1
(until [ -e over ]; do ./relay 2 2000; sleep 0.1; done) >/dev/null 2>&1 &
(until [ -e over ]; do
	sleep 0.7
	echo 0 >/sys/devices/system/cpu/cpu1/online
	sleep 0.2
	echo 1 >/sys/devices/system/cpu/cpu1/online
done) 2>/dev/null &
succeeds "a recording beside foreign NMIs" lbrctl record -a -g -e cycles -c 10009 --off-cpu=0 --waker -o f.data -- \
	sh -c './loop; ./forks 5 5; ./forks 20 5'
touch over
wait
. ./nmis.sh
succeeds "unload" lbrctl unload
finish
