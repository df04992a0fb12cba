# SPDX-License-Identifier: GPL-2.0
# Start of every test of this folder: what it needs is built, a scratch folder to
# work in (the current one from then on), the lab at hand. A test that may run on any
# kernel says goal=programs before it reads this: the modules are for the default one.
# shellcheck shell=sh

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
lab=$top/tests/lab/lab
built=$top/build/tests/fidelity/${LAB_KERNEL:-stock}
lock=${TMPDIR:-/tmp}/lbrscope-fidelity-$(id -u).lock
. "$top/tests/lib/lib.sh"

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
(
	flock 9 # tests may run side by side
	make -s -C "$here" "${goal:-all}"
) >"$scratch/make.log" 2>&1 9>"$lock" || {
	not_ok "the tests' programs build" "$(tail -n 5 "$scratch/make.log")"
	finish
}
cd "$scratch" || exit 1

# passed WHAT STATUS: passes on the result lines in lab.out; no line at all, or a status other than 0
# without a failed line, is a failure too
passed() {
	grep -E '^(ok|not ok|#)' lab.out
	if grep -q '^not ok' lab.out; then
		failed=1
	elif [ "$2" -ne 0 ] || ! grep -q '^ok' lab.out; then
		not_ok "$1 runs to its end" "status $2" "$(tail -n 40 lab.err)"
	fi
}

# group NAMES [LAB OPTIONS...]: the module's checks of these names, in the guest;
# the name of the CPU model that the module must find
group() {
	names=$1
	shift
	model=skylake word=
	for next; do
		[ "$word" = --cpu ] && model=$next
		word=$next
	done
	"$lab" run --append nmi_watchdog=0 --put "$built/fidelity.ko" "$@" -- sh -c "
		for name in $names; do
			insmod ./fidelity.ko group=\$name model=$model && rmmod fidelity || exit
		done
		dmesg | sed -n 's/.*fidelity: //p'" >lab.out 2>lab.err
	status=$?
	for name in $names; do
		grep -qx "end of $name" lab.out || status=1
	done
	passed "$model: module, $names" $status
}
