# SPDX-License-Identifier: GPL-2.0
# Programs whose stacks something keeps from being proved, by all sources of stacks.
. ./lib.sh

# record NAME WAY: makes $stacks, folded stacks with a sample in spin()
record() {
	succeeds "record $1, $2" lbrctl record -e $event:u -c 100003 --call-graph $2 -o data -- ./$1
	lbrctl export --format folded -i data >all
	stacks=$(grep -E ";$leaf [0-9]+$" all)
	is "$1, $2: samples" enough "$(echo "$stacks" | awk '{ n += $NF } END { print (n >= 50) ? "enough" : n }')"
}

# none_is_wrong NAME WAY TRUTH: no complete stack is another one
none_is_wrong() {
	is "$1, $2: none is complete and wrong" "" "$(echo "$stacks" | grep -v ';\[' | grep -Ev "(^|;)$3 [0-9]+$" | head -n 3)"
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
	done
done
succeeds "lbrctl unload" lbrctl unload
finish
