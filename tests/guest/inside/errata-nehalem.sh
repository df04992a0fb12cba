# SPDX-License-Identifier: GPL-2.0
# Nehalem: before counters get other events, all four have those of an erratum, AAK100
# (ls_pmu_reset()). The counts are right nevertheless, and unused registers have their old
# values.
. ./lib.sh
. ./counted.sh

# evtsel N: IA32_PERFEVTSELn of CPU 0
evtsel() { lbrctl regs -C 0 | awk -v name="IA32_PERFEVTSEL$1" '$0 ~ name { print $3 }'; }

succeeds "lbrctl load" lbrctl load
before=$(evtsel 3)
is "one event is counted exactly" 20000004 "$(counted instructions:u@0 ./loop)"
is "an unused counter's event select is put back" "$before" "$(evtsel 3)"
# turns of 4 ms: each gives the counters other events
events=$(yes instructions:u@general | head -n 8 | paste -sd,)
counts=$(counted "$events" ./loop)
is "eight events that take turns" 8 "$(echo "$counts" | wc -w)"
for count in $counts; do
	near "each is estimated rightly" 20000004 "$count" 2000000
done
refused=$(lbrctl stat -e r0151@2 -- true 2>&1) && refused="not refused"
matches "an event of counters 0 and 1 on counter 2" "none of the counters" "$refused"
