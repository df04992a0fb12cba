# SPDX-License-Identifier: GPL-2.0
# PerfMon version 6, where reserving counters excludes no other program.
. ./lib.sh

succeeds "lbrctl load" lbrctl load
matches "the log says that no session can be started" "no session .*PerfMon" "$(dmesg)"
matches "lbrctl info says why" "^sessions +not on this CPU: PerfMon versions after 5" "$(lbrctl info)"
said=$(lbrctl record -a -o no.data -- true 2>&1)
is "lbrctl record is refused" 125 $?
matches "and says why" "PerfMon versions after 5" "$said"
said=$(lbrctl stat -- true 2>&1)
is "lbrctl stat is refused" 125 $?
matches "and says why, too" "no session can be started on this CPU: PerfMon versions after 5" "$said"
is "perf counts" 1 "$(perf stat -x, -e instructions:u true 2>&1 | awk -F, '{ print ($1 > 0) }')"
succeeds "lbrctl unload" lbrctl unload
finish
