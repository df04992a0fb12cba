# SPDX-License-Identifier: GPL-2.0
# ./loop executes 20,000,004 instructions in user mode; 10,000,001 of them are branches. Each of one or
# more events that count them, up to the number of counters, must have that number divided by the
# period as its number of samples, under every fault. The file "plan" says how many samples of an event the fault may add or take away (slack), an
# option of the recordings, and whether overflows come early, so that there are more of them; it
# may name the periods.
. ./lib.sh
periods="10007 25013"
. ./plan
echo 0 >/proc/sys/kernel/unknown_nmi_panic

lbrctl load || exit 1
most=$(lbrctl info | sed -n 's/^pmu.*, \([0-9]*\) general.*/\1/p')
tried=0
all=0

# judge NAME WANT: the sum of the recording
judge() {
	produced=$(sed -n 's/.*produced \([0-9]*\) = .*/\1/p' said)
	all=$((all + ${produced:-0}))
	if [ -z "$early" ]; then
		near "$1: the counters' own count" "$2" "$produced" $((slack * events))
	else
		is "$1: not fewer than the counters' own count" yes \
			"$([ "${produced:-0}" -ge "$2" ] && echo yes || echo "no: $produced of $2")"
	fi
	is "$1: all delivered" "" "$(grep -o 'lost [1-9].*' said)"
}

# count WHAT LIST WANT: a recording of these $events events
count() {
	lbrctl record "$option" -m 16M -e "$2" -c "$period" -o r.data -- ./loop >said 2>&1 ||
		not_ok "$1, period $period" "$(cat said)"
	judge "$1, period $period" "$3"
	tried=$((tried + 1))
}

for period in $periods; do
	each=$((20000004 / period))
	list=instructions:u
	mixed=instructions:u,branches:u
	due=$((each + 10000001 / period))
	events=1
	while [ $events -le "${most:-1}" ]; do
		count "$events events" $list $((each * events))
		list=$list,instructions:u
		events=$((events + 1))
	done
	events=2
	while [ $((events + 2)) -le "${most:-1}" ]; do
		mixed=$mixed,instructions:u,branches:u
		due=$((due + each + 10000001 / period))
		events=$((events + 2))
	done
	count "$events events of two kinds" $mixed $due
done
lbrctl unload
echo "# produced in all: $all"
echo "tried $tried recordings of a program whose count is known"
finish
