# SPDX-License-Identifier: GPL-2.0
# CPU 1 comes online under record -a, and somebody uses its counters before the module does.
. ./lib.sh

online=/sys/devices/system/cpu/cpu1/online
modprobe lbrscope && modprobe msr || exit 1
for register in "0x186 0x4300c0" "0x38f 1"; do
	# shellcheck disable=SC2086
	taskset 1 ./poke 1 $register insist &
	pokers="$pokers $!"
done
sleep 0.5
echo 0 >$online
lbrctl record -a --no-lbr -e instructions:u -c 20011 -o j.data 2>said &
recorder=$!
sampling
echo 1 >$online
taskset 2 ./loop
# shellcheck disable=SC2086
kill $pokers
kill -INT $recorder
wait $recorder
is "a CPU whose counters are in use: it is not sampled" 0 \
	"$(lbrctl script -i j.data -F comm,cpu | grep -c 'loop .*\[001\]')"
matches "a CPU whose counters are in use: the loss is told" 'lost [1-9]' "$(cat said)"
succeeds "rmmod" rmmod lbrscope
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
