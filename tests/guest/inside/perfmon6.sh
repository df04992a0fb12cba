# SPDX-License-Identifier: GPL-2.0
# PerfMon version 6, where reserving counters excludes no other program.
. ./lib.sh

succeeds "lbrctl load" lbrctl load
matches "the log says that there are clocks only" "only clocks: PerfMon" "$(dmesg)"
matches "lbrctl info says why" "^pmu +none: PerfMon versions after 5" "$(lbrctl info)"
said=$(lbrctl record -e cycles -a -o no.data -- true 2>&1)
is "lbrctl record -e cycles is refused" 125 $?
matches "lbrctl record -e cycles: the refusal says why" "PerfMon versions after 5" "$said"
said=$(lbrctl record -b -o no.data -- true 2>&1)
is "branches are refused" 125 $?
matches "branches: the refusal says why" "no branch records" "$said"
said=$(lbrctl stat -e cycles -- true 2>&1)
is "lbrctl stat -e cycles is refused" 125 $?
matches "lbrctl stat -e cycles: the refusal says why" "PerfMon versions after 5" "$said"
is "perf counts beside a recording by the clock" 1 "$(lbrctl record -a -o clock.data -- \
	perf stat -x, -e instructions:u true 2>&1 | awk -F, '/instructions/ { print ($1 > 0) }')"
is "perf counts" 1 "$(perf stat -x, -e instructions:u true 2>&1 | awk -F, '{ print ($1 > 0) }')"
succeeds "lbrctl unload" lbrctl unload
finish
