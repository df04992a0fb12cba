# SPDX-License-Identifier: GPL-2.0
# Recordings of one CPU, on a machine with two.
. ./lib.sh

modprobe lbrscope || exit 1
lbrctl record -C 0 -e instructions:u -c 20011 -o m.data -- ./migrate 2>say ||
	not_ok "lbrctl record -C" "$(cat say)"
is "-C 0: samples of CPU 0 only" "[000]" "$(perf_script -i m.data -F cpu | awk '{ print $1 }' | sort -u)"
# of each sample in work(): the calls of down() on its way to main(), if it gets there
perf script -i m.data --comm migrate -F ip,sym | awk -v RS= '
	$2 == "work" && / main/ { print gsub(/ down\n/, "") }' >depths
is "a task that was elsewhere does not come back with calls that have returned" "" "$(grep -vx 6 depths | sort | uniq -c)"
is "the samples of the task on this CPU are in the file" yes \
	"$(perf script -i m.data --comm migrate -F ip,sym | awk -v RS= '$2 == "work" { n++ } END { print (n > 1000 ? "yes" : n) }')"

# Both CPUs are busy; perf has nothing to say of the one that is not sampled.
taskset 1 ./tree.static 1000000 200 >/dev/null &
one=$!
taskset 2 ./tree.static 1000000 200 >/dev/null &
lbrctl record -C 1 -e instructions:u -c 20011 -o o.data -- taskset 2 ./tree.static 20 200 >/dev/null 2>say
kill $one $!
wait
is "-C 1: samples of CPU 1 only" "[001]" "$(perf_script -i o.data -F cpu | awk '{ print $1 }' | sort -u)"
for list in 2 0,7 1-0 x ""; do
	lbrctl record -C "$list" -o bad.data -- true 2>say
	is "-C '$list' is refused" "no file" "$(test -e bad.data && echo a file || echo no file)"
done
finish
