# SPDX-License-Identifier: GPL-2.0
# Makes a capture NAME.data of each kind: the lines of the file "plan" are NAME and the options of
# lbrctl record. What it says is in NAME.txt.
. ./lib.sh

perf record -q -g -o p.data -- ./shop 4 300 >shop.out 2>p.txt
is "perf record" 0 $?
succeeds "lbrctl load" lbrctl load
while read -r name options; do
	# shellcheck disable=SC2086
	lbrctl record $options -o "$name.data" -- ./shop 4 300 >shop.out 2>"$name.txt"
	is "lbrctl record $options" 0 $?
done <plan
if [ -e waits.data ]; then
	lbrctl export --format perf -i waits.data -o exported.data 2>exported.txt
	is "lbrctl export --format perf" 0 $?
	# As the report, it leaves out times in which a task could have run.
	lbrctl report -i waits.data -e offcpu-time >waits.report
	preempted=$(sed -n 's/^# Preempted: \([0-9]*\) times.*/\1/p' waits.report)
	sed -n '/^lbrctl: [0-9]* samples/p' waits.txt >exported.txt
	delivered=$(sed -n 's/.*times off the CPU.*: \([0-9]*\) delivered.*/\1/p' waits.txt)
	echo "times off the CPU: $((delivered - ${preempted:-0})) delivered" >>exported.txt
fi
succeeds "lbrctl unload" lbrctl unload
finish
