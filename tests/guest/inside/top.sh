# SPDX-License-Identifier: GPL-2.0
# lbrctl top: presses its keys and reads its screen. hot() has nine tenths of ./hot.
. ./lib.sh

mkdir -p terminfo/l
mv linux terminfo/l/
export TERM=linux TERMINFO="$PWD/terminfo"
succeeds "lbrctl load" lbrctl load
echo 1 >/proc/sys/kernel/nmi_watchdog
mkfifo keys
escape=$(printf '\033')
./hot &
hot=$!

# start ARGUMENT...: lbrctl top at a terminal, keys at fd 3
start() {
	: >seen.txt
	read=1
	./terminal lbrctl top -e instructions:u -d 1s "$@" <keys >seen.txt &
	terminal=$!
	exec 3>keys
}

# screen: what was drawn since the last press, what stands apart in lines of its own
screen() {
	tail -c "+$read" seen.txt | tr '\r' '\n' | sed "s/$escape[[(][0-9;?]*[A-Za-z]/\n/g"
}

on_screen() { screen | grep -Eq -- "$1"; }

# shown REGEX: waits until it is on the screen; fails after a minute or more
shown() { await 600 on_screen "$1"; }

press() {
	read=$(($(wc -c <seen.txt) + 1))
	printf "$1" >&3
}

gone() { ! pidof lbrctl >/dev/null && [ -z "$(ls /tmp)" ]; }

# left NAME: what there was before is there again, and no more
left() {
	await 100 in_use_by nobody
	is "$1: the counters are free again" "nobody" "$(lbrctl info | sed -n 's/^in use by *//p')"
	await 100 grep -qv '^0$' /proc/sys/kernel/nmi_watchdog
	is "$1: the watchdog is on again" 1 "$(cat /proc/sys/kernel/nmi_watchdog)"
	await 600 gone
	is "$1: no recorder" "" "$(pidof lbrctl)"
	is "$1: no files" "" "$(ls /tmp)"
}

start -p $hot
succeeds "functions on the screen" shown 'Function'
# whole: redraws the screen into the file table. What has not changed is not drawn without Ctrl-L.
whole() {
	press '\f'
	shown 'Enter: ' && screen >table
}
# large: the first slice in it has hundreds of samples; how many a slice has depends on the host
large() { whole && [ "$(sed -n 's/^instructions:u: \([0-9]*\) samples.*/\1/p' table | head -n 1)" -ge 300 ]; }
await 600 large
matches "Ctrl-L: redraws the screen, of hundreds of samples" '^instructions:u: [0-9]{3,} samples' "$(cat table)"
# The program has run before: what called main() is in memory alone.
matches "stacks are whole" '^instructions:u: [0-9]+ samples, (100|99)[0-9.]*% complete' "$(cat table)"
is "the hottest function is first" "hot cold" \
	"$(grep -Eo '\b(hot|cold)\b' table | uniq | head -n 2 | tr '\n' ' ' | sed 's/ $//')"
# 95 % of all slices are within the interval, and one of 100 million is not within three of them
is "the share of the hottest function is 90 %, as its interval says" yes \
	"$(grep -E '[0-9]%.* hot +hot' table | grep -Eo '[0-9]+\.[0-9]+' | xargs | awk '{
		apart = $1 > 90 ? $1 - 90 : 90 - $1
		print (NF && apart <= 3 * $2 && $2 < 12 ? "yes" : $1 " +- " $2) }')"
matches "the head" '^lbrctl top: [0-9]+ s, [0-9]+ samples a second, 0 lost, overhead [0-9.]+ %' "$(cat table)"
matches "the stacks" '^instructions:u: [0-9]+ samples, [0-9.]+% (complete|partial|unproved)' "$(cat table)"
press '/col\f'
succeeds "/: the line shows the search text" shown 'Function: col_'
press '\n\f'
succeeds "/: afterwards the keys, and the search text" shown 'Enter: .*/col'
screen >found
matches "/: such functions" '\bcold +/' "$(cat found)"
is "/: and no others" "" "$(grep -E '\bhot +/' found)"
press '/'
succeeds "/: again" shown 'Function: '
press '\033'
succeeds "Esc: all functions" shown '\bhot\b'
press 'p\f'
succeeds "p: says so" shown 'overhead .*, paused'
press 'p\f'
succeeds "p: and goes on" shown 'Enter: '
is "p: says so no more" "" "$(screen | grep paused)"
press '\n'
succeeds "Enter: callers and callees" shown 'Callers and callees of hot'
press 'E\f'
succeeds "E: from main down" shown ' main( \[(partly )?concluded\])?$'
screen >tree
is "Enter: of this function" "" "$(grep cold tree)"
press 'a'
succeeds "a: the instructions of a slice that the recorder has forgotten" shown 'Function: hot, '
press 'qqF\f'
succeeds "F: sorted by name" shown '\[Function\]'
whole
is "F: the first line" "cold" "$(grep -Eo '% +[0-9.]+ +[0-9]+  (hot|cold)\b' table | head -n 1 | grep -Eo '[a-z]+$')"

# The thread that analyses slices stands still: the keys do not.
mkfifo hold
for task in /proc/$(pidof lbrctl | tr ' ' '\n' | sort -n | head -n 1)/task/*; do :; done
./hold "$(basename "$task")" <hold >held.txt &
exec 4>hold
succeeds "the analysis is held" await 50 grep -q held held.txt
for key in '?:Everywhere' 'q:Enter: ' 'S:\[Self\]' '/:Function: _'; do
	before=$(cut -d ' ' -f 1 /proc/uptime)
	press "${key%%:*}"
	succeeds "${key%%:*}: answered meanwhile" shown "${key#*:}"
	after=$(cut -d ' ' -f 1 /proc/uptime)
	echo "# ${key%%:*}: $before $after"
done
press '\033q'
wait $terminal
is "q: status" 0 $?
exec 3>&- 4>&-
left "q"

start --symbols cold
succeeds "no target, --symbols: is on the screen" shown 'cold'
press '\f'
succeeds "--symbols: redrawn" shown 'Enter: '
is "--symbols: and no other" "" "$(screen | grep -E '\bhot +/')"
press '\003'
wait $terminal
is "Ctrl-C: status" 0 $?
exec 3>&-
left "Ctrl-C"

cgroups=/sys/fs/cgroup
grep -q " cgroup2 " /proc/mounts || mount -t cgroup2 none $cgroups
mkdir $cgroups/hot && echo $hot >$cgroups/hot/cgroup.procs
start -G hot
succeeds "-G: a cgroup's functions" shown '\bhot\b'
kill -9 "$(pidof lbrctl | tr ' ' '\n' | sort -n | head -n 1)"
wait $terminal
exec 3>&-
left "kill -9"
kill $hot
finish
