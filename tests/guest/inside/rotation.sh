# SPDX-License-Identifier: GPL-2.0
# Always-on recording into rotated files, by time and then by size, of a machine that is idle
# except for a few programs a minute, for the number of minutes in the file "plan". The files
# have all produced samples, and neither the recorder nor the kernel grows. The machine's clock
# counts instructions, so that idle time passes at once.
. ./lib.sh
. ./plan

PERIOD=100003
# Of ./loop, instructions of user mode (prog/loop.S)
LOOP=20000004

lbrctl load || exit 1
mkdir files

# said FIGURE: of the last recording's summary, produced, delivered or lost
said() { sed -n "s/.* $1 \([0-9]*\).*/\1/p" said; }
kib() { awk -v what="$1:" '$1 == what { print $2 }' "$2"; }

# One row for each ten minutes: the recorder's memory, the kernel's, in KiB. Files are in memory
# here, and belong to neither; of the ring, pages that were used are mapped.
look() {
	echo "$(kib RssAnon /proc/$pid/status) $(kib VmData /proc/$pid/status)" \
		"$(kib Slab /proc/meminfo) $(kib VmallocUsed /proc/meminfo) $(kib Percpu /proc/meminfo)" >>memory.txt
}

# collect FILE...: adds up what finished files hold, and removes them
collect() {
	for file; do
		lbrctl script -i "$file" >script.txt 2>err.txt ||
			grep -q ': no samples' err.txt || not_ok "$file can be read" "$(cat err.txt)"
		samples=$((samples + $(grep -c instructions:u: script.txt)))
		of_loop=$((of_loop + $(grep -c '^ *loop .*instructions:u:' script.txt)))
		lost=$((lost + $(lbrctl report -v -i "$file" 2>/dev/null | sed -n 's/^# Lost: \([0-9]*\) samples.*/\1/p') + 0))
		files=$((files + 1))
		rm "$file"
	done
}

# begin OPTION...: an always-on recording
begin() {
	samples=0 of_loop=0 lost=0 files=0 runs=0
	: >memory.txt
	lbrctl record -a -z --no-lbr -e instructions:u -c $PERIOD -o files/r.data "$@" 2>said &
	pid=$!
	sampling
}

# ten_minutes: 20 programs that run for 40 ms, and 40 processes that live shorter
ten_minutes() {
	j=0
	while [ $j -lt 20 ]; do
		./loop
		./forks 2 5
		runs=$((runs + 1))
		j=$((j + 1))
		sleep 29.9
	done
	look
}

# flat WHAT COLUMN: the largest value in the second half of the time exceeds that of the first half by
# at most "slack". At a change of files two compressors exist for a moment, and the heap sometimes keeps
# their memory.
flat() {
	awk -v c="$2" '{ value[NR] = $c }
		END { for (i = 1; i <= NR; i++) { half = i > NR / 2; if (value[i] > max[half]) max[half] = value[i] }
			print max[0] + 0, max[1] + 0 }' memory.txt >halves.txt
	read -r first second <halves.txt
	is "$name: $1 is flat" yes "$([ "$second" -le $((first + slack)) ] && [ "$first" -gt 0 ] && echo yes ||
		echo "no: $first KiB at most in the first half of the time, $second in the second")"
}

# end NAME: the sums and the memory
end() {
	name=$1
	kill -INT $pid
	wait $pid
	is "$name: status" 0 $?
	is "$name: produced = delivered + lost" "$(said produced)" $(($(said delivered) + $(said lost)))
	sed 's/^lbrctl: /# /' said | grep produced
	sed "s/^/# $name: anonymous, data, slab, vmalloc, percpu: /" memory.txt | awk 'NR % 3 == 1'
	flat "the recorder's anonymous memory" 1
	flat "the recorder's data" 2
	flat "slab" 3
	flat "vmalloc" 4
	flat "memory of the CPUs" 5
}

by_time() {
	begin --switch-output=10m
	i=0
	while [ $i -lt "$minutes" ]; do
		ten_minutes
		# the file that is being written has another name until it is done
		for file in files/r.data.*[0-9]; do
			[ ! -e "$file" ] || collect "$file"
		done
		i=$((i + 10))
	done
	end "by time"
	collect files/r.data*
	is "by time: the files hold all that was delivered" "$(said delivered)" "$samples"
	is "by time: the files have all losses" "$(said lost)" "$lost"
	near "by time: of ./loop as many as it ran" $((LOOP * runs / PERIOD)) "$of_loop" $((runs / 10 + 5))
	near "by time: a file for each ten minutes" $((minutes / 10)) "$files" 1
	echo "tried $minutes guest minutes of recording, a file for each ten"
}

by_size() {
	begin --switch-output=16K --switch-max-files 4
	most=0
	i=0
	while [ $i -lt "$minutes" ]; do
		ten_minutes
		set -- files/r.data.*[0-9]
		[ $# -le $most ] || most=$#
		i=$((i + 10))
	done
	end "by size"
	is "by size: no more files than are to be kept" 4 "$most"
	switched=$(grep -c 'samples in files/r.data' said)
	is "by size: there were more" yes "$([ "$switched" -gt 4 ] && echo yes || echo "no: $switched")"
	is "by size: not fewer samples than those of ./loop" yes \
		"$([ "$(said produced)" -ge $((LOOP * runs / PERIOD)) ] && echo yes || cat said)"
	echo "tried $minutes guest minutes of recording into files of 16 KiB, of which $switched were written"
	rm -r files
}

by_time
by_size
succeeds "unload" lbrctl unload
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|rcu.*stall')"
finish
