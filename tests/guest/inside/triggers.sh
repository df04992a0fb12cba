# SPDX-License-Identifier: GPL-2.0
# The fields that are read at a trigger, on the model of CPU in the file `model`. The host
# judges the files that need a disassembler.
. ./lib.sh
. ./model.sh
. ./fired.sh

read -r model <model
facts "$model" || exit 1
cpus=$(grep -c ^processor /proc/cpuinfo)
on="$model, $cpus CPUs"

lbrctl load || exit 1

# QEMU takes each step over a uprobe's instruction for another hit of the watchpoint.
watch="--trigger $store"
probes="--trigger uprobe:./triggers:known --trigger kprobe:$asked --trigger kretprobe:$asked"

# shellcheck disable=SC2086
{
	record watch.history 100 -j any,u -e instructions:u $watch -- ./triggers
	record probes.history 300 -j any,u -e instructions:u $probes -- ./triggers
	record kernel.history 200 -j any,u,k -e instructions:u $watch --trigger kprobe:$asked -- ./triggers
	for name in watch probes kernel; do
		perf_script -i $name.history.data -F event,ip,brstack >$name.history.txt
	done
	if [ "$stacks" = yes ]; then
		record watch.calls 100 -e instructions:u $watch -- ./triggers
		record probes.calls 300 -e instructions:u $probes -- ./triggers
		for name in watch probes; do
			lbrctl script --no-inline -i $name.calls.data >$name.calls.txt
		done
	fi
}

is "the kernel log has no warning, $on" "" \
	"$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
succeeds "lbrctl unload, $on" lbrctl unload
finish
