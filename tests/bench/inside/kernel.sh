# SPDX-License-Identifier: GPL-2.0
# What sampling costs whom: each case in windows of the meter that have its number.
# cases, a line each: NOBODY|FLOOR|OURS|PEER|BYTES DEPTH INSTRUCTIONS WINDOWS OPTIONS...
# WINDOWS is WINDOW,WINDOW...; the options of "floor" are its module's.
# "bytes WINDOW BYTES" on stdout: what a sample takes in the buffer. Of ours by how many fit
# the ring, of 1 MiB, whose reader does not get the CPU; perf's file has what was in the buffer.
set -e
# nest is of a real-time priority, and may have all of a second
echo -1 >/proc/sys/kernel/sched_rt_runtime_us

# recorded COMMAND...
recorded()
{
	"$@" >said 2>&1 </dev/null || { cat said; exit 1; }
}

while read -r who depth instructions windows options; do
	nest="./nest $depth $instructions $(echo "$windows" | tr , ' ')"
	# shellcheck disable=SC2086 # options
	case $who in
	nobody)
		$nest
		;;
	floor)
		insmod ./floor.ko $options
		$nest
		rmmod floor
		;;
	ours)
		lbrctl load >said
		recorded lbrctl record -o data $options -- $nest
		;;
	bytes)
		recorded lbrctl record -o data $options -- $nest
		grep -q "ring full" said || { echo "the ring is not full"; exit 1; }
		echo "bytes ${windows%%,*} $(((1048576 / $(perf script -i data -F comm 2>said | grep -c .) + 4) / 8 * 8))"
		;;
	peer)
		recorded perf record -q -N -o data $options -- $nest
		echo "bytes ${windows%%,*} $(perf script -D -i data 2>said |
			sed -n 's/.* \[\(0x[0-9a-f]*\)\]: PERF_RECORD_SAMPLE.*/\1/p' | sort | uniq -c |
			sort -n | awk 'END { print $2 }')"
		;;
	esac
done <cases
