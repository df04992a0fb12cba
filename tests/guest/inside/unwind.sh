# SPDX-License-Identifier: GPL-2.0
# ./unwind, on one CPU model.
. ./lib.sh

succeeds "lbrctl load" lbrctl load
chmod 666 /dev/lbrscope
./unwind || failed=1
succeeds "lbrctl unload" lbrctl unload
is "the kernel log has no warning" "" \
	"$(dmesg | grep -E 'cut here|BUG:|WARNING: (CPU|sus|inc|pos)|Uhhuh|Dazed|NMI received')"
finish
