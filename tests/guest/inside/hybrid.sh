# SPDX-License-Identifier: GPL-2.0
# CPU 0 is a big core, CPU 1 a small one.
. ./lib.sh

# refused NAME REGEX COMMAND...: it fails, and says so
refused() {
	name=$1 regex=$2
	shift 2
	if said=$("$@" 2>&1); then
		not_ok "$name" "$*: not refused"
	else
		matches "$name" "$regex" "$said"
	fi
}

# n_of N: a group of N events that are on general counters at the same time
n_of() {
	list=instructions:u@general
	i=1
	while [ $i -lt "$1" ]; do
		list=$list,instructions:u@general
		i=$((i + 1))
	done
	echo "{$list}"
}

# values: the counts of a stat, one a line
values() { awk '/instructions|r01c6/ { gsub(",", "", $1); print $1 }' "$1"; }

succeeds "lbrctl load" lbrctl load
lbrctl info --json >info.txt
info=$(lbrctl info)
matches "lbrctl info: the big core" "^cores +0: big, 8 general counters, 3 fixed, lbr of 32 entries" "$info"
matches "lbrctl info: the small core" "^cores +1: small, 6 general counters, 3 fixed, lbr of 32 entries" "$info"
matches "lbrctl info: the capabilities that both types have" "^pmu .* 6 general counters" "$info"

succeeds "six counters on both" lbrctl stat -o six -a -e "$(n_of 6)" -- taskset 1 ./loop
refused "seven counters on both: refused, and where" "CPUs 1 cannot" \
	lbrctl stat -a -e "$(n_of 7)" -- true
refused "seven on the small core" "not enough counters" lbrctl stat -C 1 -e "$(n_of 7)" -- true
succeeds "eight on the big core" lbrctl stat -o eight -C 0 -e "$(n_of 8)" -- taskset 1 ./loop
is "eight on the big core: all of them count" "8" "$(values eight | awk '$1 >= 20000004' | wc -l)"
refused "nine on the big core" "not enough counters" lbrctl stat -C 0 -e "$(n_of 9)" -- true
refused "counter 7 of all" "CPUs 1 cannot" lbrctl stat -a -e instructions:u@7 -- true

for cpu in 0 1; do
	lbrctl stat -o one -e instructions:u@5 -- taskset $((1 << cpu)) ./loop
	near "CPU $cpu counts on its counter 5" 20000004 "$(values one)" 200000
done

refused "the front end's register of all" "CPUs 1 cannot" \
	lbrctl stat -a -e r01c6@extra=12 -- true
refused "the front end's register of the small core" "register" \
	lbrctl stat -C 1 -e r01c6@extra=12 -- true
succeeds "the front end's register of the big core" \
	lbrctl stat -C 0 -e r01c6@extra=12 -- true
refused "a value that it does not take" "does not take the EXTRA" \
	lbrctl stat -C 0 -e r01c6@extra=8 -- true
is "the register keeps its value after the refusal" 0000000000000000 \
	"$(lbrctl regs -C 0 | awk '/MSR_PEBS_FRONTEND/ { print $3 }')"
is "the small core has no such register" "" "$(lbrctl regs -C 1 | grep MSR_PEBS_FRONTEND)"

succeeds "lbrctl record -a" lbrctl record -a -e instructions:u -c 50021 -o ours.data -- ./relay 8 100
is "samples of both cores" 2 "$(perf_script -i ours.data -F cpu | sort -u | wc -l)"
lbrctl script --no-inline -i ours.data >ours.txt

# the cores' codes are their own, but for the architectural ones
warning="2 types of cores.*'r00c4:u'.*-C"
matches "a raw code on all cores: a warning" "$warning" \
	"$(lbrctl stat -a -e instructions:u,r00c4:u -- true 2>&1)"
matches "a raw code on all cores: a warning of record" "$warning" \
	"$(lbrctl record -a -e r00c4:u -o raw.data -- true 2>&1)"
is "no warning for one type of core, or an architectural event" "" "$(
	{ lbrctl stat -C 0 -e r00c4:u -- true; lbrctl stat -a -e branches:u -- true; } 2>&1 | grep types)"

# a core that goes and comes back is known
echo 0 >/sys/devices/system/cpu/cpu1/online
echo 1 >/sys/devices/system/cpu/cpu1/online
succeeds "the small core again" lbrctl stat -C 1 -e "$(n_of 6)" -- true
succeeds "lbrctl unload" lbrctl unload

# a core that was absent at load, and is of a new type
echo 0 >/sys/devices/system/cpu/cpu1/online
succeeds "loading with the big core alone" lbrctl load
echo 1 >/sys/devices/system/cpu/cpu1/online
refused "a core of a new type" "come online" lbrctl stat -a -e instructions:u -- true
succeeds "the others count" lbrctl stat -C 0 -e instructions:u -- true
succeeds "lbrctl unload" lbrctl unload
finish
