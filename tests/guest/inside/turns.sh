# SPDX-License-Identifier: GPL-2.0
# More events than counters. The truth is known, and so the error of each estimate. Time counts
# instructions, so that it does not depend on the host's load.
. ./lib.sh
. ./counted.sh

modprobe lbrscope || exit 1
# phases: loop has a branch in two instructions, tree one in nine
work="for i in 1 2 3 4 5 6 7 8; do ./loop; ./tree.static 60 200; done"
truth=$(counted branches:u sh -c "$work")
counted "$(yes branches:u@general | head -n 24 | paste -sd,)" sh -c "$work" >/dev/null
near "turns: each event has a counter for a third of the time" 33.3 \
	"$(sed -n 's/.*on a counter \([0-9.]*\) %.*/\1/p' stat.out | awk '{ n += $1 } END { print n / NR }')" 3
is "turns: an error is stated for each" 24 "$(grep -c '+- [0-9.]* %' stat.out)"
# of three estimates that are independent (eight events have their turn together) all are
# within twice the error of 19 in 20
is "turns: the truth is within twice the stated error" 24 "$(awk -v truth="$truth" '$2 ~ /^branches/ {
	gsub(",", "", $1); off = $1 - truth; if (off < 0) off = -off
	if (off <= 2 * $4 / 100 * $1) n++ } END { print n + 0 }' stat.out)"
is "turns: and the error is no wild guess" 24 "$(awk '$2 ~ /^branches/ && $4 < 40' stat.out | grep -c .)"
counted "instructions:u,$(yes branches:u@general | head -n 12 | paste -sd,)" sh -c "$work" >/dev/null
is "turns: an event with its own counter is exact" \
	"$(counted instructions:u sh -c "$work")" \
	"$(awk '$2 == "instructions:u" { gsub(",", "", $1); print $1 }' stat.out)"
finish
