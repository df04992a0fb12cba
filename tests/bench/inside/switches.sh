# SPDX-License-Identifier: GPL-2.0
# Measures the cost of a context switch: runs each case of the file "cases" in meter windows with its number.
# A line of cases: WINDOW DEPTH nobody|ours|peer program|other OPTIONS...
# "program": the program is recorded; "other": another one, which sleeps.
# Prints "recorded WINDOW SAMPLES".
set -e
. ./lib.sh
lbrctl load
# turns has a real-time priority, and may use the whole of each second
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
mount -t tracefs none /sys/kernel/tracing 2>/dev/null || true
sleep 10000 &
sleeper=$!

# attached OPTIONS...: records the program from outside, so that it has its tables when it begins
attached() {
	$run stop &
	program=$!
	while ! grep -q '^State:.T' /proc/$program/status; do sleep 0.1; done
	lbrctl record -o data "$@" -p $program >said 2>&1 </dev/null &
	tool=$!
	sampling
	kill -CONT $program
	wait $program
	wait $tool
}

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
		case $options in
		*--off-cpu*)
			# shellcheck disable=SC2086
			attached $options || { cat said; exit 1; }
			;;
		*)
			lbrctl record -o data $options -- $run >said 2>&1 </dev/null || { cat said; exit 1; }
			;;
		esac
		;;
	peer)
		perf record -q -N -o data $options -- $run >said 2>&1 </dev/null || { cat said; exit 1; }
		;;
	esac
	echo "recorded $window $(perf script -i data -F comm 2>/dev/null | grep -c .)"
done <cases
