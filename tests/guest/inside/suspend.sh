# SPDX-License-Identifier: GPL-2.0
# The machine hibernates, up to the image and back, while lbrctl records all CPUs.
. ./lib.sh

cpus=$(grep -c ^processor /proc/cpuinfo)
each=$(seq 0 $((cpus - 1)))

# now: in ns, by the clock of samples
now() { sed -n 's/^now at \([0-9]*\) nsecs$/\1/p' /proc/timer_list; }

# sleeps: suspends up to the step that saves the registers, and resumes
sleeps() {
	echo test_resume >/sys/power/disk && echo 0 >/sys/power/image_size || return 1
	before=$(dmesg | grep -c "PM: hibernation: Creating image")
	asleep=$(now)
	echo disk >/sys/power/state 2>power.err
	awake=$(now)
	[ "$(dmesg | grep -c "PM: hibernation: Creating image")" -gt "$before" ]
}

# moments: CPU and seconds of each sample of tree
moments() {
	lbrctl script -i all.data | awk '/^tree / {
		for (i = 2; i < NF && $i !~ /^[0-9]+\.[0-9]+:$/; i++) ;
		print substr($(i - 1), 2) + 0, $i + 0 }'
}

# many_each FROM TO: prints each CPU that has samples between the two times (ns), and "many" if
# they are a whole run of tree, 603 samples of 300007 instructions
many_each() {
	moments | awk -v from="$1" -v to="$2" '
		$2 * 1e9 > from && $2 * 1e9 < to { n[$1]++ }
		END { for (cpu in n) print cpu, (n[cpu] >= 600 ? "many" : n[cpu]) }' | sort | xargs
}

# a swap area for the image of the kernel
if ! { modprobe msr && modprobe brd rd_nr=1 rd_size=600000 && mkswap /dev/ram0 && swapon /dev/ram0; } >swap.out 2>&1; then
	not_ok "there is somewhere to sleep, $cpus CPUs" "$(cat swap.out)"
	exit 1
fi
modprobe lbrscope
./regs >before
# tree runs on each CPU: once before the sleep, once after it, and in a loop between the two
for cpu in $each; do
	echo "(until [ -e awake ]; do taskset -c $cpu ./tree 500 200; touch once$cpu; done
	taskset -c $cpu ./tree 500 200) &"
done >trees.sh
echo wait >>trees.sh
lbrctl record -a -e instructions:u -c 300007 -o all.data -- sh ./trees.sh >record.out 2>&1 &
record=$!
for cpu in $each; do await 3000 [ -e "once$cpu" ]; done
if sleeps; then
	ok "the machine slept, $cpus CPUs"
else
	not_ok "the machine slept, $cpus CPUs" "$(cat power.err)" "$(dmesg | tail -n 8)"
fi
# a task that begins on the CPU before lbrctl has noticed its return may have no name
looked_round $record
touch awake
wait $record
is "lbrctl record ends well, $cpus CPUs" 0 $?
matches "nothing is lost, $cpus CPUs" "produced [0-9]+ = delivered [0-9]+ \+ lost 0$" "$(cat record.out)"
same_registers "a session in which the machine slept, $cpus CPUs"
rmmod lbrscope
same_registers "rmmod after it, $cpus CPUs"
is "perf counts after it, $cpus CPUs" 20000004 "$(perf_counts)"
many=$(echo "$each" | sed 's/$/ many/' | xargs)
is "samples before the machine slept on each, $cpus CPUs" "$many" "$(many_each 0 "$asleep")"
is "samples behind it on each, $cpus CPUs" "$many" "$(many_each "$awake" 1e18)"
lbrctl script --no-inline -i all.data >tree.txt
finish
