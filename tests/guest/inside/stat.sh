# SPDX-License-Identifier: GPL-2.0
# lbrctl stat; the sources of loop and family state their counts, and perf is the second
# witness.
. ./lib.sh
. ./session.sh
. ./counted.sh

cpus=$(grep -c ^processor /proc/cpuinfo)
on="$cpus CPUs"

modprobe lbrscope || exit 1
is "instructions and branches exact, $on" "20000004 10000001" \
	"$(counted instructions:u,branches:u ./loop)"
is "perf counts the same instructions and branches, $on" "20000004 10000001" "$(perf stat -x, -e instructions:u,branches:u ./loop 2>&1 |
	awk -F, '$1 ~ /^[0-9]/ { printf "%s%s", sep, $1; sep = " " }')"
is "a group, exact, $on" "20000004 10000001 20000004" \
	"$(counted '{instructions:u,branches:u,r00c0:u}' ./loop)"
is "on each counter, and on a fixed one, exact, $on" "$(yes 20000004 | head -n 9 | xargs)" \
	"$(counted "$(seq 0 7 | sed 's/^/instructions:u@/' | paste -sd,),instructions:u@fixed" ./loop)"
# the cycles of cache misses vary from run to run
set -- $(counted r20000c0:u,r28000c0:u,r10400c0:u ./loop) $(perf stat -x, -e r20000c0:u,r28000c0:u,r10400c0:u ./loop 2>&1 |
	awk -F, '$1 ~ /^[0-9]/ { print $1 }')
is "cmask: cycles with two instructions, as perf counts them, $on" "$4" "$1"
near "cmask and inv: the other cycles, $on" "$5" "$2" 200
near "cmask and edge: changes from one to the other, $on" "$6" "$3" 200
is "children included, exact, $on" "16000149 8000050" "$(counted instructions:u,branches:u ./family)"
is "children: the same by perf, $on" "16000149 8000050" \
	"$(perf stat -x, -e instructions:u,branches:u ./family 2>&1 |
		awk -F, '$1 ~ /^[0-9]/ { printf "%s%s", sep, $1; sep = " " }')"

# attached to: what a process, or a thread, forks, executes and clones from then on
whole=$(counted instructions:u ./threads 300)
mkfifo go
for how in -p -t; do
	sh -c 'read x; ./loop; exec ./threads 300' <go &
	shell=$!
	exec 8>go
	lbrctl stat $how $shell -e instructions:u --json -o attached.json &
	stat=$!
	sampling
	echo >&8
	exec 8>&-
	wait $stat
	near "$how: its children and threads are included, $on" $((20000004 + whole)) \
		"$(sed 's/.*"events":\[{"value":\([0-9]*\).*/\1/' attached.json)" 1000000
done

# nothing but the target is counted, whatever else runs; and with -a all of it is
./tree.static 4000 200 >/dev/null &
other=$!
is "beside another program, exact, $on" "20000004" "$(counted instructions:u ./loop)"
kill $other
wait $other 2>/dev/null
lbrctl stat -a --json -A -e instructions:u -o all.json -- sh -c './loop; ./loop; ./loop' 2>&1
is "--json begins with version and verb, $on" '{"version":1,"verb":"stat","seconds":' "$(head -c 37 all.json)"
near "everything: the program, and a little of others, $on" 60000012 \
	"$(sed 's/.*"events":\[{"value":\([0-9]*\).*/\1/' all.json)" 3000000
is "each CPU: they add up, $on" "$(sed 's/.*"events":\[{"value":\([0-9]*\).*/\1/' all.json)" \
	"$(sed 's/.*"cpus"://' all.json | grep -o '"value":[0-9]*' | awk -F: '{ n += $2 } END { print n }')"

# libpfm4 knows Linux's tracepoints, too, and to know them opens a file for each, of some 2,000
calls=$(perf stat -x, -e raw_syscalls:sys_enter lbrctl stat -e LONGEST_LAT_CACHE:MISS -o counts.txt -- true 2>&1 |
	cut -d, -f1)
