# SPDX-License-Identifier: GPL-2.0
# The properties of each CPU model of the lab, for tests that run on all of them; sourced on the
# host and in the guest.
# shellcheck shell=sh disable=SC2034

# facts MODEL:
#   counters    number of general counters
#   depth       number of branch records, or 0
#   stacks      yes, if the branch records have a call-stack mode
#   bound       pattern of the message of the kernel's driver
#   events      raw codes of branch events, each with what it counts (see branches_of)
#   mixed       filters of perf -j for which the driver records more kinds and drops some in software
#   missing     filters for which the driver has no bit
#   along       filters of lbrctl that also pass jumps
#   below       yes, if Linux's driver mixes the records of tasks that take turns: it saves the
#               existing records, restores up to the first empty one, and does not empty the
#               records that it saved before (lab/fidelity/xsaves.test)
#   slots       slots of a cycle; 0: lbrctl knows no top-down events of this CPU
#   format      format of the branch records in lbrctl info
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
		# an erratum makes the driver record more kinds than requested and drop some in software
		mixed='any_call any_ret ind_call' missing=call along='any_call ind_call call'
		;;
	sapphirerapids*)
		counters=8 depth=32 format=architectural below=yes slots=6
		# Linux 7.x prints these words in another order, on two lines
		bound='(Architectural LBR, .*Sapphire Rapids events, .*32-deep LBR, full-width counters|Sapphire Rapids events, .*Architectural LBR)'
		events='r00c4=all r11c4=conditional r02c4=calls r08c4=returns r10c4=not_taken r20c4=near_taken r80c4=indirect'
		;;
	zen2)
		counters=6 depth=0 stacks=no slots=0
		bound='Fam17h\+ core perfctr'
		events='rc2=all rd1=conditional rc8=returns rc4=taken'
		;;
	zen2-k7)
		# a hypervisor may hide the other two
		counters=4 depth=0 stacks=no slots=0
		bound='AMD PMU driver'
		events='rc2=all rd1=conditional rc8=returns'
		;;
	zen4)
		counters=6 depth=16 format='AMD version 2' stacks=no slots=6
		bound='Fam17h\+ 16-deep LBR, core perfctr'
		events='rc2=all rd1=conditional rc8=returns rc4=taken rcc=indirect'
		;;
	*) return 1 ;;
	esac
}

# this_model: in the guest, reads the name of the model and the extent ("all" or "part") from the file
# `model`. Sets model, all, the facts, cpus, and on, the end of each result's name.
this_model() {
	read -r model all <model && facts "$model" || return
	cpus=$(grep -c ^processor /proc/cpuinfo)
	on="$model, $cpus CPUs"
}

# the filters of perf record -j that every driver or CPU has
all_filters='any_call any_ret cond ind_call ind_jmp call'

# The numbers that the head of kinds.S states.
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

# has WORD LIST: succeeds if the list has the word
has() {
	case " $2 " in *" $1 "*) ;; *) return 1 ;; esac
}
