# SPDX-License-Identifier: GPL-2.0
# Compressed files, rotated files, files of limited size and duration, a full disk.
. ./lib.sh
. ./kills.sh

lbrctl load || exit 1
dmesg -c >/dev/null

# said FIGURE: of the last recording's summary, produced, delivered or lost
said() { sed -n "s/.* $1 \([0-9]*\).*/\1/p" said; }
# samples FILE: those that perf finds there
samples() { perf_script -i "$1" -F time 2>/dev/null | grep -c .; }
sum() { awk '{ n += $1 } END { print n + 0 }'; }

compressed() {
	lbrctl record -z -b -e branches:u -c 20011 -o z.data -- ./loop 2>said
	is "-z: status" 0 $?
	lbrctl record -b -e branches:u -c 20011 -o plain.data -- ./loop 2>/dev/null
	is "-z: perf's samples are all" "$(said delivered)" "$(samples z.data)"
	matches "-z: perf recognizes it" 'compressed : Zstd, level = 2' "$(perf report --header-only -i z.data 2>&1)"
	is "-z: perf and lbrctl read the same" "$(perf script -i z.data 2>/dev/null)" "$(lbrctl script -i z.data)"
	# a task that was just off the CPU has fewer entries
	near "-z: all 32 branches of a sample are there" "$(said delivered)" \
		"$(perf_script -i z.data -F brstack 2>/dev/null | awk 'NF == 32' | wc -l)" 2
	is "-z: half the size at most" 1 $(($(stat -c %s z.data) * 2 < $(stat -c %s plain.data)))
	perf record -q -z -e cpu-clock:u -c 100000 -o p.data ./loop 2>/dev/null
	is "perf record -z: read as perf reads it" "$(perf script -i p.data 2>/dev/null)" "$(lbrctl script -i p.data)"
	is "perf record -z: there was something" 1 $(($(samples p.data) > 10))
}

