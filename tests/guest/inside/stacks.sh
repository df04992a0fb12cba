# SPDX-License-Identifier: GPL-2.0
# Cases of ./stacks: the first line of ./cases is BRANCHES, the others are cases.
. ./lib.sh

branches=$(head -n 1 cases)
succeeds "lbrctl load" lbrctl load
chmod 666 /dev/lbrscope
chmod 1777 /tmp
for case in $(tail -n +2 cases); do
	./stacks "$case" "$branches" || failed=1
done
succeeds "lbrctl unload" lbrctl unload
is "the kernel log has no warning" "" \
	"$(dmesg | grep -E 'cut here|BUG:|WARNING: (CPU|sus|inc|pos)|Uhhuh|Dazed|NMI received')"
finish
