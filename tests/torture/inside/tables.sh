# SPDX-License-Identifier: GPL-2.0
# Unwinding tables made at random, on the CPU model and with the seed of the file "plan".
. ./lib.sh

. ./plan
. ./seconds
lbrctl load || exit 1
# shellcheck disable=SC2086 # clock is no argument, or one
./tables "$seconds" "$seed" $clock >tables.out 2>&1
is "tables on $model: status" 0 $?
cat tables.out
await 60 rmmod lbrscope 2>/dev/null
is "the module can be unloaded" "" "$(lsmod | grep ^lbrscope)"
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
