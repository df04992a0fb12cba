# SPDX-License-Identifier: GPL-2.0
# Changes during a recording: thousands of threads at once, a cgroup that is removed, a clock
# that is set. The file "threads" has the number of threads.
. ./lib.sh
. ./threads

# said FIGURE: of the last recording's summary, produced, delivered or lost
said() { sed -n "s/.* $1 \([0-9]*\).*/\1/p" said; }
adds_up() { is "$1: produced = delivered + lost" "$(said produced)" $(($(said delivered) + $(said lost))); }

# samples FILE: of each sample the task's name, its tid and its time
samples() {
	lbrctl script -i "$1" 2>/dev/null |
		sed -n 's/^ *\([^ ]*\) *\([0-9]*\) .* \([0-9][0-9.]*\): .*instructions:u:.*/\1 \2 \3/p'
}

# sampled FILE: how many threads of ./many but the first have at least two samples; each runs three
# periods
sampled() {
	samples "$1" | awk '
		$1 == "many" { n[$2]++ }
		END { for (tid in n) if (n[tid] > 1) all++; print all - 1 }'
}

many_threads() {
	lbrctl record -m 16M --no-lbr -e instructions:u -c 10007 -o m.data -- ./many "$threads" >out 2>said
	is "$threads threads: status" 0 $?
	is "$threads threads: all were there" "$threads threads" "$(cat out)"
	adds_up "$threads threads"
	is "$threads threads: nothing is lost" 0 "$(said lost)"
	is "$threads threads: each has its samples" "$threads" "$(sampled m.data)"

	mkfifo go
	./many "$threads" <go >out &
	many=$!
	exec 3>go
	await 600 test -s out
	lbrctl record -p $many -m 16M --no-lbr -e instructions:u -c 10007 -o p.data 2>said &
	record=$!
	sampling
	echo >&3
	exec 3>&-
	wait $many
	is "$threads threads, attached: they run" 0 $?
	wait $record
	is "$threads threads, attached: status" 0 $?
	adds_up "$threads threads, attached"
	is "$threads threads, attached: nothing is lost" 0 "$(said lost)"
	is "$threads threads, attached: each has its samples" "$threads" "$(sampled p.data)"
	rm -f m.data p.data go
}

# loops FILE: samples of ./loop
loops() { samples "$1" | grep -c '^loop '; }

# The counter of a whole CPU counts other tasks too: with every switch the phase at which
# loop goes on is another one, and half a sample more or less is its own. One in twenty is
# far above that sum and far below a loss.
of_a_cpu() { near "$1" "$2" "$3" $(($2 / 20)); }

vanishing_cgroup() {
	group=/sys/fs/cgroup/gone
	mount -t cgroup2 none /sys/fs/cgroup
	echo +pids >/sys/fs/cgroup/cgroup.subtree_control
	mkdir $group
	lbrctl record -G gone -e instructions:u -c 100003 -o g.data 2>said &
	record=$!
	sampling
	within() { sh -c "echo 0 >$group/cgroup.procs && exec ./loop"; }
	within
	await 50 rmdir $group 2>/dev/null
	is "a cgroup that is recorded can be removed" no "$(test -e $group && echo yes || echo no)"
	# another one of the same name is another one
	mkdir $group
	within
	./loop
	is "a cgroup that is gone: the recording goes on" yes "$(kill -0 $record && echo yes)"
	kill -INT $record
	wait $record
	is "a cgroup that is gone: status" 0 $?
	adds_up "a cgroup that is gone"
	near "a removed cgroup: the samples of its tasks, and no others" $((20000004 / 100003)) "$(loops g.data)" 1

	lbrctl record -a --all-cgroups -e instructions:u -c 100003 -o a.data 2>said &
	record=$!
	sampling
	within
	await 50 rmdir $group 2>/dev/null
	./loop
	kill -INT $record
	wait $record
	is "each sample's cgroup, and one goes: status" 0 $?
	of_a_cpu "each sample's cgroup, and one goes: all samples are there" $((2 * (20000004 / 100003))) "$(loops a.data)"
	succeeds "each sample's cgroup, and one goes: the report" lbrctl report -i a.data
	is "each sample's cgroup, and one goes: no group is left" "" "$(ls -d $group 2>/dev/null)"
}

clock_jumps() {
	now=$(date +%s)
	lbrctl record -a -e instructions:u -c 100003 -d 6s -o c.data 2>said &
	record=$!
	sampling
	began=$(cut -d' ' -f1 /proc/uptime)
	for jump in 100000000 -200000000 100000000 -1 1; do
		./loop
		date -s "@$(($(date +%s) + jump))" >/dev/null
	done
	wait $record
	is "the clock is set: status" 0 $?
	near "the clock is set: -d is as long as without" 6 \
		"$(awk "BEGIN { print $(cut -d' ' -f1 /proc/uptime) - $began }")" 3
	adds_up "the clock is set"
	of_a_cpu "the clock is set: all samples are there" $((5 * (20000004 / 100003))) "$(loops c.data)"
	samples c.data | awk '{ print $3 }' >times.txt
	is "the clock is set: times go on" "" "$(sort -nc times.txt 2>&1)"
	is "the clock is set: there are times" yes "$([ "$(wc -l <times.txt)" -gt 900 ] && echo yes || wc -l <times.txt)"

	# a file of a rotation is named by the clock, which shows the same time again
	mkdir same
	lbrctl record -a -e instructions:u -c 100003 --switch-output -o same/r.data 2>said &
	record=$!
	sampling
	switches=12
	switch=0
	while [ $switch -lt $switches ]; do
		./loop
		date -s "@$((now + 1000))" >/dev/null
		kill -USR2 $record
		switch=$((switch + 1))
		await 100 switched $switch
	done
	kill -INT $record
	wait $record
	is "the clock shows the same time again: status" 0 $?
	date -s "@$((now + 60))" >/dev/null
	set -- same/r.data.*
	is "the clock shows the same time again: a file for each switch, and the last" $((switches + 1)) $#
	is "the clock shows the same time again: the files together have all samples" "$(said delivered)" \
		"$(for f; do samples "$f"; done | grep -c .)"
	rm -r same
}
# switched N: N files are announced
switched() { [ "$(grep -c 'samples in same/r.data' said)" -ge "$1" ]; }

lbrctl load || exit 1
many_threads
vanishing_cgroup
clock_jumps
succeeds "unload" lbrctl unload
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
echo "tried $threads threads at once"
finish
