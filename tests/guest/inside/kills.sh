# SPDX-License-Identifier: GPL-2.0
# Recordings that are killed at random instants. Their files must be readable.
# shellcheck shell=sh

# whole FILE OFFSET: the number of bytes of whole records from OFFSET on. A write() that SIGKILL
# interrupts can leave a part of a record.
whole() {
	od -A n -v -t u2 -j "$2" "$1" | awk '
		{ for (i = 1; i <= NF; i++) half[n++] = $i }
		END { while (at + 4 <= n && half[at + 3] >= 8 && at + half[at + 3] / 2 <= n) at += half[at + 3] / 2
			print at * 2 }'
}

# sized FILE: writes the number of bytes of whole records into the header, so that perf can read the
# file. (A compressed file stays unreadable: perf 6.1 dies of SIGBUS at a cut record.)
sized() {
	offset=$(od -A n -t u8 -j 40 -N 8 "$1" | tr -d ' ')
	bytes=$(awk "BEGIN { n = $(whole "$1" $offset)
		for (i = 0; i < 8; i++) { printf \"\\\\0%o\", n % 256; n = int(n / 256) } }")
	printf %b "$bytes" | dd of="$1" bs=1 seek=48 conv=notrunc 2>/dev/null
}

# left_by_a_kill I: checks the file that the killed recording I left, and prints each fault
left_by_a_kill() {
	[ -s k.data.partial ] || {
		[ -z "$ran" ] || echo "$1: the session ran, and there is no file"
		return
	}
	lbrctl script -i k.data.partial >ours.txt 2>err || {
		# killed before the first sample
		grep -q 'k.data.partial: no samples' err || echo "$1: after $delay s: $(cat err)"
		return
	}
	grep -q '^lbrctl: warning: k.data.partial: its recorder was killed' err ||
		echo "$1: after $delay s: no warning: $(cat err)"
	lbrctl report -i k.data.partial >report.txt 2>&1 || echo "$1: after $delay s: lbrctl report: $(tail -n 1 report.txt)"
	found=$(grep -c instructions ours.txt)
	grep -q ": it has $found samples;" err || echo "$1: after $delay s: lbrctl prints $found samples: $(cat err)"
	echo "$found" >>counts
	[ "$packed" ] && return
	sized k.data.partial
	perf_script -i k.data.partial -F time >perf.txt 2>/dev/null
	[ "$(grep -c . perf.txt)" -eq "$found" ] ||
		echo "$1: after $delay s: perf reads $(grep -c . perf.txt) samples, lbrctl $found"
}

# grown BYTES: the running recording has written as much
grown() { [ "$(stat -c %s k.data.partial 2>/dev/null || echo 0)" -ge "$1" ]; }

# kills N: kills N recordings, one after another: every second one when its file has grown by a random
# number of bytes, so that it has samples however slow the machine is; the others at a random time
# after their start, which may be before there is a file
kills() {
	: >counts
	while :; do ./loop; done &
	busy=$!
	kill=0
	while [ $kill -lt "$1" ]; do
		kill=$((kill + 1))
		delay=$(awk "BEGIN { printf \"%.2f\", $RANDOM * 2 / 32768 }")
		packed=
		[ $((kill % 3)) -ne 0 ] || packed=-z
		rm -f k.data*
		# shellcheck disable=SC2086
		lbrctl record $packed -a -e instructions:u -c 1000003 -o k.data 2>/dev/null &
		pid=$!
		ran=
		[ $((kill % 2)) -ne 0 ] || {
			sampling && in_use_by "[^n ].*$pid" && ran=yes
			await 300 test -s k.data.partial
			await 300 grown $(($(stat -c %s k.data.partial) + 4096 + RANDOM / 4))
		}
		sleep "$delay"
		kill -9 $pid
		wait $pid 2>/dev/null
		left_by_a_kill $kill
		# the lab takes a long silence for a machine that hangs
		[ $((kill % 20)) -ne 0 ] || echo "# $kill kills" >&2
		await 100 in_use_by nobody || echo "$kill: after $delay s: the PMU is still in use"
	done >wrong
	kill $busy
	echo "tried $1 kills of the recorder"
	is "$1 killed recordings: faults of the files that they left" "" "$(head -n 10 wrong)"
	is "$1 recordings, killed: many have samples" yes \
		"$(awk -v n="$1" '$1 > 10 { some++ } END { print (some > n / 4 ? "yes" : "no: " some + 0) }' counts)"
}
