# SPDX-License-Identifier: GPL-2.0
# What a PMI costs whom: each case in a window of the meter that has its number.
# cases, a line each: WINDOW DEPTH OURS|PEER|FLOOR|BYTES OPTIONS...
# "bytes WINDOW BYTES" on stdout: what a sample takes in the buffer. Of ours by how many fit
# the ring, of 1 MiB, whose reader stands still; perf's file has what was in the buffer.
set -e
while read -r window depth who options; do
	case $who in
	floor)
		insmod ./floor.ko
		./nest "$depth" "$1" "$window"
		rmmod floor
		# now, for each handler that is there has the kernel read its clock
		lbrctl load
		;;
	ours)
		# shellcheck disable=SC2086 # options
		lbrctl record -o /tmp/data $options -e instructions:u -c 100003 -- ./nest "$depth" "$1" "$window" 2>/tmp/said || { cat /tmp/said; exit 1; }
		;;
	bytes)
		# shellcheck disable=SC2086
		lbrctl record -o /tmp/data $options -e instructions:u -c 10007 -- \
			sh -c "kill -STOP \$PPID; ./nest $depth $((50 * $1)); kill -CONT \$PPID" 2>/tmp/said || { cat /tmp/said; exit 1; }
		nr=$(perf script -i /tmp/data -F comm 2>/tmp/said | grep -c .)
		echo "bytes $window $(((1048576 / nr + 4) / 8 * 8))"
		;;
	peer)
		# shellcheck disable=SC2086
		perf record -q -N -o /tmp/data $options -e instructions:u -c 100003 ./nest "$depth" "$1" "$window" >/tmp/said 2>&1 || { cat /tmp/said; exit 1; }
		echo "bytes $window $(perf script -D -i /tmp/data 2>/tmp/said |
			sed -n 's/.* \[\(0x[0-9a-f]*\)\]: PERF_RECORD_SAMPLE.*/\1/p' | sort | uniq -c |
			sort -n | awk 'END { print $2 }')"
		;;
	esac
done <cases
