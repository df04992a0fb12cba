# SPDX-License-Identifier: GPL-2.0
# lbrctl doctor, with one obstacle after another.
. ./lib.sh
. ./session.sh

mkdir -p /run
watchdog=/proc/sys/kernel/nmi_watchdog

# said STATE CHECK REGEX NAME: what doctor said by now
said() {
	matches "$4" "^$1 +$2 .*$3" "$(cat said)"
}

# remedy: of what is in the way, as a shell would have it
remedy() { awk '/^bad/ { getline; sub(/^ *-> /, ""); print; exit }' said; }

lbrctl doctor >said
is "not loaded: status" 1 $?
said bad module 'not loaded' "not loaded: says so"
is "not loaded: the advised command loads it" "" "$(sh -c "$(remedy)" 2>&1)"
lbrctl doctor >said
is "no obstacle: status" 0 $?
is "no obstacle: no bad finding" "" "$(grep '^bad' said)"
said ok lbr '32 branch records, with call stacks, .*cycles yes' "the LBR of this CPU"
said ok pmu 'could be started' "a session was tried"
is "the session that was tried is over" "nobody" "$(lbrctl info | sed -n 's/^in use by *//p')"

su user -c 'lbrctl doctor' >said
is "no rights: status" 1 $?
said bad rights '/dev/lbrscope' "no rights: says so"
chmod 666 /dev/lbrscope
su user -c 'lbrctl doctor' >said
is "rights by the device: status" 0 $?
echo 3 >/proc/sys/kernel/perf_event_paranoid
su user -c 'lbrctl doctor' >said
said note rights 'perf_event_paranoid is 3' "rights by the device alone: says what is missing"
said note 'kernel names' 'hides' "names of the kernel are hidden from a user"
chmod 600 /dev/lbrscope

# the owner of the PMU
perf stat -e instructions sleep 1000 2>/dev/null &
perf=$!
until grep -q perf_event /proc/$perf/fdinfo/* 2>/dev/null || ls -l /proc/$perf/fd | grep -q perf_event; do sleep 0.1; done
lbrctl doctor >said
is "perf has the PMU: status" 1 $?
said bad pmu "perf \(pid $perf, has perf events\)" "perf has the PMU: named"
kill $perf
wait $perf 2>/dev/null

modprobe msr && exec 8</dev/cpu/0/msr || exit 1
lbrctl doctor >said
is "the registers are open in a process: no reason to fail" 0 $?
said note msr "\(pid $$, has /dev/cpu" "the registers are open in a process: named"
exec 8<&-

lbrctl record -a -o held.data -- sleep 1000 2>/dev/null &
held=$!
sampling
lbrctl doctor >said
is "a session runs: status" 1 $?
said bad pmu "lbrctl, pid $held" "a session runs: named"
kill -INT $held
wait $held

# Recorder and guardian are killed.
echo 1 >$watchdog
said_of_watchdog() { lbrctl doctor | awk '$2 == "watchdog"'; }
matches "the watchdog is on" "^ok .*is on" "$(said_of_watchdog)"
# named COMM: the processes that are
named() { grep -lx "$1" /proc/[0-9]*/comm 2>/dev/null | cut -d/ -f3; }
kill_all() {
	lbrctl record -a -o held.data -- sleep 1000 2>/dev/null &
	sampling
	# the guardian first: the recorder's end is what it waits for
	# shellcheck disable=SC2046
	kill -9 $(named nmi-guardian) $(named lbrctl)
	wait
}
kill_all
is "recorder and guardian are killed: the watchdog is left off" 0 "$(cat $watchdog)"
# the fifth file that doctor opens is the watchdog's
FAIL=open:5:24 LD_PRELOAD=$PWD/fail.so lbrctl doctor >found.txt 2>refused.txt
matches "doctor cannot switch it on" "^lbrctl: switching the NMI watchdog on again: Too many open files" "$(cat refused.txt)"
matches "says how to" "^ *-> sysctl kernel.nmi_watchdog=1" "$(cat found.txt)"
hold hold 100003 || not_ok "a session starts" "$(cat hold.out)"
lbrctl doctor >found.txt 2>refused.txt
matches "while a session runs it is its business" \
	"^note +watchdog +the process that restores the NMI watchdog was killed; the running recording will switch the watchdog on again" "$(cat found.txt)"
