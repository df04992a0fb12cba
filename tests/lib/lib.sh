# SPDX-License-Identifier: GPL-2.0
# Result lines for test scripts, on the host and in the guest alike (POSIX sh).
# shellcheck shell=sh

failed=0

# ok NAME, not_ok NAME [DETAIL...], skip NAME REASON
ok() { echo "ok - $1"; }
not_ok() {
	failed=1
	echo "not ok - $1"
	shift
	[ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/# /' | head -n 12
}
skip() { echo "ok - $1 # SKIP $2"; }

# is NAME WANT GOT: the two are the same text
is() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "want: $2" "got:  $3"; fi
}

# at_least NAME LEAST N, at_most NAME MOST N: the number is at least, or at most, the other one
at_least() { is "$1 # $3" yes "$([ "${3:-0}" -ge "$2" ] && echo yes || echo "${3:-nothing} < $2")"; }
at_most() { is "$1 # $3" yes "$([ -n "$3" ] && [ "$3" -le "$2" ] && echo yes || echo "${3:-nothing} > $2")"; }

# near NAME WANT GOT SLACK: the two numbers differ by SLACK at most
near() {
	if [ -n "$3" ] && awk "BEGIN { exit !($3 - $2 <= $4 && $2 - $3 <= $4) }"; then
		ok "$1"
	else
		not_ok "$1" "want: $2, or $4 more or less" "got:  $3"
	fi
}

# same_memory NAME BEFORE AFTER SLACK: as near, for KiB of the kernel's memory. The debug
# kernel keeps what was freed for a while, to catch its use; guest/leaks looks there.
same_memory() {
	if [ -e /sys/kernel/debug/kmemleak ]; then
		skip "$1" "the debug kernel holds freed memory back"
	else
		near "$@"
	fi
}

# matches NAME REGEX TEXT: some line of TEXT matches the extended regex
matches() {
	if printf '%s\n' "$3" | grep -Eq -- "$2"; then
		ok "$1"
	else
		not_ok "$1" "want: /$2/" "got:  $3"
	fi
}

# succeeds NAME COMMAND...
succeeds() {
	name=$1
	shift
	if said=$("$@" 2>&1); then ok "$name"; else not_ok "$name" "status $?: $*" "$said"; fi
}

# judged COMMAND...: a judge that prints its own result line; its last argument names it
judged() {
	if said=$("$@" 2>&1); then
		printf '%s\n' "$said"
		return
	fi
	case $said in
	"not ok"*) failed=1 && printf '%s\n' "$said" ;;
	*)
		for name in "$@"; do :; done
		not_ok "$name" "$said"
		;;
	esac
}

# await TENTHS COMMAND...: repeats the command until it succeeds, for at most TENTHS tenths of a second
await() {
	i=$1
	shift
	until [ "$i" -eq 0 ] || "$@"; do
		sleep 0.1
		i=$((i - 1))
	done
}

# in_use_by REGEX: in the guest, succeeds if the counters' owner matches
in_use_by() { lbrctl info | grep -Eq "^in use by +$1"; }

# sampling: in the guest, waits until a session runs (half a minute at most)
sampling() { await 300 in_use_by '[^n ].*pid'; }

# looked_round PID: in the guest, waits until that recorder has read its rings several times; it
# sleeps once between two reads
times_asleep() { awk '$1 == "voluntary_ctxt_switches:" { print $2 }' "/proc/$1/status"; }
has_slept() { [ "$(times_asleep "$1")" -ge "$2" ]; }
looked_round() { await 300 has_slept "$1" $(($(times_asleep "$1") + 6)); }

# go_and_come [COMMAND]...: in the guest, takes CPU 1 offline and online three times while ./loop runs,
# nine times in all. COMMAND starts the loop that runs as the CPU goes.
go_and_come() {
	for _ in 1 2 3; do
		"$@" ./loop &
		echo 0 >/sys/devices/system/cpu/cpu1/online
		./loop
		echo 1 >/sys/devices/system/cpu/cpu1/online
		taskset 2 ./loop
		wait $!
	done
}

# perf_counts: in the guest, prints the instructions that perf counts in ./loop; 20000004 if perf
# has the PMU to itself
perf_counts() {
	perf stat -x, -e instructions:u ./loop 2>&1 | awk -F, '/instructions/ { print $1 }'
}

# page_data FILE: the data of a flame graph page
page_data() { sed -n 's|.*id="data">\(.*\)</script>.*|\1|p' "$1" | base64 -d | zcat; }

# perf_script OPTION..., perf_record OPTION...: in the guest, perf's verbs without the names of the
# kernel's functions, whose reading takes them longer than all the rest, whatever is asked for. record
# has no option for it.
perf_script() { perf script --kallsyms=/dev/null "$@"; }
perf_record() {
	mount --bind /dev/null /proc/kallsyms
	perf record -q "$@"
	set -- $?
	umount /proc/kallsyms
	return "$1"
}

# same_registers NAME: in the guest, the registers that ./regs prints are those in the file
# "before". Data may be 0; a fixed counter that was running has moved on.
same_registers() {
	./regs >after
	is "registers as before: $1" "" "$(awk '
		NR == FNR { value[$1 " " $3] = $4 }
		NR == FNR && $3 == "fixed_ctrl0" { running[$1] = $4 != "0" }
		NR == FNR { next }
		{ key = $1 " " $3 }
		$4 == value[key] { next }
		$2 == "data" && $4 == "0" { next }
		$3 ~ /^fixed_ctr[0-9]/ && running[$1] { next }
		{ print key ": " value[key] " before, " $4 " after" }' before after)"
}

finish() { exit "$failed"; }
