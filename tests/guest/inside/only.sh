# SPDX-License-Identifier: GPL-2.0
# Samples that are kept by a ratio of counts. ./phases says its counts and which phase has which ratio.
. ./lib.sh

on=$(cat model)
modprobe lbrscope || exit 1
is "the program's counts, by perf, $on" "40000404 11000101" "$(perf stat -x, -e instructions:u,branches:u ./phases 2>&1 |
	awk -F, '$1 ~ /^[0-9]/ { printf "%s%s", sep, $1; sep = " " }')"
all=$((40000404 / 10007))

# sampled NAME FIELDS WORD: samples with the word, by perf, which prints a line for each event of the group
sampled() { perf script -i "$1.data" -F "event,$2" 2>/dev/null | grep -w instructions | grep -cw "$3"; }

# only NAME RATIO OPTIONS...: sets kept, unwanted, and the shares of the phases in percent
only() {
	name=$1 ratio=$2
	shift 2
	lbrctl record -e instructions:u -c 10007 --only "$ratio" -o "$name.data" "$@" -- ./phases 2>said ||
		not_ok "record --only $ratio, $on" "$(cat said)"
	kept=$(sampled "$name" comm phases)
	unwanted=$(sed -n 's/^lbrctl: \([0-9]*\) further samples.*/\1/p' said)
	dense=$(sampled "$name" ip,sym dense)
	sparse=$(sampled "$name" ip,sym sparse)
}

# At each change of phase one sample may be of both.
only many 'branches/instructions>0.3' --no-lbr
near "above: half of the samples, $on" $((all / 2)) "$kept" 110
near "above: all other samples are counted, $on" "$all" $((kept + unwanted)) 2
near "above: those of the phase with many branches, $on" "$kept" "$dense" 110
matches "produced = delivered + lost has the kept ones alone, $on" "produced $kept = delivered $kept [+] lost 0" "$(cat said)"
first=$kept
only few 'branches/instructions<0.3' --no-lbr
near "below: half of the samples, $on" $((all / 2)) "$kept" 110
near "below: those of the phase with few branches, $on" "$kept" "$sparse" 110
near "above and below: together all samples, $on" "$all" $((first + kept)) 4
only none 'branches/instructions>0.6' --no-lbr
is "a ratio that does not occur: no samples, $on" "0 yes" "$kept $([ $((all - unwanted)) -le 1 ] && echo yes)"
matches "a ratio that does not occur: a warning says so, $on" "event instructions:u: no sample" "$(cat said)"
only every 'branches/instructions<0.6' --no-lbr
near "a ratio that always holds: all samples, $on" "$all" "$kept" 1
only stacks 'branches/instructions>0.3'
near "with call stacks, $on" "$first" "$kept" 20
only system 'branches/instructions>0.3' -a --no-lbr
near "on all CPUs: the same, $on" "$first" "$dense" 110
if ! lbrctl info | grep -q '^lbr *none'; then
	only history 'branches/instructions<0.3' -b
	near "with a branch history, $on" $((all - first)) "$kept" 20
fi
lbrctl record -e '{instructions:u,branches:u}:S' -c 10007 --only 'branches/instructions>0.3' --no-lbr -o group.data -- ./phases 2>said
near "in a group that is there already, $on" "$first" "$(sampled group comm phases)" 4
lbrctl record --only 'ipc>0.000001' -o ipc.data -- ./phases 2>said
is "ipc of the default event, $on" "0 yes" "$? $(perf script -i ipc.data -F comm 2>/dev/null | grep -q phases && echo yes)"
is "the kernel log has no warning, $on" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
succeeds "rmmod, $on" rmmod lbrscope
finish
