# SPDX-License-Identifier: GPL-2.0
# lbrctl stat --per-thread; the sources of family, swarm, named and loop state their counts.
# Sourced by stat.sh, which has $cpus, $on and rows().
# shellcheck shell=sh disable=SC2154

lbrctl stat --per-thread --csv -o family.csv -e instructions:u,branches:u -- ./family
is "threads: processes that have ended, each exact, most of it first, $on" \
	"$(yes 2000006 | head -n 8 | xargs) 101" "$(rows family.csv | awk -F, '$4 ~ /instr/ { print $5 }' | xargs)"
is "threads: each event, $on" "$(yes 1000002 | head -n 8 | xargs) 34" \
	"$(rows family.csv | awk -F, '$4 ~ /branches/ { print $5 }' | xargs)"
is "threads: as many, and processes of one thread, $on" 9 \
	"$(rows family.csv | awk -F, '$1 == "\"family\"" && $2 == $3 { print $3 }' | sort -u | wc -l)"
is "threads: --csv names its columns, $on" "comm,pid,tid,event,value,enabled_ns,running_ns,estimate,error,figure,unit" \
	"$(head -n 1 family.csv | tr -d '\r')"
# as above, however late an interval is; the shell is in each of them
lbrctl stat --per-thread -I 20ms --csv -o - -e instructions:u -- sh -c './family; read x <told; exec ./family' >parts.csv &
timeout 60 sh -c 'until [ "$(cut -d, -f1 parts.csv | sort -u | wc -l)" -gt 1 ]; do sleep 0.02; done'
echo >told
wait $!
is "threads: intervals of each add up to its count; a parent, and the shell that becomes one, $on" "16 2" "$(rows parts.csv |
	awk -F, '{ n[$4] += $6 } END { for (t in n) { if (n[t] == 2000006) exact++; else other++ }; print exact, other }')"
is "threads: several intervals, without threads that did not run in them, $on" "yes 0" \
	"$(rows parts.csv | awk -F, '!u[$1]++ { i++ } !$7 { idle++ } END { print (i > 1 ? "yes" : i), idle + 0 }')"
lbrctl stat --per-thread --json -o family.json -e instructions:u -- ./family
is "threads: as JSON they add up to the event, $on" 16000149 \
	"$(sed 's/.*"threads"://' family.json | grep -o '"value":[0-9]*' | awk -F: '{ n += $2 } END { print n }')"
is "threads: as JSON, the event has all of it, $on" 16000149 "$(sed 's/.*"events":\[{"value":\([0-9]*\).*/\1/' family.json)"
is "threads: as JSON they have names, $on" 9 "$(grep -o '"comm":"family","pid":[0-9]*,"tid":[0-9]*}' family.json | sort -u | wc -l)"

# threads that name themselves; and these of a process that is there already, and one of them
lbrctl stat --per-thread -o named.out -e instructions:u -- ./named
is "threads: by the names they have given themselves, as perf writes them, $on" \
	"three-N 6,000,015 two-N 4,000,015 one-N 2,000,015" \
	"$(awk '/-[0-9]/ && !/^named/ { sub(/-[0-9]+/, "-N"); print $1, $2 }' named.out | xargs)"
asleep() { [ "$(cat /proc/$named/task/*/stat 2>/dev/null | grep -c ') S ')" -eq 4 ]; }
for how in -p -t; do
	./named <go &
	named=$!
	exec 8>go
	await 300 asleep
	who=$named want="three 6000004 two 4000004 one 2000004"
	[ $how = -p ] || who=$(grep -l two /proc/$named/task/*/comm | cut -d/ -f5) want="two 4000004"
	lbrctl stat $how "$who" --per-thread --csv -o attached.csv -e instructions:u &
	stat=$!
	sampling
	echo 12 >&8
	exec 8>&-
	wait $named $stat
	is "threads: attached to with $how, $on" "$want" \
		"$(rows attached.csv | tr -d '"' | awk -F, '!/^named/ { print $1, $5 }' | xargs)"
done
./named <go &
named=$!
exec 8>go
await 300 asleep
# it prints when it has begun, if an argument asks for that
mkfifo control began
perf stat --per-thread -p $named -x, -o perf.csv -e instructions:u -D -1 --control fifo:control,began &
stat=$!
echo enable >control
timeout 60 head -n 1 began >acknowledged
echo 12 >&8
exec 8>&-
wait $named $stat
is "threads: attached to, perf counts the same, $on" "one 2000004 three 6000004 two 4000004" \
	"$(sed -n 's/^\(one\|two\|three\)-[0-9]*,\([0-9]*\),.*/\1 \2/p' perf.csv | sort | xargs)"
lbrctl stat --per-thread --csv -o exec.csv -e instructions:u -- sh -c './loop; exec ./loop'
is "threads: a thread has the name of the program that it executed, $on" "loop loop" "$(rows exec.csv | tr -d '"' | cut -d, -f1 | xargs)"
near "threads: the counts from before are included, $on" 20000004 "$(rows exec.csv | awk -F, 'NR == 1 { print $5 }')" 1000000

# many threads; the counts of the events need several replies
lbrctl stat --per-thread --csv -o swarm.csv -e instructions:u -- ./swarm 2>said
is "threads: hundreds of processes, each exact, none reported as lost, $on" "1 3605 300 206 " \
	"$(rows swarm.csv | awk -F, '{ print $5 }' | uniq -c | xargs) $(cat said)"
sh -c 'read x; i=0; while [ $i -lt 40 ]; do sleep 1000 & i=$((i + 1)); done; wait' <go &
shell=$!
exec 8>go
lbrctl stat -p $shell --per-thread --csv -o living.csv -e "$(yes instructions:u | head -n 24 | paste -sd,)" -- \
	sh -c "until [ \"\$(cat /proc/[0-9]*/stat 2>/dev/null | grep -c '(sleep) S $shell ')\" -eq 40 ]; do sleep 0.1; done" &
stat=$!
sampling
echo >&8
exec 8>&-
wait $stat
is "threads: running threads, and their counts add up, $on" "41 0" \
	"$(rows living.csv | cut -d, -f3 | sort -u | wc -l) $(rows living.csv | grep -c ^,)"
# shellcheck disable=SC2046
kill $(rows living.csv | cut -d, -f3 | sort -u)