[ "$calls" -lt 1000 ] && ok "stat begins with less than 1,000 system calls, $on # $calls" ||
	not_ok "stat begins with less than 1,000 system calls, $on" "$calls"
is "the command has the environment that lbrctl was given, $on" "$(env | grep -v ^_)" \
	"$(lbrctl stat -e LONGEST_LAT_CACHE:MISS -o counts.txt -- env | grep -v ^_)"

# in parts, of several runs, and in each form
rows() { tr -d '\r' <"$1" | sed 1d; }
lbrctl stat -I 20ms --csv -o parts.csv -e instructions:u -- ./loop
is "intervals add up to the count, $on" 20000004 "$(rows parts.csv | awk -F, '{ n += $3 } END { print n }')"
# the second loop begins after three intervals were printed, however late they are
mkfifo told
lbrctl stat -I 20ms --csv -o - -e instructions:u -- sh -c './loop; read x <told; ./loop' >some.csv &
timeout 60 sh -c 'until [ "$(wc -l <some.csv)" -gt 3 ]; do sleep 0.02; done'
echo >told
wait $!
is "intervals: printed in order as they end, $on" yes "$(rows some.csv | awk -F, '$1 <= last { bad = 1 }
	{ last = $1 } END { print (NR > 3 && !bad) ? "yes" : "no" }')"
near "intervals: they have no gaps, $on" 40000008 "$(rows some.csv | awk -F, '{ n += $3 } END { print n }')" 3000000
is "--csv names its columns, and ends lines as RFC 4180 has it, $on" \
	"until,event,value,enabled_ns,running_ns,estimate,error,figure,unit^M" "$(head -n 1 parts.csv | tr '\r' '^' | sed 's/\^/^M/')"
{ timeout 60 lbrctl stat -a -I 20ms --csv -o - -e instructions:u 2>said; echo $? >status; } | head -n 2 >first.csv
is "intervals: end quietly when the reader has ended, $on" "0 2 " "$(cat status) $(grep -c . first.csv) $(cat said)"
{ timeout 60 lbrctl stat -a -I 20ms -e instructions:u 2>&1; echo $? >status; } | head -n 2 >first.txt
is "intervals: on stderr as well, $on" "0 2" "$(cat status) $(grep -c . first.txt)"
is "intervals as JSON: an object each, which add up, $on" 20000004 "$(lbrctl stat -I 20ms --json -o - -e instructions:u -- ./loop |
	sed -n 's/^{"version":1,"verb":"stat","seconds":.*,"until":.*"events":\[{"value":\([0-9]*\),.*}$/\1/p' | awk '{ n += $1 } END { print n }')"
# fields TOOL OPTION...: the fields of -x, with N for each number that is not exact
fields() {
	tool=$1
	shift
	"$tool" stat -x, -o fields -e instructions:u,branches:u "$@"
	grep -v '^#\|^$' fields | sed -E 's/,[0-9]+,100\.00,[0-9.]*,.*/,N,100.00,N,/; s/loop-[0-9]+/loop-TID/'
}
is "-x: the fields of perf, $on" "20000004,,instructions:u,N,100.00,N, 10000001,,branches:u,N,100.00,N," \
	"$(fields perf ./loop | xargs)"
is "-x: the same fields, $on" "$(fields perf ./loop)" "$(fields lbrctl ./loop)"
is "-x --per-thread: the thread first, $on" "loop-TID,20000004,,instructions:u,N,100.00,N," \
	"$(fields lbrctl --per-thread ./loop | head -n 1)"
for option in -A --per-core; do
	# other programs run as well
	is "-x -a $option: the same fields, $on" "$(fields perf -a $option ./loop | sed -E 's/,[0-9]+,,/,N,,/' | sort)" \
		"$(fields lbrctl -a $option ./loop | sed -E 's/,[0-9]+,,/,N,,/' | sort)"
