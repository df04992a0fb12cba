# SPDX-License-Identifier: GPL-2.0
# One fault of the PMU, named in the kernel's command line by faults=NAME ("none": the same
# without one), as stock perf and the module see it. The host compares the machine's record
# (meter.txt) with these counts (*.txt).
. ./lib.sh

fault=$(sed -n 's/.*faults=\([a-z-]*\).*/\1/p' /proc/cmdline)
# An NMI without an owner is no failure here.
echo 0 >/proc/sys/kernel/unknown_nmi_panic

# ips PERIOD: places in user mode where perf finds ./straight, with their frequency
ips() {
	perf_record -o ips.data -e instructions:u -c "$1" ./straight
	perf_script -i ips.data -F ip | awk '{ n[$1]++ } END { for (ip in n) if (length(ip) < 13) print ip, n[ip] }' | sort
}

# branches: one line for each sample of perf record -b of a program: the entries, from-to. The
# first one after a switch is left out: perf has emptied the registers, and few may be filled.
branches() {
	perf_record -o b.data --switch-events -b -e instructions:u -c 5003 ./tree.static 2000 5 >/dev/null
	perf_script -i b.data -F brstack --show-switch-events |
		awk '/PERF_RECORD_SWITCH/ { skip = 1; next } !skip; { skip = 0 }' |
		sed 's,/[^ ]*/[^ ]*,&,; s,\(0x[0-9a-f]*\)/\(0x[0-9a-f]*\)/[^ ]*,\1-\2,g'
}

unknown_nmis() { dmesg | grep -c 'NMI received for unknown reason'; }
nmis() { awk '$1 == "NMI:" { print $2 }' /proc/interrupts; }

# What perf sees of the fault. 0: not there
case $fault in
none | skid)
	ips 1000 >ips.txt
	is "perf stat: counts stay exact" 2000004 "$(perf stat -x, -e instructions:u ./straight 2>&1 | cut -d, -f1)"
	;;
esac
case $fault in
none | dup-top | zero-entries)
	branches >branches.txt
	;;
esac
case $fault in
none | early-pmi)
	perf_record -o loop.data -e instructions:u -c 1000003 ./loop
	perf_script -i loop.data -F ip | grep -c . >early.txt
	;;
esac
# masked: what perf has of ./loop. Of a dropped PMI it leaves the status behind, and the
# fault waits for it from then on, without end: so this part comes last.
masked() {
	perf_record -o loop.data -e instructions -c 100003 ./loop
	perf_script -i loop.data -F ip | grep -c . >masked.txt
}
case $fault in none | masked-keep) masked ;; esac
case $fault in
none | cstate)
	# an entry that survives only if the CPU does not sleep; nothing else is recorded
	modprobe msr allow_writes=on
	printf '\064\022\0\0\0\0\0\0' | dd of=/dev/cpu/0/msr bs=8 seek=$((0x680 / 8)) count=1 conv=notrunc 2>/dev/null
	sleep 0.3
	dd if=/dev/cpu/0/msr bs=8 skip=$((0x680 / 8)) count=1 2>/dev/null | od -An -tx8 | tr -d ' ' >cstate.txt
	;;
esac
case $fault in
none | spurious | foreign-nmi | late-nmi)
	perf_record -o loop.data -e instructions:u -c 100003 ./loop
	perf_script -i loop.data -F ip | grep -c . >nmis.txt
	unknown_nmis >>nmis.txt
	;;
esac

# Our module. It uses the PMU alone from here on.
complaints() { dmesg | grep -E 'cut here|BUG:|Oops|WARNING|soft lockup|rcu.*stall'; }
lbrctl load || exit 1
dmesg -c >/dev/null
before=$(nmis)
./mark 1
# A PMI handler has its own instructions counted only if it is asked for the kernel's.
case $fault in
masked-*) event=instructions ;;
*) event=instructions:u ;;
esac
for how in "" -b; do
	# shellcheck disable=SC2086 # an option, or none
	lbrctl record $how -e $event -c 10007 -o r.data -- ./loop 2>say
	is "$fault: lbrctl record $how ends well" 0 $?
	sed -n 's/.*produced \([0-9]*\) = delivered \([0-9]*\) + lost \([0-9]*\).*/\1 \2 \3/p' say >sums
	read -r produced delivered lost <sums
	is "$fault: record $how: produced = delivered + lost" "${produced:-none}" "$((delivered + lost))"
	is "$fault: record $how: all delivered samples are in the file" "$delivered" \
		"$(perf_script -i r.data -F event 2>/dev/null | grep -vc budget)"
	echo "$produced" >>produced.txt
done
is "$fault: the kernel log has no warning" "" "$(complaints)"
unknown_nmis >>produced.txt
echo $(($(nmis) - before)) >>produced.txt
succeeds "$fault: unload" lbrctl unload
case $fault in masked-drop) masked ;; esac
finish
