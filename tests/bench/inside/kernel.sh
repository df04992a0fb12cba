# SPDX-License-Identifier: GPL-2.0
# What a PMI costs whom: each case in a window of the meter that has its number.
# cases, a line each: WINDOW DEPTH OURS|PEER|FLOOR OPTIONS...
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
	peer)
		# shellcheck disable=SC2086
		perf record -q -N -o /tmp/data $options -e instructions:u -c 100003 ./nest "$depth" "$1" "$window" >/tmp/said 2>&1 || { cat /tmp/said; exit 1; }
		;;
	esac
done <cases
