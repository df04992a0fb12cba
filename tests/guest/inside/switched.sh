# SPDX-License-Identifier: GPL-2.0
# The same work with many switches: not recorded, recorded with all work at context switches,
# and with a budget for that. The meter shows the cost; lbrctl reads at the end only.
. ./lib.sh

modprobe lbrscope || exit 1
# rounds is of a real-time priority, and may have all of a second
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
./rounds 4 2000
# record BUDGET ROUNDS
record() {
	succeeds "lbrctl record --budget $1" lbrctl record -a --flight=8M -e dummy --off-cpu=0 \
		--budget "$1" -o "$1.data" -- ./rounds "$2" 2000
	printf '%s\n' "$said" >"$1.txt"
}
record 50 5
# a window that took too much is made up for by later ones
record 5 12
finish
