# SPDX-License-Identifier: GPL-2.0
# What a person reads of a C++ program with exceptions and of one with twenty named threads.
. ./lib.sh

# roots FILE: the outermost entries of the tree, by their names
roots() {
	sed '1,/call tree/d' "$1" | sed -n 's/^ *[0-9.]*% *[0-9.]* *[0-9.]*%  \([^ ].*\)/\1/p'
}

# lacking FILE: the share of the stacks under a mark, in tenths of a percent
lacking() {
	sed '1,/call tree/d' "$1" | awk '/^ *[0-9.]+% +[0-9.]+ +[0-9.]+%    \[(truncated|partial|broken|disputed)\]$/ { sum += 10 * $1 }
		END { print sum + 0 }'
}

# head_lacks FILE: the same, by the head
head_lacks() {
	sed -n '2s/.* \([<>0-9.]*\)% lack callers.*/\1/p' "$1" | tr -d '<>' | awk '{ print 10 * $1; n++ } END { if (!n) print 0 }'
}

succeeds "lbrctl load" lbrctl load
for program in corpus corpus.clang; do
	for how in auto lbr; do
		succeeds "record $program, $how" lbrctl record --call-graph $how -e instructions:u -c 20011 -o c.data -- ./$program all 20
		lbrctl report -i c.data --percent-limit 0 >c.txt
		is "$program, $how: one tree, of the process" "$program" "$(roots c.txt)"
		near "$program, $how: what lacks callers has a mark, and nothing else" "$(head_lacks c.txt)" "$(lacking c.txt)" 3
		at_least "$program, $how: main() has its samples" 400 \
			"$(sed '1,/call tree/d' c.txt | awk '$4 == "main" { print 10 * $1; exit }')"
		is "$program, $how: main() and what it calls stand in one place" 1 \
			"$(sed '1,/call tree/d' c.txt | grep -c '  main\( \[\|$\)')"
		at_most "$program, $how: lines before the table" 4 "$(sed '/^# *self/,$d' c.txt | wc -l)"
	done
done
succeeds "record crew" lbrctl record -e instructions:u -c 20011 -o crew.data -- ./crew 40
lbrctl report -i crew.data >crew.txt
is "twenty named threads: one tree, of the process" crew "$(roots crew.txt)"
is "the names of the threads do not divide it" 0 "$(grep -c worker crew.txt)"
is "unless they are asked for" 20 "$(lbrctl report -i crew.data -s comm,sym --percent-limit 0 |
	sed '1,/call tree/d' | grep -c '%    worker [0-9]*$')"
lbrctl export -f folded -i crew.data >crew.folded
is "export: as report" "crew;" "$(sed 's/;.*/;/' crew.folded | sort -u)"
lbrctl flame -i crew.data -o crew.html
is "flame: the process is a frame, and no thread" "1 0" \
	"$(page_data crew.html | grep -c '\["crew",[0-9]*,5\]') $(page_data crew.html | grep -c '\["worker [0-9]*",[0-9]*,5\]')"
succeeds "lbrctl unload" lbrctl unload
finish
