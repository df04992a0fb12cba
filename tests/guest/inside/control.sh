# SPDX-License-Identifier: GPL-2.0
# Recordings that are controlled while they run: -D, and --control. ./loop executes the same number
# of instructions in each process, and its pid says which parts of the program were recorded.
# shellcheck shell=sh

loops=$((20000004 / 100003))

# control OPTIONS... -- SCRIPT: the script's processes are recorded; it writes the pids of its loops to
# pids. One sample is in flight at each end of a loop.
control() {
	: >pids
	rm -f control.data
	lbrctl record -e instructions:u -c 100003 --no-lbr -o control.data "$@" 2>control.said
	status=$?
}
loop='./loop & echo $! >>pids; wait'

# kept: for each loop, whether all of its samples are in the file, none, or some
kept() {
	perf script -i control.data -F pid 2>/dev/null >samples
	while read -r pid; do
		n=$(grep -cw "$pid" samples)
		if [ "$n" -eq 0 ]; then echo none; elif [ $((n - loops)) -ge -1 ] && [ $((n - loops)) -le 1 ]; then
			echo all; else echo "$n"; fi
	done <pids | xargs
}

# accounts: whether what the summary says is whole: produced, delivered, written and omitted
accounts() {
	tr '\n' ' ' <control.said | sed -n 's/^lbrctl: \([0-9]*\) samples .*produced \([0-9]*\) = delivered \([0-9]*\) + lost 0.*lbrctl: \([0-9]*\) of the delivered samples.*/\1 \2 \3 \4/p' |
		awk -v file="$(grep -c . samples)" '{ print ($1 == file && $2 == $3 && $1 + $4 == $3) ? "yes" : $0 " " file }'
}

mkfifo commands acks
tell="tell() { echo \$1 >commands; read -r said <acks; echo \"\$said\" >>said; }; "

control -D -1 --control fifo:commands,acks -- sh -c "$tell $loop; tell enable; $loop; tell disable; $loop"
is "--control: samples between enable and disable, $on" "none all none" "$(kept)"
is "--control: the summary says how many samples were omitted, $on" yes "$(accounts)"
is "--control: each command is acknowledged, $on" "ack ack" "$(xargs <said)"
control --control fifo:commands -- sh -c "$loop; echo disable >commands; sleep 0.5; $loop; echo enable >commands; sleep 0.5; $loop"
is "--control: enabled at first, without acknowledgements, $on" "all none all" "$(kept)"
# the program commands by descriptors that it inherits
control -D -1 --control fd:8,9 -- sh -c "$loop; echo enable >&8; read -r said <&9; $loop" 8<>commands 9<>acks
is "--control fd: a program that commands its own recording, $on" "none all" "$(kept)"
control -D 700 -- sh -c "$loop; sleep 2; $loop"
is "-D: no samples before the end of the delay, $on" "none all" "$(kept)"
is "-D: the summary says how many samples were omitted, $on" yes "$(accounts)"

control --control fifo:commands,acks -- sh -c "$tell $loop; tell stop; sleep 100"
is "--control: stop ends the recording, $on" "all" "$(kept)"
: >said
control --control fifo:commands,acks -- sh -c "$tell echo nonsense >commands; tell ping; $loop"
is "--control: an unknown command is not acknowledged, $on" ack "$(xargs <said)"
matches "--control: an unknown command is named, $on" "no command 'nonsense': enable, disable, snapshot" "$(cat control.said)"

control --flight --control fifo:commands,acks -- sh -c "$tell $loop; tell disable; $loop; tell enable; tell snapshot"
mv control.data.1 control.data
is "--control: snapshot writes what a flight recorder holds, without what was disabled, $on" "all none" "$(kept)"
control --switch-output --control fifo:commands,acks -- sh -c "$tell $loop; tell snapshot; $loop; tell snapshot"
is "--control: snapshot begins a new file, $on" 3 "$(find . -name 'control.data.2*' | grep -c .)"
rm -f control.data.*

seq 20000 >input
control -- sh -c "sleep 1; cat >output" <input
is "without --control the standard input is the command's alone, $on" same "$(cmp input output && echo same)"
rm -f input output

control -q -- ./loop
is "-q: nothing is printed, $on" "0 " "$status $(cat control.said)"
for options in "--control fifo:missed" "--control fifo:pids" "--control fd:77" "--control fd:9x" "-D -1" "-D x"; do
	# shellcheck disable=SC2086
	control $options -- ./loop
	is "refused: $options, and nothing is recorded, $on" "no file" "$([ $status -ne 0 ] && [ ! -e control.data ] && echo no file)"
done
rm -f commands acks
