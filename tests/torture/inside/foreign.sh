# SPDX-License-Identifier: GPL-2.0
# Foreign NMIs during a session of all CPUs, which is the only user of the PMU, while tasks switch and
# CPU 1 goes offline and online: counts the NMIs, and those that the kernel reports as unknown.
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
