# SPDX-License-Identifier: GPL-2.0
# Records three programs that run already, by default, on the CPU model of the file "model".
. ./lib.sh
model=$(cat model)

# whole: the first percentage of complete stacks that a report states; "all" is 100
whole() { sed -n 's/^# stacks: all complete.*/100/p; s/^# stacks: >\{0,1\}\([0-9]*\).*% complete.*/\1/p' "$1" | head -n 1; }

# kept NAME MOST: the recording NAME lost no record to a full ring, and a record of its file takes MOST
# bytes at most
kept() {
	is "$1: nothing is lost for want of room, $model" "" "$(grep -o '[a-z ]*full ring.*\|ring full.*' "$1.said")"
	nr=$(sed -n 's/^lbrctl: \([0-9]*\) samples.*/\1/p; s/.* times off the CPU.*: \([0-9]*\) delivered.*/\1/p' "$1.said" |
		awk '{ n += $1 } END { print n + 0 }')
	at_least "$1: there are records, $model" 1000 "$nr"
	at_most "$1: $2 bytes a record at most, $model" "$2" "$(($(wc -c <"$1.data") / (nr + 1)))"
}

succeeds "lbrctl load" lbrctl load
./crew 1000000 &
crew=$!
sleep 1
lbrctl record -F 4000 -o crew.data -p $crew -- sleep 2 2>crew.said
is "lbrctl record -p, 20 threads, $model" 0 $?
# Programs that nobody has named: lbrctl makes their tables in the first seconds, which take the lab's machine a
# hundred times as long as a real one.
lbrctl record -a -F 4000 -o all.data -- sleep 5 2>all.said
is "lbrctl record -a, 20 threads, $model" 0 $?
lbrctl report -i all.data --time +3, >all.txt
at_least "all programs: whole stacks from the fourth second on, $model" 95 "$(whole all.txt)" || sed 3q all.txt
at_most "all programs: lost, in thousandths, $model" 60 "$(sed -n 's/.*produced \([0-9]*\) = .*lost \([0-9]*\).*/\1 \2/p' all.said |
	awk '{ print int(1000 * $2 / $1) }')" || cat all.said
kill $crew
lbrctl report -i crew.data >crew.txt
at_least "20 threads: whole stacks, $model" 99 "$(whole crew.txt)" || sed 3q crew.txt
kept crew 400

./shop 4 100000 >shop.out &
shop=$!
sleep 1
lbrctl record --off-cpu -o shop.data -p $shop -- sleep 2 2>shop.said
is "lbrctl record --off-cpu -p, a lock, $model" 0 $?
kill $shop
lbrctl report -i shop.data >shop.txt
at_least "a lock: whole stacks, $model" 99 "$(whole shop.txt)" || sed 3q shop.txt
lbrctl report -i shop.data -e offcpu-time >waits.txt
at_least "a lock: whole stacks of the waiting, $model" 99 "$(whole waits.txt)" || sed 3q waits.txt
lbrctl report -i shop.data -e offcpu-time -g caller >callers.txt
at_least "a lock: its place is found, $model" 50 "$(awk '{ for (i = 1; i <= NF; i++) if ($i == "log_order") { print int($1); exit } }' callers.txt)"
kept shop 700
# Most samples are in the loop of prog/made.c, at 10000040 and behind it. It has no frame: the function at
# 10000000 calls it, and that is called by again(), up to main().
./made &
made=$!
sleep 1
lbrctl record -o made.data -p $made -- sleep 2 2>made.said
is "lbrctl record -p, code that was made, $model" 0 $?
kill $made
lbrctl script -i made.data | awk '
	function judge() {
		if (!nr || frame[1] !~ /^100000[0-9a-f]*$/)
			return
		all++
		right += frame[1] >= "10000040" && frame[2] ~ /^1000001[15]$/ && name[3] ~ /^again/ && inner ~ / main/ && name[nr] ~ /^_start/
	}
	!NF { judge(); nr = 0; inner = "" }
	/^[ \t]/ && NF >= 2 { frame[++nr] = $1; name[nr] = $2; inner = inner " " $2 }
	END { judge(); print all + 0, int(1000 * right / (all + !all)) }' >made.sum
read -r all right <made.sum
at_least "code that was made: its samples, $model" 500 "$all"
at_least "code that was made: whole stacks with each caller, in thousandths, $model" 995 "$right"
kept made 500
succeeds "lbrctl unload" lbrctl unload
finish