done
is "-x: the clock in milliseconds as perf has it, $on" "$(perf stat -x' ' -e cpu-clock true 2>&1 | cut -d' ' -f2,3)" \
	"$(lbrctl stat -x' ' -e cpu-clock -- true 2>&1 | cut -d' ' -f2,3)"
is "-x -I: the time first, $on" yes "$(lbrctl stat -x'\t' -I 20ms -o - -e instructions:u -- ./loop |
	awk -F'\t' '$1 <= last { bad = 1 } { last = $1; n += $2 } END { print (NR > 1 && !bad && n == 20000004) ? "yes" : "no" }')"
is "--openmetrics, $on" 'lbrscope_events{event="instructions:u"} 20000004' \
	"$(lbrctl stat --openmetrics -o - -e instructions:u -- ./loop | grep ^lbrscope_events)"
lbrctl stat --openmetrics -I 20ms -o last.prom -e instructions:u -- ./loop
is "--openmetrics -I -o: the file has one interval, whole, $on" "1 # EOF" \
	"$(grep -c ^lbrscope_interval_seconds last.prom) $(tail -n 1 last.prom)"
is "--openmetrics -o: the file is for everybody, and another of root's for root, $on" "644 600" \
	"$(stat -c %a last.prom) $(stat -c %a parts.csv)"
is "three runs: their common counts have no error, $on" '"estimate":20000004,"error":0' \
	"$(lbrctl stat -r 3 --json -o - -e instructions:u -- ./loop | grep -o '"estimate":.*"error":[0-9.]*')"
# one loop in the first run, two in the second, three in the third: their deviation is one
: >nr
lbrctl stat -r 3 --json -o runs.json -e instructions:u -- sh -c 'echo ./loop >>nr; . ./nr'
near "the mean of several runs, $on" 40000008 "$(grep -o '"estimate":[0-9]*' runs.json | cut -d: -f2)" 3000000
near "the error of that mean, by Student's t, $on" $((20000004 * 4303 / 1732)) \
	"$(grep -o '"error":[0-9]*' runs.json | cut -d: -f2)" 3000000
lbrctl stat -r 2 -- sh -c 'exit 3' 2>/dev/null
is "the status is the runs', $on" 3 $?
lbrctl stat -r 2 -- mv /dev/lbrscope /dev/away >said 2>&1
is "a run that cannot begin, and says so, $on" "125 yes" "$? $(grep -q 'lbrscope does not exist' said && echo yes)"
mv /dev/away /dev/lbrscope
timeout -s INT 6 lbrctl stat -r 10000 -e instructions:u -- ./loop >said 2>&1
matches "runs until a signal are printed, $on" '^ *20,000,004  instructions:u' "$(cat said)"
lbrctl stat -a -A --csv -o cpus.csv -e '{instructions,cycles}' -- sh -c './loop & ./loop; wait'
lbrctl stat -a --per-core --csv -o cores.csv -e '{instructions:u,cycles:u}' -- sh -c './loop & ./loop; wait'
is "-A has a line for each CPU, $on" "$(seq 0 $((cpus - 1)) | xargs)" \
	"$(rows cpus.csv | awk -F, '/instructions/ { print $1 }' | xargs)"
is "--per-core has one for each core, $on" \
	"$(cat /sys/devices/system/cpu/cpu[0-9]*/topology/core_id | sort -n | uniq | xargs)" \
	"$(rows cores.csv | awk -F, '/instructions/ { print $3 }' | sort -n | xargs)"
near "cores: they add up, $on" 40000008 "$(rows cores.csv | awk -F, '/instructions/ { n += $5 } END { print n }')" 4000000
is "instructions per cycle are that, $on" "$(rows cpus.csv | awk -F, '/"instr/ { i = $3 } /"cycles/ { printf "%.6f ", i / $3 }')" \
	"$(rows cpus.csv | awk -F, '/"instr/ { printf "%s ", $8 }')"