one_after_another() {
	lbrctl record -b -e instructions:u -c 20011 --switch-output=200K -o s.data -- \
		sh -c 'for i in 1 2 3 4; do ./loop; sleep 0.3; done' 2>said
	is "--switch-output=SIZE: status" 0 $?
	set -- s.data.*
	is "--switch-output=SIZE: several files" 1 $(($# > 1))
	is "--switch-output=SIZE: together they have all samples" "$(said delivered)" \
		"$(for f; do samples "$f"; done | sum)"
	is "--switch-output=SIZE: each has the names" "" "$(for f; do
		perf_script -i "$f" -F comm,ip,dso 2>/dev/null | grep -v '/loop)\|/busybox)' | head -n 3; done)"
	is "--switch-output=SIZE: no unfinished file is left" "" "$(ls | grep partial)"

	lbrctl record -e instructions:u -c 20011 --switch-output=50K --switch-max-files 2 -o k.data -- \
		sh -c './loop; sleep 0.3; ./loop; sleep 0.3; ./loop; sleep 0.3' 2>said
	set -- k.data.*
	is "--switch-max-files: the newest are kept" "2 $(grep -o 'k.data.[0-9]\{16\}' said | tail -n 2 | tr '\n' ' ')" \
		"$# $* "

	lbrctl record -a -e instructions:u -c 1000003 --switch-output -o u.data 2>said &
	pid=$!
	sampling
	./loop
	# reading it takes 100 million instructions
	: >empty
	mount --bind empty /proc/kallsyms
	kill -USR2 $pid
	until grep -q 'samples in u.data' said; do sleep 0.2; done
	./loop
	kill -INT $pid
	wait $pid
	umount /proc/kallsyms
	set -- u.data.*
	is "--switch-output: another file on SIGUSR2" 2 $#
	is "--switch-output: the kernel's symbols are read once" "1 1" \
		"$(for f; do perf script -i "$f" --show-mmap-events 2>/dev/null | grep -c '\[kernel.kallsyms\]_text$'; done | xargs)"
	is "--switch-output: ./loop is in both" "1 1" \
		"$(for f; do echo $(($(perf_script -i "$f" -F comm 2>/dev/null | grep -c loop) > 5)); done | tr '\n' ' ' | sed 's/ $//')"
}

# An event that never had a sample: ./loop mispredicts a few branches.
silent() {
	lbrctl record -e instructions:u,branch-misses:u -c 1000003 -o q.data -- ./loop 2>said
	is "an event without samples: one warning, of it alone" \
		"lbrctl: warning: event branch-misses:u: no sample: it did not happen often enough for one period (1000003, -c); 'lbrctl stat -e branch-misses:u' counts it" \
		"$(grep 'no sample' said)"
	matches "an event without samples: report names it" "^# Without samples: branch-misses:u " "$(lbrctl report -i q.data)"
	rm -f q.data
}

limits() {
	lbrctl record -b -e instructions:u -c 20011 --max-size 300K -o m.data -- \
		sh -c './loop; ./loop; ./loop' 2>said
	is "--max-size: status" 0 $?
	size=$(stat -c %s m.data)
	is "--max-size: about that" 1 $((size > 300000 && size < 2000000))
	is "--max-size: the sum is exact" "$(said produced)" $(($(said delivered) + $(said lost)))
	lbrctl record -a -d 700ms -o d.data 2>said
	is "-d: it ends" 0 $?
	matches "-d: after so long" ' in (0.[7-9]|[1-9])' "$(cat said)"
}

full_disk() {
	mkdir full
	mount -t tmpfs -o size=5m none full
	lbrctl record -b -e instructions:u -c 10007 -o full/f.data -- \
		sh -c 'for i in 1 2 3 4; do ./loop; sleep 0.3; done' 2>said
	is "a full disk: status" 125 $?
	matches "a full disk: says so" 'writing full/f.data: No space left on device; the recording ends here' "$(cat said)"
	matches "a full disk: the summary has the losses" 'disk full [0-9]+' "$(cat said)"
	is "a full disk: perf reads the file" "$(said delivered)" "$(samples full/f.data)"
	is "a full disk: the file has the number of lost samples" "$(said lost)" \
		"$(lbrctl report -v -i full/f.data | sed -n 's/^# Lost: \([0-9]*\) samples.*/\1/p')"
	is "a full disk: the sum is exact" "$(said produced)" $(($(said delivered) + $(said lost)))
	umount full
	mount -t tmpfs -o size=20m none full
	lbrctl record -b -e instructions:u -c 10007 --switch-output=3M --switch-max-files 50 -o full/f.data -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do ./loop; sleep 0.3; done' 2>said
	matches "a full disk, several files: the oldest is removed" \
		'the disk is full: removing the oldest file, full/f.data.[0-9]{16}' "$(cat said)"
	is "a full disk, several files: it goes on to the end" "$(said produced)" $(($(said delivered) + $(said lost)))
	is "a full disk, several files: those that are left are whole" "" \
		"$(for f in full/*; do lbrctl script -i "$f" 2>&1 >/dev/null | grep -v ': no samples'; done)"
	umount full
	mount -t tmpfs -o size=100k none full
	lbrctl record -o full/f.data -- true 2>said
	is "no room at all: status" 125 $?
	is "no room at all: no file is left" "" "$(ls full)"
	umount full
}

limited_files() {
	(ulimit -f 8192 && exec lbrctl record -b -e instructions:u -c 10007 -o l.data -- sh -c './loop; ./loop; ./loop') 2>said
	is "ulimit -f: status" 125 $?
	matches "ulimit -f: says so" 'writing l.data: File too large; the recording ends here' "$(cat said)"
	is "ulimit -f: the sum is exact" "$(said produced)" $(($(said delivered) + $(said lost)))
	is "ulimit -f: perf reads the file" "$(said delivered)" "$(samples l.data)"
	rm -f l.data
}

# A write that does not return for two seconds: the recorder stops itself at its sixth one.
slow_disk() {
	FAIL=write:6:-19 LD_PRELOAD=$PWD/fail.so lbrctl record -m 64K -b -e instructions:u -c 10007 -o slow.data -- \
		sh -c 'while :; do ./loop; done' 2>said &
	pid=$!
	stopped() { grep -q '^State:.T' /proc/$pid/status; }
	await 300 stopped
	sleep 2
	kill -INT $pid
	kill -CONT $pid
	wait $pid
	# the status is that of the command, which is ended by SIGTERM
	is "a slow disk: ends by ^C" 143 $?
	matches "a slow disk: the summary has the losses" 'ring full [0-9]+' "$(cat said)"
	is "a slow disk: the sum is exact" "$(said produced)" $(($(said delivered) + $(said lost)))
	is "a slow disk: perf reads all that was delivered" "$(said delivered)" "$(samples slow.data)"
	rm -f slow.data
}

few_descriptors() {
	for nr in 4 8 10 12 14 24; do
		for what in "record -e instructions:u -c 200003 -o few.data -- ./loop" "record -a -d 100ms -o few.data" \
			"stat -- ./loop" "report -i d.data"; do
			# shellcheck disable=SC2086
			timeout 60 sh -c "ulimit -n $nr && exec lbrctl $what" >out 2>said
			status=$?
			case $status in
			0) ;;
			1 | 125) matches "$nr descriptors: lbrctl $what: says so" 'oo many open files' "$(cat said)" ;;
			*) not_ok "$nr descriptors: lbrctl $what" "status $status" "$(cat said)" ;;
			esac
			[ $status -eq 0 ] || is "$nr descriptors: lbrctl $what: nothing is left" "" "$(ls | grep few)"
			rm -f few.data*
		done
	done
	is "32 descriptors are enough to record" 0 "$(sh -c 'ulimit -n 32 && exec lbrctl record -o few.data -- ./loop' >/dev/null 2>&1; echo $?)"
	is "few descriptors: the PMU is free" 1 "$(lbrctl info | grep -c '^in use by *nobody')"
	rm -f few.data*
}

