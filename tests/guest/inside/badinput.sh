# SPDX-License-Identifier: GPL-2.0
# Errors of the user and of the machine: one clear message, a status other than 0, and no file
# that looks like a result.
. ./lib.sh
. ./refused.sh

model=$(grep -q arch_perfmon /proc/cpuinfo && echo skylake || echo none)

if [ "$model" = none ]; then
	succeeds "no PMU: load" lbrctl load
	refused "no PMU: record -e cycles" 125 "no performance counters.*cpu-clock" \
		lbrctl record -e cycles -o bad.data -- true
	refused "no PMU: stat --topdown" 125 "not known of this CPU|no performance counters" \
		lbrctl stat --topdown -- true
	nothing_left "no PMU"
	finish
fi

refused "no module: info" 1 "lbrctl load" lbrctl info
refused "no module: record" 125 "lbrctl load" lbrctl record -o bad.data -- true
refused "no module: record -a" 1 "lbrctl load" lbrctl record -a -o bad.data
nothing_left "no module"
refused "no permission: load" 1 "ermi" su user -c 'lbrctl load'
refused "no such module file" 1 "nosuch.ko" lbrctl load ./nosuch.ko
refused "a file that is not a module" 1 "lib.sh" lbrctl load ./lib.sh
succeeds "lbrctl load" lbrctl load
succeeds "lbrctl load, when it is loaded" lbrctl load
succeeds "lbrctl info" lbrctl info

refused "no permission: record" 125 "ermi" su user -c 'cd /tmp && lbrctl record -o bad.data -- true'
succeeds "no permission is needed for info" su user -c 'lbrctl info'
refused "no permission: unload" 1 "ermi" su user -c 'lbrctl unload'
refused "unknown event" 2 "nonsuch" lbrctl record -e nonsuch:u -o bad.data -- true
refused "period 0" 2 "-c 0" lbrctl record -c 0 -o bad.data -- true
refused "a period that is too short" 2 "too short" lbrctl record -c 1 -o bad.data -- true
refused "a pid that is not there" 1 "4000000" lbrctl record -p 4000000 -o bad.data
refused "a kernel thread" 1 "kernel thread.*all CPUs" lbrctl record -p 2 -o bad.data
refused "a command that is not there" 127 "nosuchcmd" lbrctl record -o bad.data -- ./nosuchcmd
refused "a command that is not a program" 126 "lib.sh" lbrctl record -o bad.data -- ./lib.sh
nothing_left "bad arguments"

echo precious >kept.data
refused "a folder that is not there" 125 "[Nn]o such" lbrctl record -o nosuch/bad.data -- true
refused "a file that is a folder" 125 "regular file" lbrctl record -o /tmp -- true
lbrctl record -c 0 -o kept.data -- true 2>/dev/null
lbrctl record -e instructions:u -o kept.data -- ./nosuchcmd 2>/dev/null
is "a failed record leaves an older file alone" precious "$(cat kept.data)"
rm -f kept.data*

mkdir small
mount -t tmpfs -o size=64k none small
refused "a full disk" 125 "No space left" \
	lbrctl record -e instructions:u -c 10007 -o small/bad.data -- ./loop
is "a full disk: no file is left behind" "" "$(ls small)"
umount small

is "the command's own status is passed on" 7 "$(lbrctl record -o s.data -- sh -c 'exit 7' >/dev/null 2>&1; echo $?)"
is "the command's own status is passed on, 1 as well" "1 1" "$(lbrctl record -o s.data -- false >/dev/null 2>&1; echo $?) $(lbrctl stat -- false >/dev/null 2>&1; echo $?)"
is "the signal that killed the command is passed on" 137 "$(lbrctl record -o s.data -- sh -c 'kill -9 $$' >/dev/null 2>&1; echo $?)"

lbrctl record -a -g -m 4M -o first.data >/dev/null 2>&1 &
first=$!
sampling
is "-m 4M: that and a page of each CPU is mapped" $((4 * 1024 * 1024 + 4096)) "$(awk '$NF == "/dev/lbrscope" {
	sub("-", " 0x", $1); print "0x" $1 }' /proc/$first/maps | while read -r from to; do echo $((to - from)); done |
	sort -n | tail -n 1)"
refused "a second session" 1 "$first.*lbrctl|lbrctl.*$first" lbrctl record -a -o bad.data
refused "a second session with a command" 125 "$first" lbrctl record -o bad.data -- true
nothing_left "a second session"
refused "unload while a session runs" 1 "in use|use" lbrctl unload
kill -INT $first
wait $first
is "the first one is not affected" 0 $?
succeeds "the first recording's file can be read" lbrctl report -i first.data

perf stat -a -e instructions:u -o /dev/null sleep 20 &
perf=$!
sleep 1
refused "a PMU that perf has" 125 "perf" lbrctl record -o bad.data -- true
kill -INT $perf
wait $perf
nothing_left "a PMU that perf has"

succeeds "record" lbrctl record -e instructions:u -c 20011 -o good.data -- ./tree 100 200
finish
