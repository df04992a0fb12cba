# SPDX-License-Identifier: GPL-2.0
# The machine panics on a warning.
. ./lib.sh

is "the machine panics on a warning" 1 "$(cat /proc/sys/kernel/panic_on_warn)"
modprobe lbrscope || exit 1
./crowd 96 300 || failed=1
insmod wedge.ko && ./wedged || failed=1
rmmod wedge
./crossfire 3 8 1 || failed=1
succeeds "rmmod" rmmod lbrscope
is "the kernel log has no warning" "" \
	"$(dmesg | grep -E 'cut here|BUG:|deprecated workqueue')"
finish
