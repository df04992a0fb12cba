# SPDX-License-Identifier: GPL-2.0
# Overflows during the handler or the scheduler's hook. The machine panics at an NMI without an
# owner. The host reads the number of periods from counts.txt.
. ./lib.sh

succeeds "lbrctl load" lbrctl load
if lbrctl info | grep -q '^lbr *none'; then b=; else b=-b; fi

# produced LABEL OPTION... -- COMMAND...: a line "LABEL NUMBER" for each recording
produced() {
	label=$1
	shift
	lbrctl record -o r.data "$@" >said 2>&1 || not_ok "$label: lbrctl record" "$(cat said)"
	sed -n "s/.*produced \([0-9]*\) = .*/$label \1/p" said >>counts.txt
}

# events FILE: "NUMBER PERIODS EVENT" for each event of a capture; PERIODS is their sum
events() {
	perf_script -i "$1" -F event,period 2>/dev/null |
		awk '$2 != "budget:" { n[$2]++; sum[$2] += $1 } END { for (e in n) print n[e], sum[e], e }'
}

# Stopped and started at each switch; overflows fall into the stopping.
mkfifo there1 there2 there3 there4
succeeds "six events beside thousands of switches: every NMI is claimed" \
	lbrctl record -e instructions,instructions,instructions,cycles,cycles,branches \
	--jitter 50 -c 10007 --no-lbr -o r.data -- sh -c '
	for i in 1 2 3 4; do ./ping 3000 <there$i | ./pong 3000 >there$i & done; wait'

# A handler of tens of thousands of cycles: each of the events overflows while it runs, until
# the budget has stretched the periods. All of these events count cycles
# (tests/lab/README.md), so that their samples stand for as many of them. The number of
# samples differs: each event's period is stretched when its own sample is taken. Without branch
# records the handler is shorter, and until the stretching one event is handled in turn with the
# others: it has less dead time than they, also on zen4 without -b.
cycles=cycles,r13c,r100003c,r108000c0,r108000c4
if [ -n "$b" ]; then least=0.95; else least=0.8; fi
case $(lbrctl info) in *AMD*) cycles=cycles,r1000076,r108000c0,r108000c2,r108000c3 ;; esac
# shellcheck disable=SC2086 # an option, or none
succeeds "events that overflow in the handler" lbrctl record -a -m 16M --budget 5 -e "$cycles" \
	-c 10000 $b --stack-window=32768 -o r.data -- ./straight
events r.data >seen
is "events that overflow in the handler: all of them go on sampling" "5 events, for as many cycles each" \
	"$(awk -v share=$least '{ if ($1 < 100) few = 1; if (!n || $2 < least) least = $2; if ($2 > most) most = $2; n++ }
	END { print n " events, " (!few && least > most * share ? "for as many cycles each" : least " to " most) }' seen)"

for list in instructions,cycles,branches,branch-misses cycles,branch-misses; do
	produced "$list" --no-lbr -c 10007 -e $list -- ./tree.static 3000 5
done
# The kernel may do other work in the task's time, such as printing a message: the least of three
# recordings is that of the program alone.
for i in 1 2 3; do
	produced kernel --no-lbr -c 10007 -e cycles:k,instructions:k -- ./tree.static 6000 5
done
[ -z "$b" ] || produced history -b -c 10007 -e cycles -- ./tree.static 3000 5
succeeds "unload" lbrctl unload
finish
