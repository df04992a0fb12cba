# SPDX-License-Identifier: GPL-2.0
# Measures the cost of sampling: runs each case of the file "cases" in meter windows with its numbers.
# A line of cases: nobody|floor|ours|peer|bytes DEPTH INSTRUCTIONS WINDOW,WINDOW... OPTIONS...
# "floor" measures a handler that does nothing; its options are the module's.
# Prints "bytes WINDOW BYTES", the size of a sample in the buffer. Ours: 1 MiB by the number of samples
# that fit the ring, whose reader does not get the CPU. perf's: the sizes in its file.
set -e
# nest has a real-time priority, and may use the whole of each second
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