let_go
matches "doctor switches it on" "^note .*on again" "$(said_of_watchdog)"
is "the watchdog is on after doctor" 1 "$(cat $watchdog)"
matches "a second doctor has no watchdog to switch on" "^ok .*is on" "$(said_of_watchdog)"
kill_all
# the sixth file to be opened is the watchdog's, to turn it off (cli/fail.c)
FAIL=open:6:24 LD_PRELOAD=$PWD/fail.so lbrctl record -a -o next.data -- true 2>refused.txt
matches "a recording cannot switch it off" "switching off the NMI watchdog.*Too many open files" "$(cat refused.txt)"
lbrctl record -a -o next.data -- true 2>/dev/null
is "the next recording turns it on, too" 1 "$(cat $watchdog)"

# Another client takes the PMU before the guardian switches the watchdog on.
overtaken() {
	lbrctl record -a -o held.data 2>overtaken.txt &
	held=$!
	sampling
	guardian=$(named nmi-guardian)
	kill -STOP "$guardian"
	kill -INT $held
	await 300 in_use_by nobody
	hold hold 100003 || not_ok "a session starts" "$(cat hold.out)"
}
overtaken
wait $held
is "another program takes the PMU before the watchdog: status" 0 $?
matches "says which process switches it on" "the PMU is still in use: process $guardian will switch the NMI watchdog on when it is free" \
	"$(cat overtaken.txt)"
kill -CONT "$guardian"
let_go
await 100 grep -qx 1 $watchdog
is "the watchdog is on when that process has ended" 1 "$(cat $watchdog)"
overtaken
kill -9 "$guardian"
wait $held
is "that process is killed as well: status" 1 $?
matches "states the remedy" "the NMI watchdog is off and cannot be switched on while the PMU is in use: later, write 1 to $watchdog" \
	"$(cat overtaken.txt)"
let_go
lbrctl doctor >found.txt
is "doctor has switched the watchdog on" 1 "$(cat $watchdog)"

echo 0 >$watchdog
lbrctl record -a -o next.data -- true 2>/dev/null
matches "a watchdog that the user switched off stays off" "^ok .*is off" "$(said_of_watchdog)"

# another driver of the same registers
mkdir modules
for module in /sys/module/*; do mkdir "modules/${module##*/}"; done
cp /sys/module/lbrscope/initstate /sys/module/lbrscope/version /sys/module/lbrscope/srcversion modules/lbrscope
mkdir modules/sep5
mount --bind modules /sys/module
lbrctl doctor >said
is "VTune's driver is loaded: no reason to fail" 0 $?
said note msr 'driver sep5' "VTune's driver is loaded: named"
is "VTune's driver is loaded: how to get rid of it" "-> rmmod sep5" "$(grep -A1 'driver sep5' said | sed -n 's/^ *->/->/p')"
umount /sys/module

# names
lbrctl doctor ./tree ./stripped ./lib.sh ./nosuch >said
said ok symbols './tree has symbols' "a program with symbols"
said note symbols './stripped has no symbols' "a program without"
said note symbols './lib.sh: is not an ELF file' "no program"
said note symbols './nosuch: cannot be read' "nothing there"
lbrctl doctor -p $$ >said
said '(ok|note)' symbols '/bin/' "files of a process"
matches "--json is the same" '"name":"symbols","state":"note","text":"./stripped has no symbols' "$(lbrctl doctor --json ./stripped)"
matches "--json has a version" '^\{"version":1,"verb":"doctor","ready":true,' "$(lbrctl doctor --json)"

# locked down, step by step: there is no way back
security=/sys/kernel/security
umount $security 2>/dev/null
lbrctl doctor >said
said note signature 'cannot see whether' "lockdown cannot be seen: says so"
succeeds "lockdown cannot be read: the advice" sh -c "$(sed -n 's/^ *-> \(mount .*\)/\1/p' said)"
lbrctl doctor >said
said ok signature 'takes unsigned modules' "not locked down"
echo integrity >$security/lockdown
lbrctl doctor >said
is "locked down, and loaded before: status" 0 $?
said ok signature 'locked down, and the module is loaded' "locked down, and loaded before: says so"
succeeds "locked down, and loaded before: record" lbrctl record -a -o locked.data -- true
lbrctl unload
lbrctl doctor >said
is "locked down, not signed: status" 1 $?
said bad signature 'the kernel is locked down, and the module is not signed' "locked down, not signed: says so"
is "locked down, not signed: no advice to load it as it is" "lbrctl load, after it is signed" "$(remedy)"
matches "locked down, not signed: load says why it is refused" "locked down" "$(lbrctl load 2>&1)"
mount -t tmpfs none /sys/firmware
mkdir -p /sys/firmware/efi/efivars
printf '\006\000\000\000\001' >/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
lbrctl doctor >said
said bad signature 'Secure Boot locks the kernel down' "Secure Boot: says so"
umount /sys/firmware
finish
