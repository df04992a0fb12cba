# SPDX-License-Identifier: GPL-2.0
# Stacks from memory where the LBR does not prove them, and the audit of the others.
. ./lib.sh

# record NAME OPTIONS...
record() {
	recording=$1
	shift
	succeeds "lbrctl record $recording" lbrctl record -e instructions:u -o $recording.data "$@"
	lbrctl report -v -i $recording.data >$recording.report
	lbrctl report --json -i $recording.data >$recording.report.json
	succeeds "lbrctl export $recording" lbrctl export --format json -i $recording.data -o $recording.json
}

succeeds "lbrctl load" lbrctl load

# a calm program: nothing but the audits is read from memory
record calm --audit 5 -c 100003 -- ./tree 300 800
matches "a calm program is complete by the LBR" "Stacks: [0-9]+ complete \\((100.00|99.[0-9]+)%\\)" "$(cat calm.report)"
matches "the audits of a calm program agree" "^# Audit: [0-9]{3} of the stacks that the LBR alone gives were checked against memory, 0 disagreed: at most 0\\.[0-9]+ % of them are wrong \\(95 %\\)" "$(cat calm.report)"
matches "as the JSON says" '"audit": *\{"checked": *[0-9]+, *"disagreed": *0, *"failed_processes": *0' "$(cat calm.report.json)"
# but for its first samples
calm=$(lbrctl script --json -i calm.data | wc -l)
unwound=$(sed -n 's/^# Unwound: \([0-9]*\) .*/\1/p' calm.report)
is "few stacks are unwound" yes "$([ "${unwound:-0}" -le $((calm / 20)) ] && echo yes || echo "$unwound of $calm")"

record unaudited --audit 0 -c 100003 -- ./tree 300 200
is "without audits the report has no line about them" "" "$(grep Audit unaudited.report)"

# deeper than the LBR: whole from the first sample on
record deep -c 500009 -- ./chain 250 4000
matches "a program that is deeper than the LBR is whole" "Stacks: [0-9]+ complete \\((100.00|99.[0-9]+)%\\)" "$(cat deep.report)"
# the LBR is wrong, and nothing else shows it. Six incarnations have 0 to 400 checks, of which one in 50
# disagrees.
# shellcheck disable=SC2046 # several words
record sides --audit 5 -c 20011 -- ./sides $(yes 2 | head -n 40)
matches "audits that disagree" "^# Audit: .*, [1-9][0-9]* disagreed in 1 process" "$(cat sides.report)"
# at first the program is calm
record wild --audit 5 -c 20011 -- ./corpus all 60 5000

# a process that runs already is whole from the first sample
./chain 250 1000000 &
pid=$!
sleep 1
record attached -c 100003 -d 1s -p $pid
kill $pid
matches "a running process is whole" "Stacks: [0-9]+ complete \\((100.00|99.[0-9]+)%\\)" "$(cat attached.report)"

succeeds "lbrctl unload" lbrctl unload
finish
