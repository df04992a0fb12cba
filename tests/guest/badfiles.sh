# SPDX-License-Identifier: GPL-2.0
# Files that cannot be read, made of good.data: each is refused, or is a report.
. "$here/../lib/lib.sh"
. "$here/inside/refused.sh"

: >empty.data
echo words >text.data
for verb in report script "flame -o bad.html"; do
	refused "${verb%% *}: no such file" 1 "[Nn]o such file" lbrctl $verb -i nosuch.data
	refused "${verb%% *}: an empty file" 1 "empty.data" lbrctl $verb -i empty.data
	refused "${verb%% *}: a text" 1 "perf.data" lbrctl $verb -i text.data
	refused "${verb%% *}: a folder" 1 "no file 'data'" lbrctl $verb -i /tmp
done
nothing_left "unreadable input"
refused "flame: a folder that is not there" 1 "[Nn]o such" lbrctl flame -i good.data -o nosuch/bad.html

# cut at every kind of place: the header, the attributes, a record, the features
size=$(stat -c %s good.data)
wrong=
for at in 1 8 50 103 104 105 200 300 1000 $((size / 3)) $((size / 2)) $((size - 3000)) $((size - 1)); do
	head -c $at good.data >cut.data
	for verb in report script "flame -o bad.html"; do
		timeout 20 lbrctl $verb -i cut.data >out 2>err
		status=$?
		grep -q '^lbrctl: ' err || { wrong="$wrong ${verb%% *}@$at=silent"; continue; }
		[ $status -eq 1 ] && [ ! -e bad.html ] && continue
		# from the first record on, what there is of it is read
		[ $status -eq 0 ] && [ $at -gt 1000 ] && rm -f bad.html && continue
		wrong="$wrong ${verb%% *}@$at=$status"
	done
done
is "a file cut anywhere ($size bytes) is refused, or read with a word about it" "" "$wrong"
nothing_left "a file cut anywhere"

# bytes turned over anywhere: refused or not, but no crash and no hang
wrong=
i=0
RANDOM=1
while [ $i -lt 200 ]; do
	cp good.data torn.data
	at=$(((RANDOM * 32768 + RANDOM) % size))
	[ $((i % 3)) -eq 0 ] && at=$((at % 1200))
	printf "\\$((RANDOM % 4))$((RANDOM % 8))$((RANDOM % 8))" |
		dd of=torn.data bs=1 seek=$at conv=notrunc 2>/dev/null
	timeout 20 lbrctl report -i torn.data >out 2>err
	status=$?
	[ $status -le 1 ] || wrong="$wrong $at=$status"
	i=$((i + 1))
done
is "a byte turned over anywhere ends in a report or a refusal" "" "$wrong"

lbrctl report -i good.data >/dev/full 2>err
is "report to a full disk: status" 1 $?
matches "report to a full disk says so" "No space left" "$(cat err)"
lbrctl report -i good.data 2>err | head -n 1 >/dev/null
is "a reader that has enough is no fault" "" "$(cat err)"
finish
