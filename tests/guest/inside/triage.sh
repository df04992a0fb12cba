# SPDX-License-Identifier: GPL-2.0
# lbrctl triage on an idle machine, and on machines with one kind of load.
. ./lib.sh

lbrctl triage -d 1s >said
is "an idle machine without the module: status" 0 $?
matches "an idle machine without the module: the advice is time off the CPU" "^idle: " "$(cat said)"
matches "an idle machine without the module: no IPC, with the reason" "^ipc +not known: .*not loaded" "$(cat said)"

succeeds "lbrctl load" lbrctl load
echo 1 >/proc/sys/kernel/nmi_watchdog
cp /bin/bash busy-shell
./busy-shell -c 'while :; do :; done' &
busy=$!
lbrctl triage -d 3s >said
is "a busy process: status" 0 $?
matches "a busy process: named" "^busiest +busy-shell, pid $busy: " "$(cat said)"
matches "a busy process: IPC" "^ipc +[0-9]+\.[0-9]+ instr" "$(cat said)"
matches "a busy process: on-CPU" "^on-cpu: " "$(cat said)"
is "a busy process: the counters are free again" "nobody" "$(lbrctl info | sed -n 's/^in use by *//p')"
is "a busy process: the watchdog is on again" 1 "$(cat /proc/sys/kernel/nmi_watchdog)"
matches "a busy process: --json is the same" \
	"^\{\"version\":1,\"verb\":\"triage\",\"cpus\":2,.*\"busiest_process\":\{\"pid\":$busy,.*\"advice\":\{\"kind\":\"on-cpu\"" \
	"$(lbrctl triage -d 1s --json)"
next=$(sed -n 's/^    lbrctl/lbrctl/p' said)
is "a busy process: the advice is to profile it" "lbrctl record -p $busy -- sleep 10" "$next"
sh -c "${next% *} 1" 2>err
is "a busy process: the advised command works" 0 $?
matches "a busy process: the advised command shows its hot function" "busy-shell" "$(lbrctl report)"
kill $busy
finish
