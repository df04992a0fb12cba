# SPDX-License-Identifier: GPL-2.0
# What a PMI costs whom: each case in a window of the meter that has its number.
# cases, a line each: WINDOW DEPTH OURS|PEER|FLOOR|BYTES OPTIONS...
# "bytes WINDOW BYTES" on stdout: what a sample takes in the buffer. Of ours by how many fit
# one that overwrites; perf's file has what was in the buffer.
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
		lbrctl record -o /tmp/data $options --flight=64K -e instructions:u -c 100003 -- ./nest "$depth" $((8 * $1)) 2>/tmp/said || { cat /tmp/said; exit 1; }
		echo "bytes $window $((65536 / $(perf script -i /tmp/data -F comm 2>/tmp/said | grep -c .) / 8 * 8))"
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
