# SPDX-License-Identifier: GPL-2.0
# The requested fields of samples of ./state, whose registers are all known. The host judges the
# files that need python3.
. ./lib.sh
. ./session.sh

succeeds "lbrctl load" lbrctl load
cgroups=/sys/fs/cgroup
grep -q " cgroup2 " /proc/mounts || mount -t cgroup2 none $cgroups
mkdir $cgroups/one
stat -c %i $cgroups/one >inode.txt

# within: COMMAND in the cgroup
cat >within <<END
echo \$\$ >$cgroups/one/cgroup.procs && exec "\$@"
END

succeeds "lbrctl record --stack-window --all-cgroups" \
	lbrctl record --stack-window --keep-stacks --all-cgroups -e instructions -c 100003 -o state.data -- \
	sh ./within ./state
perf script --no-inline -i state.data --comms state -F ip,sym,uregs >state.txt 2>/dev/null
perf script --no-inline -i state.data --comms state -D >dump.txt 2>/dev/null
is "perf shows the cgroup's name" "/one" "$(
	perf report --no-inline -i state.data --sort comm,cgroup --no-children -g none --stdio \
		2>/dev/null | awk '$2 == "state" { print $3 }')"

succeeds "lbrctl record, kernel chains" \
	lbrctl record -e instructions -c 10007 --jitter 10 -o ours.data -- ./state
perf script --no-inline -i ours.data -F ip,sym >ours.txt 2>/dev/null
# Periods all over the range of our jitter, for each falls into step with the loop in its own way: the share of one
# chain is 13 to 24 % by one of them, and 18.7 % by all, as by ours.
for period in 9001 9311 9601 9901 9973 10007 10037 10061 10301 10601 10901 11003; do
	perf record -q -g -e instructions -c $period -o theirs.data ./state
	perf script --no-inline -i theirs.data -F ip,sym 2>/dev/null
done >theirs.txt

# The code of each event is that of the kernel's list.
succeeds "lbrctl record -v" \
	sh -c "lbrctl record -v -e '{cycles:u,branch-misses:u}:S' -c 100003 -o plan.data -- ./state 2>plan.txt"
code() { sed 's/event=0x\([0-9a-f]*\)\(,umask=0x\([0-9a-f]*\)\)*.*/\3\1/; s/^0*/0x/' /sys/bus/event_source/devices/cpu/events/$1; }
is "-v: events, stacks, rings, tasks" "lbrctl: event cycles:u: code $(code cpu-cycles), user mode, a sample each 100003 events, jitter 0.0 %
lbrctl: event branch-misses:u: code $(code branch-misses), user mode, counted with each sample of cycles:u
lbrctl: call stacks: the LBR's, 32 calls deep; from memory where the LBR does not prove them, unwound while recording
lbrctl: rings: 2, of 4096 KiB each
lbrctl: measured: ./state, with what is forked" "$(head -n 5 plan.txt)"
lbrctl record -q -v -e cycles:u -o plan.data -- ./state 2>plan.txt
is "-q -v: nothing" "" "$(cat plan.txt)"

# twice FILE: samples whose frames are the same functions once more, from the leaf on
twice() {
	awk '
		function flush(i, same) {
			same = n > 0 && n % 2 == 0
			for (i = 1; i <= n / 2; i++)
				same = same && frame[i] == frame[i + n / 2]
			hits += same
			samples += n > 0
			n = 0
		}
		/^[^[:space:]]/ { flush(); next }
		NF { sub(/\+0x.*/, "", $2); frame[++n] = $2 }
		END { flush(); print hits, "of", samples }' "$1"
}
succeeds "lbrctl record --keep-stacks of a tree of calls" \
	lbrctl record --stack-window --keep-stacks -e instructions:u -c 1000003 -o tree.data -- ./tree 300 200
perf script --no-inline -i tree.data >tree.txt 2>/dev/null
samples=$(grep -c '^tree' tree.txt)
is "perf's unwinder finds the same callers in the stack as the branch records" "$samples of $samples" \
	"$(twice tree.txt)"
matches "in a hundred samples" '^1[0-9][0-9]$' "$samples"

succeeds "lbrctl record of a worker of io_uring" \
	lbrctl record -a -e instructions -c 20011 -o worker.data -- ./worker 200
lbrctl script --no-inline -i worker.data >worker.txt
of=$(grep -c io_wq_submit_work worker.txt)
is "the worker of io_uring has samples" yes "$([ "$of" -gt 100 ] && echo yes || echo "$of")"
is "kernel threads have no user-mode part" "" "$(grep -E '^[[:space:]]+0 ' worker.txt | sort | uniq -c)"

# half of this ring is 32 KiB, and so is the window
hold large 10007
./stacks deep
let_go
matches "samples that fit no ring: thousands are counted as too large" '^[0-9]{4,}$' "$(count lost3)"
is "samples that fit no ring: all others are in the file" "$(count produced)" \
	$(($(count delivered) + $(count lost0) + $(count lost1) + $(count lost3) + $(count lost4)))

succeeds "lbrctl unload" lbrctl unload
is "the kernel log has no warning" "" \
	"$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
