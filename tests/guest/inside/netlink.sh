# SPDX-License-Identifier: GPL-2.0
# The machine panics on a warning.
. ./lib.sh

is "the machine panics on a warning" 1 "$(cat /proc/sys/kernel/panic_on_warn)"
modprobe lbrscope || exit 1
./crowd 96 300 || failed=1
insmod wedge.ko && ./wedged || failed=1
# While a uprobe waits for the memory, the machine cannot fork, and lbrctl cannot end.
told() {
	while read -r line; do
		case $line in *'starting the session'*) return 0 ;; esac
	done <said
	return 1
}
sleep 1000 &
victim=$!
# A process that still begins waits for its memory as a writer, and readers of its maps wait behind it.
succeeds "the victim sleeps" await 600 sh -c "tr '\\0' ' ' </proc/$victim/cmdline | grep -q 'sleep 1000' &&
	grep -q '^State:.S' /proc/$victim/status"
file=$(readlink -f /proc/$victim/exe)
echo $victim >/sys/module/wedge/parameters/hold
: >said
lbrctl record -a --trigger "uprobe:$file:+0x2000" -o no.data >said 2>&1 &
recorder=$!
while ! told && kill -0 $recorder; do :; done
echo 0 >/sys/module/wedge/parameters/hold
wait $recorder
is "lbrctl does not wait for locked memory for ever" 1 $?
matches "it says what keeps it" 'keeps its memory locked' "$(cat said)"
kill $victim
rmmod wedge
./crossfire 3 8 1 || failed=1
succeeds "rmmod" rmmod lbrscope
is "the kernel log has no warning" "" \
	"$(dmesg | grep -E 'cut here|BUG:|deprecated workqueue')"
finish