sleep 1000 &
is "-A without a running task: no lines, $on" "" "$(lbrctl stat -p $! -A --csv -o - -e instructions:u -- sleep 0.1 | sed 1d)"
kill $!
echo old >kept
lbrctl stat -o kept -e "{$(yes branches:u@general | head -n 16 | paste -sd,)}" -- true 2>/dev/null
is "a file is replaced by a whole one only, $on" old "$(cat kept)"

. ./stat-threads.sh

many=$(yes branches:u@general | head -n 16 | paste -sd,)
is "a group that needs more counters than there are is refused, $on" yes \
	"$(lbrctl stat -e "{$many}" -- ./loop 2>&1 | grep -q 'not enough counters' && echo yes)"
is "an event that no counter counts is refused, $on" yes \
	"$(lbrctl stat -e ref-cycles@general -- ./loop 2>&1 | grep -q 'none of the counters' && echo yes)"
# what MSR_OFFCORE_RSP_0 holds on CPU 0
echo 'dd if=/dev/cpu/0/msr bs=8 count=1 skip=422 iflag=skip_bytes 2>/dev/null | od -An -tx8' >offcore
modprobe msr
is "an event's own register is written, $on" 0000000000010001 \
	"$(lbrctl stat -o stat.out -e r1b7@extra=10001 -- taskset 1 sh ./offcore | tr -d ' ')"
is "an event's own register is restored, $on" 0000000000000000 "$(sh ./offcore | tr -d ' ')"
# bits that the registers do not have; the first event's had been written by then
said=$(lbrctl stat -e r1b7@extra=10001,r1bb@extra=10000000000 -- true 2>&1)
is "a value that an event's register does not take is refused, $on" 125 $?
matches "the refusal of that value names the event, $on" "does not take the EXTRA" "$said"
is "the refusal of that value restores the other event's register, $on" 0000000000000000 "$(sh ./offcore | tr -d ' ')"
is "the refusal of that value does not affect a later count, $on" "20000004" "$(counted instructions:u ./loop)"

# several events with samples, and a group that is read with them
lbrctl record -e instructions:u,branches:u -c 1000003 -o two.data -- ./loop >/dev/null 2>say
is "two events: samples of each, $on" "19 9" "$(perf_script -i two.data -F event 2>/dev/null |
	awk '/^ *instr/ { i++ } /^ *branch/ { b++ } END { print i, b }')"
lbrctl record -e '{instructions:u,branches:u,r02c4:u}:S' -c 1000003 -o group.data -- ./loop >/dev/null 2>say
is "a group: each sample has the other events' counts since the previous sample, $on" \
	"19 19 500001 500002" "$(perf_script -i group.data -F event,period 2>/dev/null |
	awk '/instr/ { i++ } /branches/ { b++; if (!low || $1 < low) low = $1; if ($1 > high) high = $1 }
		END { print i, b, low, high }')"

# A group on all CPUs, each with its own counts: the shares are those of perf report.
lbrctl record -a -e '{instructions:u,branches:u}:S' -c 100003 -o all.data -- \
	sh -c './loop & ./loop; wait' >/dev/null 2>say
near "a group, of all CPUs: perf has our share of the program, in hundredths of a percent, $on" \
	"$(lbrctl report -i all.data -s comm --csv | awk -F, '$2 == "\"loop\"" { printf "%d", 10000 * $5 }')" \
	"$(perf report -i all.data --stdio --no-children -g none -s comm 2>/dev/null |
		awk '$NF == "loop" { printf "%d", 100 * $1 }')" 50

