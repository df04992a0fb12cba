# SPDX-License-Identifier: GPL-2.0
# TLB flushes of a CPU that is sampled as fast as it can be, among probes and execs.
. ./lib.sh

# of NAME FILE: a figure that ./flushes has printed
of() { awk -v name="$1" '{ for (i = 1; i < NF; i += 2) if ($i == name) print $(i + 1) }' "$2"; }

# sampled NAME PERIOD: runs ./flushes while all CPUs are sampled with this period. What it and
# the recorder say is in the files NAME and NAME.said.
sampled() {
	lbrctl record -a -e cycles -e branches -e instructions -e cycles -c "$2" --stack-window=60000 -m 1M \
		--trigger exec --trigger kprobe:flush_tlb_func --trigger kprobe:native_flush_tlb_one_user \
		-o "$1.data" 2>"$1.said" &
	record=$!
	sampling
	(while :; do /bin/true; done) &
	execs=$!
	./flushes 2 >"$1"
	kill $execs
	kill -INT $record
	wait $record
	is "$1: lbrctl record ends well" 0 $?
	rm "$1.data"
	sed "s/^/# $1: /" "$1" "$1.said"
}

lbrctl load || exit 1
sampled rarely 2000000011
sampled often 10000
matches "TLB flushes are answered" '^[1-9][0-9]+$' "$(of flushes often)"
is "a TLB flush is answered within 10 s" yes "$([ "$(of longest often)" -lt 10000000 ] && echo yes)"
# The emulator is slower while counters count: both runs have that. The recorder and the execs
# take their share of the CPU.
is "the thread that answers them gets on" yes \
	"$([ "$(of rounds often)" -gt $(($(of rounds rarely) / 50)) ] && echo yes)"
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|stall|soft lockup|Uhhuh|Dazed')"
succeeds "lbrctl unload" lbrctl unload
finish
