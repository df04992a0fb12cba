# SPDX-License-Identifier: GPL-2.0
# A CPU whose counters the module does not use, for the reason that the file `why` has: events are
# clocks, perf keeps the counters, and no register changes.
. ./lib.sh

why=$(cat why)
modprobe msr || exit 1
./regs >before
succeeds "lbrctl load" lbrctl load
matches "the log says that there are clocks only" "only clocks: $why" "$(dmesg)"
matches "lbrctl info says why" "^pmu +none: $why" "$(lbrctl info)"
matches "lbrctl info: no branch records" "^lbr +none" "$(lbrctl info)"
matches "lbrctl doctor says why, and what works" "^note +cpu +no PMU: $why.*work with cpu-clock" "$(lbrctl doctor)"
said=$(lbrctl record -e cycles -a -o no.data -- true 2>&1)
is "lbrctl record -e cycles is refused" 125 $?
matches "lbrctl record -e cycles: the refusal says why" "$why" "$said"
said=$(lbrctl record -b -o no.data -- true 2>&1)
is "branches are refused" 125 $?
matches "branches: the refusal says why" "no branch records" "$said"
said=$(lbrctl stat -e cycles -- true 2>&1)
is "lbrctl stat -e cycles is refused" 125 $?
matches "lbrctl stat -e cycles: the refusal says why" "$why" "$said"
matches "lbrctl record takes the clock, and says why" "warning: no PMU \($why.*: a timer" \
	"$(lbrctl record -o clock.data -- ./loop 2>&1)"
is "the registers are as before" "" "$(./regs | diff before -)"
is "perf counts beside a recording by the clock" 1 "$(lbrctl record -a -o clock.data -- \
	perf stat -x, -e instructions:u true 2>&1 | awk -F, '/instructions/ { print ($1 > 0) }')"
is "perf counts" 1 "$(perf stat -x, -e instructions:u true 2>&1 | awk -F, '{ print ($1 > 0) }')"
succeeds "lbrctl unload" lbrctl unload
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received|unchecked MSR')"
finish
