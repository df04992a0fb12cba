# SPDX-License-Identifier: GPL-2.0
# The properties of each CPU model of the lab, for tests that run on all of them; sourced on the
# host and in the guest.
# shellcheck shell=sh disable=SC2034

# facts MODEL:
#   counters    general ones
#   depth       of the branch records
#   stacks      yes, if they have call-stack mode
#   bound       what the kernel's driver says when it is bound
#   events      raw codes of branch events, each with what it counts (see branches_of)
#   mixed       filters of perf -j that its driver makes of more than the hardware's own
#   missing     filters that its driver has no bit for
#   along       filters of ours that bring jumps with the calls
#   below       yes, if Linux's driver does not keep the records of tasks that take turns
#               apart: it saves those that there are, restores until the first empty one,
#               and does not empty what it saved before. lab/fidelity/xsaves.test has two
#               programs in sessions of their own.
#   slots       of a cycle; 0: no events that lbrctl knows tell what became of them
#   format      of the branch records, as lbrctl info calls it
facts() {
	stacks=yes mixed='' missing='' along='' below=no slots=4
	case $1 in
	skylake)
		counters=8 depth=32 format='format 5'
		bound='Skylake events, 32-deep LBR, full-width counters'
		events='r00c4=all r01c4=conditional r02c4=calls r08c4=returns r10c4=not_taken r20c4=near_taken'
		;;
	haswell)
		counters=8 depth=16 format='format 4'
		bound='Haswell events, 16-deep LBR, full-width counters'
		events='r00c4=all r01c4=conditional r02c4=calls r08c4=returns r10c4=not_taken r20c4=near_taken'
		;;
	nehalem)
		counters=4 depth=16 format='format 3' stacks=no slots=0
		bound='Nehalem events, 16-deep LBR'
		events='r00c4=all r01c4=conditional r02c4=calls'
		# its errata want more kinds recorded than asked for, and software sorts them out
		mixed='any_call any_ret ind_call' missing=call along='any_call ind_call call'
		;;
	sapphirerapids*)
		counters=8 depth=32 format=architectural below=yes slots=6
		# 7.x says it in another order, and the rest in another line
		bound='(Architectural LBR, .*Sapphire Rapids events, .*32-deep LBR, full-width counters|Sapphire Rapids events, .*Architectural LBR)'
		events='r00c4=all r11c4=conditional r02c4=calls r08c4=returns r10c4=not_taken r20c4=near_taken r80c4=indirect'
		;;
	zen4)
		counters=6 depth=16 format='AMD version 2' stacks=no slots=6
		bound='Fam17h\+ 16-deep LBR, core perfctr'
		events='rc2=all rd1=conditional rc8=returns rc4=taken rcc=indirect'
		;;
	*) return 1 ;;
	esac
}

# this_model: in the guest. The file `model` has its name, and all or part of what is to be
# tested. Sets model, all and the facts; cpus; on, for the names of the tests.
this_model() {
	read -r model all <model && facts "$model" || return
	cpus=$(grep -c ^processor /proc/cpuinfo)
	on="$model, $cpus CPUs"
}

# those of perf record -j that every driver or CPU can do, one by one
all_filters='any_call any_ret cond ind_call ind_jmp call'

# What ./kinds does, by its own head.
rounds=100000 unlucky=49980
kinds_instructions=$((7 + 19 * rounds + unlucky))

# branches_of KIND: how many branches of this kind
branches_of() {
	case $1 in
	all) echo $((8 * rounds + 1)) ;;
	conditional | calls | returns | indirect) echo $((2 * rounds)) ;;
	not_taken) echo $((unlucky + 1)) ;;
	near_taken) echo $((8 * rounds - 1 - unlucky)) ;;
	taken) echo $((8 * rounds - unlucky)) ;;
	esac
}

# has WORD LIST: it is one of them
has() {
	case " $2 " in *" $1 "*) ;; *) return 1 ;; esac
}
