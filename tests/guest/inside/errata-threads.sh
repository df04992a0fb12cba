# SPDX-License-Identifier: GPL-2.0
# Haswell, one core of two threads: events that disturb the other thread's counters
# (erratum HSD29), events of few counters, and reserved bits of an event's register.
. ./lib.sh

smt=/sys/devices/system/cpu/smt/control
memory=r81d0:u		# MEM_UOPS_RETIRED.ALL_LOADS

# refused NAME REGEX EVENTS [OPTION...]
refused() {
	name=$1 regex=$2 events=$3
	shift 3
	said=$(lbrctl stat "$@" -e "$events" -- true 2>&1) && said="not refused"
	matches "$name" "$regex" "$said"
}

# counted CPU: the user instructions of that CPU in counts.csv
counted() { awk -F, -v cpu="$1" '$2 ~ /instructions/ && $1 == cpu { print $3 }' counts.csv; }

succeeds "lbrctl load" lbrctl load
is "CPUs 0 and 1 are threads of one core" 0-1 \
	"$(cat /sys/devices/system/cpu/cpu0/topology/thread_siblings_list)"
refused "a memory event on both threads" HSD29 $memory -a
refused "a memory event of a task, which may be on either" HSD29 $memory
succeeds "a memory event on one thread" lbrctl stat -o counts -C 0 -e $memory -- true
succeeds "other events on both" lbrctl stat -o counts -a -e r81c2:u -- true

echo off >$smt
succeeds "a memory event without SMT" lbrctl stat -o counts -a -e $memory -- true
lbrctl stat -a -A --csv -o counts.csv -e $memory,instructions:u -- \
	sh -c "taskset 1 ./loop; echo on >$smt; taskset 2 ./loop"
near "the thread that was there is counted" 20000004 "$(counted 0)" 2000000
is "the thread that came meanwhile is not" "" "$(counted 1)"
is "both threads are online" 0-1 "$(cat /sys/devices/system/cpu/online)"

refused "an event of counter 2 on counter 1" "none of the counters" r0148@1
succeeds "an event of counter 2 on counter 2" lbrctl stat -o counts -e r0148@2 -- true
refused "reserved bits of an event's register" "within 0x3fffff8fff" r1bb@extra=10000000000
refused "a register that this CPU does not have" "register" r01c6@extra=12
