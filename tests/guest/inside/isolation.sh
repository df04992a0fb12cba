# SPDX-License-Identifier: GPL-2.0
# ping is linked at 0x1..., pong at 0x2...: the address of a branch shows its program.
. ./lib.sh

cpus=$(grep -c ^processor /proc/cpuinfo)
rounds=2000
mkfifo there back

succeeds "lbrctl load" lbrctl load
succeeds "two programs taking turns, all recorded, $cpus CPUs" \
	lbrctl record -a -e instructions -c 10007 -o all.data -- \
	sh -c "./pong $rounds <there >back & ./ping $rounds >there <back; wait"
perf_script -i all.data -F comm,pid,brstack >all.txt 2>/dev/null

# count COMM ADDRESS: branches of COMM's samples (by pid 0: idle) that begin with ADDRESS
count() {
	awk -v comm="$1" -v address="$2" '
		(comm == "idle") ? $2 == 0 : $1 == comm {
			for (i = 3; i <= NF; i++)
				n += $i ~ "^0x" address
		}
		END { print n + 0 }' all.txt
}

for comm in ping pong; do
	case $comm in ping) own=1 other=2 ;; *) own=2 other=1 ;; esac
	branches=$(count $comm "$own.......\/")
	if [ "$branches" -gt 1000 ]; then
		ok "$comm has branches of its own, $cpus CPUs"
	else
		not_ok "$comm has branches of its own, $cpus CPUs" "$branches"
	fi
	is "$comm has no branches of the other program, $cpus CPUs" 0 "$(count $comm "$other.......\/")"
done
if [ "$cpus" -gt 1 ]; then
	samples=$(awk '$2 == 0' all.txt | wc -l)
	[ "$samples" -gt 0 ] || not_ok "the idle task is sampled" "$samples"
fi
is "the idle task has no branches, $cpus CPUs" 0 "$(count idle .)"

succeeds "lbrctl unload" lbrctl unload
finish
