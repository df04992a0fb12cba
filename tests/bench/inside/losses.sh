# SPDX-License-Identifier: GPL-2.0
# losses.sh INSTRUCTIONS: records a program that leaves the reader no time, with shorter and shorter
# periods until perf loses samples, and once with lbrctl at that period. Both have a buffer of 1 MiB, and
# perf's throttling is off. The file "cases" has perf's options in its first line and lbrctl's in its second.
# Prints "lost PERIOD OURS PERF".
set -e
lbrctl load
# nest has a real-time priority, and may use the whole of each second
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
{ read -r theirs; read -r ours; } <cases

for period in 100003 60013 40009 30011 20011 15013 10007; do
	# shellcheck disable=SC2086 # options
	perf record -q -N -m 1M -o data $theirs -c $period -- ./nest 10 "$1" 0 >said 2>&1 </dev/null || { cat said; exit 1; }
	lost=$(perf report --stats -i data 2>/dev/null | sed -n 's/.* LOST_SAMPLES events: *\([0-9]*\)$/\1/p' | tail -n 1)
	[ -z "$lost" ] || break
done
# shellcheck disable=SC2086
lbrctl record -o data $ours -c $period -- ./nest 10 "$1" 0 >said 2>&1 </dev/null || { cat said; exit 1; }
echo "lost $period $(sed -n 's/.* + lost \([0-9]*\).*/\1/p' said) ${lost:-0}"
