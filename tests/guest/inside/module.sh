# SPDX-License-Identifier: GPL-2.0
# The module by itself: refusals, memory after sessions, and some seconds of the fuzzers.
. ./lib.sh
. ./session.sh

modprobe lbrscope || exit 1
./client refusals || failed=1

before=$(grep -E '^(Slab|VmallocUsed|Percpu)' /proc/meminfo | awk '{ n += $2 } END { print n }')
i=0
while [ $i -lt 40 ]; do
	hold hold 10007 && if [ $((i % 2)) = 0 ]; then let_go; else kill_it; fi
	i=$((i + 1))
done
after=$(grep -E '^(Slab|VmallocUsed|Percpu)' /proc/meminfo | awk '{ n += $2 } END { print n }')
# 40 sessions with a ring of 64 KiB on each of two CPUs are 5 MiB
same_memory "40 sessions leave no memory behind (KiB)" "$before" "$after" 2048

# 24 bytes a sample and 64 KiB on each of two CPUs hold some 5400 of them
hold hold 10007
./loop && ./loop && ./loop
let_go
is "no reader: produced = delivered + lost" "$(count produced)" "$(($(count delivered) + $(lost)))"
near "no reader: a sample fell due for every 10007 instructions of the loop" \
	$((3 * 20000004 / 10007)) "$(count produced)" 300
matches "no reader: some are lost" '^[1-9]' "$(lost)"

if [ -e /sys/devices/system/cpu/cpu1/online ]; then
	hold hold 10007
	for _ in 1 2 3 4 5; do
		echo 0 >/sys/devices/system/cpu/cpu1/online
		./loop
		echo 1 >/sys/devices/system/cpu/cpu1/online
		taskset 2 ./loop
	done
	let_go
	is "CPU 1 goes and comes: produced = delivered + lost" "$(count produced)" \
		"$(($(count delivered) + $(lost)))"
	near "CPU 1 goes and comes: a sample for every 10007 instructions" \
		$((10 * 20000004 / 10007)) "$(count produced)" 2000
fi

# Some seconds of the fuzzers of tests/torture, of root and of an ordinary user, with the right
# to open the device.
chmod 666 /dev/lbrscope
chmod 777 .
# Other seeds are for tests/torture.
seed=1
su user -c "./messages 2 8 1000000 $seed" >user.out 2>&1 &
./messages 4 8 1000000 "$((seed + 1))" >root.out 2>&1
is "random messages of root: status" 0 $?
wait $!
is "random messages of a user: status" 0 $?
./mappings 3 6 1000000 "$seed" >mappings.out 2>&1
is "random mappings: status" 0 $?
cat root.out user.out mappings.out
if grep -q '^not ok' root.out user.out mappings.out; then failed=1; fi
./client refusals >refusals.out || not_ok "the module is as it was after them" "$(grep -A3 '^not ok' refusals.out)"
await 300 rmmod lbrscope 2>/dev/null
is "the module can be unloaded afterwards" "" "$(lsmod | grep ^lbrscope)"
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
