# SPDX-License-Identifier: GPL-2.0
# Runs on a machine with a stand-in for KVM (../kvm): recordings beside a virtual CPU.
. ./lib.sh

run=/sys/module/kvm_intel/parameters/run
modprobe lbrscope || exit 1

insmod ./kvm_intel.ko enable_mediated_pmu=1 || exit 1
said=$(lbrctl record -a -o no.data -- ./loop 2>&1)
is "KVM with a mediated vPMU: no session" 125 $?
matches "KVM with a mediated vPMU: the refusal says why" "KVM gives the counters .*enable_mediated_pmu=0$" "$said"
rmmod kvm_intel

insmod ./kvm_intel.ko || exit 1
succeeds "KVM without: record" lbrctl record -a -e instructions -c 100003 -o vm.data -- \
	sh -c "echo 20 >$run; ./loop"
# samples of the virtual CPU belong to the guest, and have no branches
perf script -D -i vm.data 2>/dev/null | awk '
	/PERF_RECORD_SAMPLE/ { guest = /IP, 0x4\)/; n[guest]++; next }
	/ branch stack: nr:/ { sub(/.*nr:/, ""); if (guest && $0 + 0) bad++ }
	END { print n[1] + 0, n[0] + 0, bad + 0 }' >counts
read -r guest host branches <counts
near "the guest's samples are marked, one for each 100,003 of its instructions" 200 "$guest" 20
matches "from the host's" '^[1-9][0-9]+$' "$host"
is "samples of the virtual CPU have no branches" 0 "$branches"
is "the loop in the virtual CPU is not the host's" "" "$(perf script -D -i vm.data 2>/dev/null |
	awk '/PERF_RECORD_SAMPLE/ { guest = /IP, 0x4\)/ } !guest && /vcpu_guest/' | head -n 3)"

# a guest that counts has a counter by way of perf, in no process's files
sh -c 'echo 1 >/sys/module/kvm_intel/parameters/vcpu && exec sleep 1000' &
machine=$!
until ls -l /proc/$machine/fd | grep -q kvm-vcpu && [ "$(cat /proc/$machine/comm)" = sleep ]; do sleep 0.1; done
lbrctl doctor >said
is "a virtual machine has the PMU: doctor's status" 1 $?
matches "a virtual machine has the PMU: doctor names it" \
	"^bad +pmu .*in use.* sleep \(pid $machine, runs a virtual machine\)" "$(cat said)"
matches "a virtual machine has the PMU: and states the remedy" "-> end this process" "$(grep -A1 '^bad' said)"
said=$(lbrctl record -a -o no.data -- ./loop 2>&1)
is "a virtual machine has the PMU: no session" 125 $?
matches "a virtual machine has the PMU: record names it" "sleep \(pid $machine, runs a virtual machine\); end it" "$said"
kill $machine
wait $machine 2>/dev/null
lbrctl doctor >said
matches "the virtual machine has ended: the PMU is free" "^ok +pmu .*could be started" "$(cat said)"
rmmod kvm_intel
succeeds "rmmod" rmmod lbrscope
finish