# As in a chroot; and a /proc that hides other users' processes.
without_proc() {
	timeout 60 unshare -m sh -c 'umount -l /proc && exec lbrctl record -e instructions:u -c 200003 -o n.data -- ./loop' 2>said
	status=$?
	case $status in
	0) is "no /proc: perf reads all samples" "$(said delivered)" "$(samples n.data)" ;;
	*) matches "no /proc: one line says so" '^lbrctl: .*/proc' "$(cat said)" &&
		is "no /proc: no file is left" "" "$(ls | grep '^n.data')" ;;
	esac
	timeout 60 unshare -m sh -c 'umount -l /proc && exec lbrctl report -i d.data' >out 2>said
	is "no /proc: report" 0 $?
	mount -o remount,hidepid=2 /proc
	succeeds "hidepid: record -a" lbrctl record -a -d 300ms -o h.data
	mount -o remount,hidepid=0 /proc
	is "no /proc, hidepid: the PMU is free" 1 "$(lbrctl info | grep -c '^in use by *nobody')"
	rm -f n.data h.data
}

live() {
	./terminal lbrctl record -a -e instructions:u -c 200003 -d 3s -o l.data >seen
	matches "a line at the terminal" '[0-9]+ s, [0-9]+ samples, [0-9]+/s, [0-9]+ lost, overhead [0-9.]+ %' "$(tr '\r' '\n' <seen)"
	./terminal lbrctl record -e cycles:u -c 200003 -o v.data -- ./tree >seen
	is "at a terminal: status" 0 $?
	is "at a terminal: the last line has the verdicts" \
		"$(lbrctl report -v -i v.data | sed -n 's/^# Stacks: \([0-9]* complete\).*/\1/p')" \
		"$(tr -d '\r' <seen | sed -n 's/.*lbrctl: stacks: \([0-9]* complete\).*/\1/p')"
	is "not at a terminal: no progress line" "" "$(lbrctl record -d 2s -a -o l.data 2>&1 | grep 'a second')"
}

killed() {
	RANDOM=1 # torture has other ones
	kills 8
	rm -f k.data*
	lbrctl record -a -e instructions:u -c 200003 -o k.data 2>/dev/null &
	pid=$!
	await 300 test -s k.data.partial
	kill -9 $pid
	wait $pid 2>/dev/null
	await 100 in_use_by nobody
	cp k.data.partial before
	matches "killed: report names the partial file" 'k.data: no such file, but k.data.partial exists' \
		"$(lbrctl report -i k.data 2>&1)"
	lbrctl record -e instructions:u -c 200003 -o k.data -- ./loop 2>said
	is "killed: the next recording: status" 0 $?
	matches "killed: the next recording says where it is" 'k.data.killed is the capture of a killed recording' "$(cat said)"
	succeeds "killed: and keeps it" cmp before k.data.killed
	is "killed: no unfinished file is left" "" "$(ls | grep partial)"
}

# A result, where a file has a name before it is complete: without /proc, as on NFS. A killed
# writer leaves it, and the next one removes it, but not the file of a writer that is alive.
killed_result() {
	export="unshare -m sh -c"
	as_on_nfs='umount -l /proc && exec lbrctl export -f folded -i d.data -o x.folded'
	$export "export FAIL=fsync:1:-9 LD_PRELOAD=$PWD/fail.so; $as_on_nfs"
	matches "a killed export leaves a file named after the result" '^x[.]folded[.]partial[.][0-9a-f]{16}$' "$(ls | grep x.folded)"
	$export "export FAIL=fsync:1:-19 LD_PRELOAD=$PWD/fail.so; $as_on_nfs" &
	pid=$!
	stopped() { grep -q '^State:.T' /proc/$pid/status; }
	await 300 stopped
	is "the next export removes it, and has a file of its own" 1 "$(ls | grep -c x.folded)"
	succeeds "another export meanwhile" $export "$as_on_nfs"
	is "the file of an export that still runs is kept" 2 "$(ls | grep -c x.folded)"
	mv x.folded another
	kill -CONT $pid
	wait $pid
	is "the export that still runs ends well" 0 $?
	is "two exports to one name leave no other file" x.folded "$(ls | grep x.folded)"
	succeeds "two exports to one name write the same" cmp another x.folded
	rm -f another x.folded*
}

compressed
one_after_another
silent
limits
full_disk
limited_files
slow_disk
few_descriptors
without_proc
live
killed
killed_result
is "the kernel log has no warning" "" \
	"$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
