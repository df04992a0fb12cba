# SPDX-License-Identifier: GPL-2.0
# ./loop runs 20,000,004 instructions in user mode: one to as many events as there are counters
# that sample them must each have that number divided by the period, whatever the fault. What
# the machine adds or delays by itself is "slack" for each event, in the file of that name.
. ./lib.sh
. ./slack
echo 0 >/proc/sys/kernel/unknown_nmi_panic

lbrctl load || exit 1
most=$(lbrctl info | sed -n 's/^pmu.*, \([0-9]*\) general.*/\1/p')
tried=0
for period in 10007 25013; do
	list=instructions:u
	events=1
	while [ $events -le "${most:-1}" ]; do
		lbrctl record --no-lbr -e $list -c $period -o r.data -- ./loop >said 2>&1 ||
			not_ok "$events events, period $period" "$(cat said)"
		near "$events events, period $period: the counters' own count" \
			$((20000004 / period * events)) \
			"$(sed -n 's/.*produced \([0-9]*\) = .*/\1/p' said)" $((slack * events))
		is "$events events, period $period: all delivered" "" "$(grep -o 'lost [1-9].*' said)"
		tried=$((tried + 1))
		list=$list,instructions:u
		events=$((events + 1))
	done
done
lbrctl unload
echo "tried $tried recordings of a program whose count is known"
finish
