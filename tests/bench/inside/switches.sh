# SPDX-License-Identifier: GPL-2.0
# What a context switch costs whom: turns taken, each case in windows of its number.
# cases, a line each: WINDOW DEPTH NOBODY|OURS|PEER PROGRAM|OTHER OPTIONS...
# who is recorded is the program, or another one that sleeps.
# "recorded WINDOW SAMPLES" on stdout.
set -e
lbrctl load
# turns is of a real-time priority, and may have all of a second
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
mount -t tracefs none /sys/kernel/tracing 2>/dev/null || true
sleep 10000 &
sleeper=$!

while read -r window depth who whom options; do
	run="./turns $depth $1 $window"
	[ "$whom" = program ] || options="$options -p $sleeper"
	# shellcheck disable=SC2086 # options
	case $who in
	nobody)
		$run
		continue
		;;
	ours)
		lbrctl record -o data $options -- $run >said 2>&1 </dev/null || { cat said; exit 1; }
		;;
	peer)
		perf record -q -N -o data $options -- $run >said 2>&1 </dev/null || { cat said; exit 1; }
		;;
	esac
	echo "recorded $window $(perf script -i data -F comm 2>/dev/null | grep -c .)"
done <cases
