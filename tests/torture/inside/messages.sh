# SPDX-License-Identifier: GPL-2.0
# Random netlink messages of root and of an ordinary user at the same time, on the debug kernel
# with allocations that fail as well. Their numbers and the seed come from the file "plan".
. ./lib.sh

. ./plan
[ -e seconds ] && . ./seconds
fault() { [ ! -e "/sys/kernel/debug/$1/$2" ] || echo "$3" >"/sys/kernel/debug/$1/$2"; }

[ -e lbrscope.ko ] && insmod ./lbrscope.ko || lbrctl load || exit 1
modprobe msr 2>/dev/null
./regs >before
chmod 666 /dev/lbrscope
mkdir /cgroup
mount -t cgroup2 none /cgroup
for kind in failslab fail_page_alloc fail_usercopy; do
	fault $kind verbose 0
	fault $kind ignore-gfp-wait N
	fault $kind ignore-gfp-highmem N
done
fault fail_page_alloc min-order 0
chmod 777 .
# the messages of failed allocations would take all the time
dmesg -n 1

su user -c "./messages 4 $seconds $messages $((seed + 1))" >user.out 2>&1 &
./messages "$threads" "$seconds" "$messages" "$seed" >root.out 2>&1
root=$?
if [ -n "$faults" ]; then
	./messages "$threads" "$((seconds / 2))" "$messages" "$((seed + 2))" faults >faults.out 2>&1
	is "messages with allocations that fail: status" 0 $?
	cat faults.out
fi
wait $!
is "messages of a user: status" 0 $?
cat root.out user.out
is "messages of root: status" 0 $root
await 300 rmmod lbrscope 2>/dev/null
is "the module can be unloaded when they have ended" "" "$(lsmod | grep ^lbrscope)"
[ ! -e coverage.sh ] || . ./coverage.sh
same_registers "random messages"
# with kmemleak=off its file cannot be read
if [ -e /sys/kernel/debug/kmemleak ] && ! grep -q kmemleak=off /proc/cmdline; then
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	echo scan >/sys/kernel/debug/kmemleak
	is "kmemleak finds nothing" "" "$(head -c 3000 /sys/kernel/debug/kmemleak)"
fi
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
