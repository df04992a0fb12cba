# SPDX-License-Identifier: GPL-2.0
# A foreign watchpoint is hit again and again while ./tree is recorded.
. ./lib.sh

succeeds "lbrctl load" lbrctl load

lbrctl record -a -e instructions:u -c 100003 -o tree.data -- sh -c '
	./tree 300 1000 &
	while kill -0 $! 2>/dev/null; do
		perf stat -x, -e mem:0x402000:w:u ./triggers 2>>hits
	done' >/dev/null 2>said || not_ok "lbrctl record" "$(cat said)"
matches "a watchpoint of perf's was hit" '^100,' "$(cat hits)"
lbrctl script --no-inline -i tree.data >tree.txt

# The same where a stack is known: ./stored writes the variable under other functions than those
# that call work(). No other task comes to the CPU, so that no switch notices that the recording
# is off. An exception does not switch architectural records off; there CPU 1 does.
modprobe msr
taskset -p 1 $$ >/dev/null
read -r variable <variable
read -r model <model
beside() {
	case $model in
	sapphirerapids)
		taskset 2 ./poke 0 0x14ce 0 again &
		poker=$!
		"$@"
		kill $poker
		echo "100," >hits
		;;
	*) perf stat -x, -o hits -e "mem:$variable:w:u" "$@" ;;
	esac
}
# stacks NAME OPTIONS...: "good" and "false" samples in work()
stacks() {
	name=$1
	shift
	lbrctl record -a "$@" -e instructions:u -c 20011 -o stored.data 2>said &
	recorder=$!
	sampling
	beside ./stored 100
	kill -INT $recorder
	wait $recorder
	is "$name: status" 0 $?
	matches "$name: a watchpoint was hit" '^100,' "$(grep ^100 hits)"
	lbrctl script --no-inline -i stored.data >stored.txt
	awk -v RS= '{ split($0, line, "\n") }
		line[2] ~ / work\+/ { if (/ (store|writes_)/) bad++; else if (/ works_one/) good++; else none++ }
		END { print "good", good + 0, "false", bad + 0, "none", none + 0 }' stored.txt >judged
	matches "$name: no sample has the stack of the store # $(cat judged)" '^good [0-9]{3,} false 0 ' "$(cat judged)"
	matches "$name: lbrctl says that some have none" \
		'^lbrctl: [1-9][0-9]* samples have no branches: a watchpoint' "$(grep 'no branches' said)"
}
stacks "call stacks" --call-graph lbr
stacks "with the user stack where it is needed"

# A signal handler at an address that no instruction can have: the module writes it nowhere.
lbrctl record --call-graph lbr -e instructions:u -c 10007 -o astray.data -- ./astray 2>said ||
	not_ok "lbrctl record ./astray" "$(cat said)"
perf script -i astray.data -F brstack 2>/dev/null >astray.txt
is "a signal handler nowhere: the handler of the fault is sampled" yes \
	"$([ "$(wc -l <astray.txt)" -gt 100 ] && echo yes || wc -l <astray.txt)"
is "a signal handler nowhere is in no branch record" 0 "$(grep -c 0x8000000000000000 astray.txt)"

# Somebody switches all counters on while no target runs. An overflow that stayed in the status
# would be taken for one of the target's, at its next NMI.
mkfifo go there
# recorded COMMAND...: the number of samples of a target that waits while COMMAND runs
recorded() {
	sh -c 'read -r _ <go; ./loop; echo >there; read -r _ <go; exec ./loop' &
	target=$!
	lbrctl record -p $target --no-lbr -e instructions:u,branches:u -c 100003 -o p.data 2>said &
	recorder=$!
	sampling
	echo >go
	read -r _ <there
	"$@"
	echo >go
	wait $target $recorder
	sed -n 's/.*produced \([0-9]*\) = .*/\1/p' said
}
counters_on() {
	./poke 0 0x38f 0x70000000f && ./loop
	lbrctl regs | awk '$2 ~ /GLOBAL_(STATUS|CTRL)$/ { print $2, $3 }' >state
}
alone=$(recorded ./loop)
beside=$(recorded counters_on)
is "counters that others switch on while no target runs are not its samples" "$alone" "$beside"
is "they are stopped at their first overflow, which is acknowledged" \
	"IA32_PERF_GLOBAL_STATUS 0000000000000000 IA32_PERF_GLOBAL_CTRL 0000000000000000" "$(echo $(cat state))"
is "the target has its samples" yes "$([ "$alone" -ge 598 ] && echo yes || echo "$alone")"

succeeds "lbrctl unload" lbrctl unload
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received|unchecked')"
finish
