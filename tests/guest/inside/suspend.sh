# SPDX-License-Identifier: GPL-2.0
# The machine hibernates, up to the image and back, while lbrctl records all CPUs.
. ./lib.sh

cpus=$(grep -c ^processor /proc/cpuinfo)

# now: in ns, by the clock of samples
now() { sed -n 's/^now at \([0-9]*\) nsecs$/\1/p' /proc/timer_list; }

# sleeps: down to where the registers are saved, and up again
sleeps() {
	echo test_resume >/sys/power/disk && echo 0 >/sys/power/image_size || return 1
	before=$(dmesg | grep -c "PM: hibernation: Creating image")
	asleep=$(now)
	echo disk >/sys/power/state 2>power.err
	awake=$(now)
	[ "$(dmesg | grep -c "PM: hibernation: Creating image")" -gt "$before" ]
}

# moments: of the samples of tree, in seconds, in order
moments() {
	lbrctl script -i all.data | awk '/^[^\t ]/ && $1 == "tree" {
		for (i = 2; i < NF && $i !~ /^[0-9]+\.[0-9]+:$/; i++) ; print $i + 0 }' | sort -n
}

# the kernel wants to write its image somewhere
if ! { modprobe msr && modprobe brd rd_nr=1 rd_size=600000 && mkswap /dev/ram0 && swapon /dev/ram0; } >swap.out 2>&1; then
	not_ok "there is somewhere to sleep, $cpus CPUs" "$(cat swap.out)"
	exit 1
fi
modprobe lbrscope
./regs >before
# once before, once behind, and as often as it takes in between
lbrctl record -a -e instructions:u -c 300007 -o all.data -- \
	sh -c 'until [ -e awake ]; do ./tree 500 200; touch once; done; ./tree 500 200' >record.out 2>&1 &
await 3000 [ -e once ]
if sleeps; then
	ok "the machine slept, $cpus CPUs"
else
	not_ok "the machine slept, $cpus CPUs" "$(cat power.err)" "$(dmesg | tail -n 8)"
fi
touch awake
wait $!
is "lbrctl record ends well, $cpus CPUs" 0 $?
matches "nothing is lost, $cpus CPUs" "produced [0-9]+ = delivered [0-9]+ \+ lost 0$" "$(cat record.out)"
same_registers "a session in which the machine slept, $cpus CPUs"
rmmod lbrscope
same_registers "rmmod after it, $cpus CPUs"
is "perf counts after it, $cpus CPUs" 20000004 "$(perf_counts)"
is "samples before the machine slept, and behind it, $cpus CPUs" "many many" "$(moments | awk -v asleep="$asleep" -v awake="$awake" '
	function many(n) { return n > 200 ? "many" : n + 0 }
	$1 * 1e9 < asleep { before++ } $1 * 1e9 > awake { behind++ }
	END { print many(before), many(behind) }')"
lbrctl script --no-inline -i all.data >tree.txt
finish
