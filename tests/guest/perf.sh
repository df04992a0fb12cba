# SPDX-License-Identifier: GPL-2.0
# perf on a model of CPU, judged; for perf.test, perf-models.test and perf-arch.test.
# shellcheck shell=sh

. "$here/inside/model.sh"

# perf_on MODEL CPUS [all]
perf_on() {
	facts "$1" || exit 1
	on="$1, $2 CPUs" all=${3:-part}
	echo "$1 $all" >model
	gets="--get branches.txt"
	filters=
	[ $depth != 0 ] || gets=
	if [ "$all" = all ] && [ $depth != 0 ]; then
		for filter in $all_filters; do
			has $filter "$missing" || filters="$filters $filter"
		done
		for name in types missed $filters; do
			gets="$gets --get $name.txt"
		done
	fi
	[ $stacks = no ] || [ "$below" = yes ] || gets="$gets --get two.txt"
	[ $stacks = no ] || [ "$all" != all ] || gets="$gets --get tree.txt --get threads.txt"
	# shellcheck disable=SC2086
	inside perf.sh --cpu "$1" --smp "$2" --append nmi_watchdog=0 --put model \
		--put "$here/inside/model.sh" --put "$programs/loop" --put "$programs/kinds" \
		--put "$programs/tree" --put "$programs/tree2" \
		--put "$programs/tree.static" --put "$programs/threads" $gets
	[ $depth = 0 ] || judge_branches
	[ $stacks = no ] || judge_stacks
}

judge_branches() {
	judged "$here/branches.py" --depth "$depth" "$programs/tree.static" branches.txt \
		"perf record -b: every entry agrees with the disassembly, $on"
	[ "$all" = all ] || return
	judged "$here/branches.py" --depth "$depth" --types --guess flip "$programs/kinds" types.txt \
		"perf record -b: every kind of branch is told as what it is, and the one that is missed, $on"
	judged "$here/branches.py" --missed --guess flip "$programs/kinds" missed.txt \
		"perf record -b on branch misses: the last entry is the miss, $on"
	for filter in $filters; do
		# what software throws away leaves fewer
		if has $filter "$mixed"; then full=; else full="--depth $depth"; fi
		# shellcheck disable=SC2086
		judged "$here/branches.py" --only $filter --even --guess flip $full \
			"$programs/kinds" $filter.txt "perf record -j $filter,u: these and all of these, $on"
	done
}

judge_stacks() {
	# Linux 7.3 swaps the contexts of tasks that inherited the same events, and counts the
	# users of the branch stack by the task that had them first: the other's is not kept
	# over a switch. So stacks end early there, and none is wrong.
	case ${LAB_KERNEL:-stock} in 7.x) least=0 ;; *) least=99 ;; esac
	if [ "$below" = yes ] && [ "$all" = all ]; then
		# the frames above are exact nevertheless
		tail="--tail 0 --entry="
		awk '/^$/ { cut = 0 } !cut; / w[0-3]\+/ { cut = 1 }' threads.txt >cut.txt
		mv cut.txt threads.txt
	fi
	if [ "$below" = no ]; then
		tail="--tail 2 --entry="
		judged "$here/chains.py" judge --least $least --comm tree t two.txt \
			"perf record --call-graph lbr: the first of two on one CPU, $on"
		judged "$here/chains.py" judge --least $least --comm tree2 u two.txt \
			"perf record --call-graph lbr: the second of two on one CPU, $on"
	fi
	[ "$all" = all ] || return
	judged "$here/chains.py" judge t tree.txt "perf record --call-graph lbr: the true chain, $on"
	# shellcheck disable=SC2086
	judged "$here/chains.py" judge --least $least $tail \
		"w0_c w0_b w0_a w0, w1_c w1_b w1_a w1, w2_c w2_b w2_a w2, w3_c w3_b w3_a w3" \
		threads.txt "perf record --call-graph lbr: threads, $on"
}

# perf_on_models MODELS: all with one CPU, the main things with two
perf_on_models() {
	# or nothing would be tested
	[ -n "$1" ] || not_ok "there are models to test"
	for each in $1; do
		perf_on "$each" 1 all
		perf_on "$each" 2
	done
}