# counts that run: read again and again while NMIs come between
mkfifo counting.in
./counting 10007 <counting.in >counting.out &
counting=$!
exec 8>counting.in
sampling
# five loops, and more where the reader has little of the CPUs
loops=0
while [ $loops -lt 5 ] || { [ $loops -lt 100 ] && ! grep -q often counting.out; }; do
	./loop
	loops=$((loops + 1))
done
exec 8>&-
wait $counting
told() { awk -v name="$1" '$1 == name { print $2 }' counting.out; }
is "read while they run: often, and never less than before, $on" "yes 0" \
	"$(grep -q often counting.out && echo yes) $(told back)"
near "read while they run: a sample for each period that was counted, $on" \
	"$(awk '/^cpu/ { n += int($2 / 10007) } END { print n }' counting.out)" "$(told produced)" 0
near "read while they run: the loops, and a little of others, $on" $((10000001 * loops)) \
	"$(awk '/^cpu/ { n += $3 } END { print n }' counting.out)" $((1800000 * loops))

# what only counts overflows too, after 2^31 events: the counter is moved to just before that
lbrctl record -C 0 -e '{instructions:u@0,branches:u@1}:S' -c 100003 -o over.data -- taskset 1 sh -c '
	./loop
	printf "\234\377\377\377\000\000\000\000" |
		dd of=/dev/cpu/0/msr bs=8 count=1 seek=194 oflag=seek_bytes 2>/dev/null
	./loop' >/dev/null 2>&1
is "an overflow of a counted event is no sample, $on" '"event":"instructions:u@0"' \
	"$(lbrctl script --json -i over.data | grep -o '"event":[^,]*' | sort -u)"

# Another program writes an event select without reserving it: cycles in the kernel, off. The
# overflows of the other counters must not become unknown NMIs
for cpu in $(seq 0 $((cpus - 1))); do
	lbrctl record -C "$cpu" -e instructions:u@0,branches:u@1,cycles:u@fixed -c 100003 -o taken.data -- taskset $((1 << cpu)) sh -c "
		./loop
		printf '\\074\\000\\002\\000\\000\\000\\000\\000' |
			dd of=/dev/cpu/$cpu/msr bs=8 count=1 seek=390 oflag=seek_bytes 2>/dev/null
		./loop; ./loop; ./loop" >/dev/null 2>say
	matches "the PMU is taken: it is said, CPU $cpu of $cpus" 'PMU taken 1' "$(cat say)"
	is "the PMU is taken: its registers are not touched, CPU $cpu of $cpus" 000000000002003c \
		"$(dd if=/dev/cpu/$cpu/msr bs=8 count=1 skip=390 iflag=skip_bytes 2>/dev/null | od -An -tx8 | tr -d ' ')"
	printf '\000\000\000\000\000\000\000\000' |
		dd of=/dev/cpu/$cpu/msr bs=8 count=1 seek=390 oflag=seek_bytes 2>/dev/null
done
lbrctl stat -C 0 -e branches:u@0 -- sh -c "printf '\\074\\000\\002\\000\\000\\000\\000\\000' |
	dd of=/dev/cpu/0/msr bs=8 count=1 seek=390 oflag=seek_bytes 2>/dev/null" >/dev/null 2>say
matches "the PMU is taken: counts are said to be short, $on" 'on 1 CPU.*too low' "$(cat say)"
printf '\000\000\000\000\000\000\000\000' |
	dd of=/dev/cpu/0/msr bs=8 count=1 seek=390 oflag=seek_bytes 2>/dev/null

is "-d: what perf -d counts, $on" "$(perf stat -d -x, true 2>&1 | awk -F, '/L1|LLC/ { print $3 }' | sed 's/:.*//' | xargs)" \
	"$(lbrctl stat -d -x, -- true 2>&1 | awk -F, '/L1|LLC/ { print $3 }' | xargs)"
is "perf counts again, $on" 20000004 "$(perf_counts)"
succeeds "rmmod, $on" rmmod lbrscope
is "the kernel log has no warning, $on" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
