# SPDX-License-Identifier: GPL-2.0
# The texts of a recording; sourced by other scripts in the guest, which set $on to the name of
# their machine, if they have one.

# texts NAME: what our tool and Debian's make of NAME.data
texts() {
	succeeds "lbrctl script reads $1.data$on" sh -c "lbrctl script --no-inline -i $1.data >$1.ours.txt"
	perf script -i "$1.data" >"$1.perf.txt" 2>perf.err
	is "perf script reads $1.data$on: status" 0 $?
	is "perf script reads $1.data without complaint$on" "" "$(cat perf.err)"
	perf report --stdio -i "$1.data" >perf.out 2>perf.err
	is "perf report reads $1.data$on: status" 0 $?
	# 6.1's own progress and kernel notes are no complaints about the file
	is "perf report reads $1.data without complaint$on" "" "$(cat perf.err)"
	matches "perf report shows a call chain of $1.data$on" '^ +(---|\|--).*[a-z_]' "$(cat perf.out)"
}
