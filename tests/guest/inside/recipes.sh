# SPDX-License-Identifier: GPL-2.0
# recipes.sh: each command of lbrctl-recipes.7 once, its output in "out". The times are shorter than
# on the page, and the process 1234 is one that runs here. triage, top and the self-test have
# tests of their own.
# shellcheck shell=sh
. ./lib.sh

# program FILE COMMANDS: a program that the page names
program() {
	printf '#!/bin/sh\n%s\n' "$2" >"$1"
	chmod +x "$1"
}

program server "./shop 2 10"
program benchmark "./shop 1 1"
mkdir -p target /var/lib/node_exporter
lbrctl load || exit 1
./shop 1 1000000000 &
pid=$!

cgroups=/sys/fs/cgroup
grep -q " cgroup2 " /proc/mounts || mount -t cgroup2 none $cgroups
echo +pids >$cgroups/cgroup.subtree_control
mkdir -p $cgroups/system.slice/web.service
echo $pid >$cgroups/system.slice/web.service/cgroup.procs

lbrctl record -o old.data -- ./server >out 2>&1
cp old.data new.data

sed -n '/^\(lbrctl\|perf\) /{s/ *#.*//;p}' lbrctl-recipes.7 >page
succeeds "the page has commands" test "$(wc -l <page)" -ge 40
grep -v -e ' triage' -e ' top' -e ' --self-test' page |
	sed -e "s/1234/$pid/" -e 's/sleep [0-9]*$/sleep 0.2/' -e 's/ -I [0-9]*s/ -I 100ms/' \
		-e '/ --switch-output\| --openmetrics/s/^/timeout -s INT 1 /' >commands
while read -r command; do
	crash= wanted=0 rounds=10
	case $command in
	*signal:SEGV*) crash="kill -SEGV \$\$" wanted=139 ;;
	*"pgo record"*) rounds=800 ;;	# as many samples as a profile needs
	esac
	program server "./shop 2 $rounds; $crash"
	sh -c "$command" >out 2>&1 </dev/null
	is "$command" $wanted $?
	case $command in
	*signal:SEGV*) matches "its last sample is the crash" 'signal=11' "$(lbrctl script -e signal:SEGV)" ;;
	*"lbrctl record "*) matches "it has samples" ' [1-9][0-9]* samples ' "$(tr '\n' ' ' <out)" ;;
	*"lbrctl report"* | *"lbrctl diff"* | *"lbrctl blocks"* | *"lbrctl annotate"* | "lbrctl script")
		matches "its output has the server" 'shop|stock_of_articles|order_checksum' "$(head -n 200 out)" ;;
	*openmetrics*) matches "its file has counts" '^[a-z].* [1-9][0-9.e+]*$' "$(cat /var/lib/node_exporter/lbrscope.prom)" ;;
	*"lbrctl stat "*) matches "it has counts" '[1-9][0-9,.]* +.*(cycles|task-clock)' "$(cat out)" ;;
	esac
done <commands
kill $pid

for file in flame.html perf.data.tar.zst server.pb.gz server.folded server.json server.profile.json; do
	succeeds "$file is written" test -s $file
done
succeeds "lbrctl unload" lbrctl unload
finish
