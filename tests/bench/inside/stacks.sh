# SPDX-License-Identifier: GPL-2.0
# Records the same runs in every way to record call stacks.
# A line of the file "runs": NAME PROGRAM CASES ROUNDS
set -e
event="-e instructions:u -c 10007"

perf_text() {
	perf script --no-inline -i data "$@" -F comm,tid,time,ip,sym,dso 2>said || { cat said >&2; exit 1; }
}

while read -r name program cases rounds; do
	run="./$program $cases $rounds"
	for way in lbr window; do
		options="--call-graph lbr"
		[ $way = lbr ] || options="--stack-window=32768"
		lbrctl load
		# shellcheck disable=SC2086
		lbrctl record -o data $event $options -- $run >said 2>&1 </dev/null || { cat said; exit 1; }
		lbrctl unload
		lbrctl export --format json -i data -o "$name.ours-$way.json"
	done
	for way in lbr fp dwarf,32768; do
		# shellcheck disable=SC2086
		perf record -q -N -o data $event --call-graph $way $run >said 2>&1 </dev/null || { cat said; exit 1; }
		perf_text >"$name.perf-${way%,*}.txt"
		[ $way != lbr ] || perf_text --stitch-lbr >"$name.perf-stitch.txt"
	done
done <runs
