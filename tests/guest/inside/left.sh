# SPDX-License-Identifier: GPL-2.0
# Programs whose stacks something keeps from being proved, by all sources of stacks.
. ./lib.sh

# record NAME WAY: makes $stacks, folded stacks with a sample in spin()
record() {
	succeeds "record $1, $2" lbrctl record -e $event:u -c 100003 --call-graph $2 -o data -- ./$1
	lbrctl export --format folded --samples -i data >all
	stacks=$(grep -E ";$leaf [0-9]+$" all)
	is "$1, $2: samples" enough "$(echo "$stacks" | awk '{ n += $NF } END { print (n >= 50) ? "enough" : n }')"
}

# none_is_wrong NAME WAY TRUTH: no complete stack is another one
none_is_wrong() {
	is "$1, $2: none is complete and wrong" "" "$(echo "$stacks" | grep -v ';\[' | grep -Ev "(^|;)$3 [0-9]+$" | head -n 3)"
}

# another_is_there HOW: data was recorded of a file that is now left.swapped.1024, with two names exchanged
another_is_there() {
	lbrctl export --format folded -i data >all 2>said
	is "$1: no name of the other file" "" "$(grep -v '^left;\[unknown\] ' all | head -n 3)"
	is "$1: what is wrong" 1 "$(grep -c "/left is not the recorded file (it was replaced or written since)" said)"
}

# another_file: without a build id, its inode and its time tell the recorded file
another_file() {
	leaf=spin
	cp left.1024 left
	record left auto
	is "the file that was recorded: its names" yes "$(echo "$stacks" | grep -q 'main;rec;rec;work;spin' && echo yes || echo no)"
	cp left.swapped.1024 other
	touch -r left other
	mv left first
	mv other left
	another_is_there "replaced by one of the same age"
	mv first left
	sleep 3
	cat left.swapped.1024 >left
	another_is_there "written in place"
}

# none_is_left NAME WAY: no call that was left stands in a stack that lacks its outer callers
none_is_left() {
	is "$1, $2: no calls that were left" "" \
		"$(echo "$stacks" | grep -E ';\[(partial|truncated|broken)\].*(;rec.*){3}' | head -n 3)"
}

event=instructions
succeeds "lbrctl load" lbrctl load
lbrctl stat -e instructions:u true >stat.out 2>&1 || event=cpu-clock
ways="auto stack"
! lbrctl info | grep -q '^call stacks  *yes' || ways="auto lbr stack"
for program in $(cat names); do
	leaf=spin truth="main;rec;rec;work;spin"
	case $program in
	*through* | *jit*) truth="main;rec;[^;]+;rec;work;spin" ;;
	bare) leaf="(bare\\+0x[0-9a-f]+|\\[unknown\\])" truth="bare(;bare\\+0x[0-9a-f]+){5}" ;;
	esac
	for way in $ways; do
		record $program $way
		none_is_wrong $program $way "$truth"
		none_is_left $program $way
	done
done
another_file
succeeds "lbrctl unload" lbrctl unload
finish
