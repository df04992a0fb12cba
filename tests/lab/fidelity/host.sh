# SPDX-License-Identifier: GPL-2.0
# Start of every test of this folder: what it needs is built, a scratch folder to
# work in (the current one from then on), the lab at hand.
# shellcheck shell=sh

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
lab=$top/tests/lab/lab
built=$top/build/tests/fidelity
lock=${TMPDIR:-/tmp}/lbrscope-fidelity-$(id -u).lock
. "$top/tests/guest/lib.sh"

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
(
	flock 9 # tests may run side by side
	make -s -C "$here" all
) >"$scratch/make.log" 2>&1 9>"$lock" || {
	not_ok "the tests' programs build" "$(tail -n 5 "$scratch/make.log")"
	finish
}
cd "$scratch" || exit 1

# passed WHAT STATUS: the result lines in lab.out are ours; none at all, or a
# status without a failed line, is a failure too
passed() {
	grep -E '^(ok|not ok|#)' lab.out
	if grep -q '^not ok' lab.out; then
		failed=1
	elif [ "$2" -ne 0 ] || ! grep -q '^ok' lab.out; then
		not_ok "$1 runs to its end" "status $2" "$(tail -n 40 lab.err)"
	fi
}

# group NAME [LAB OPTIONS...]: the module's checks of that name, in the guest
group() {
	name=$1
	shift
	"$lab" run --append nmi_watchdog=0 --put "$built/fidelity.ko" "$@" -- sh -c "
		insmod ./fidelity.ko group=$name || exit
		dmesg | sed -n 's/.*fidelity: //p'" >lab.out 2>lab.err
	status=$?
	grep -qx "end of $name" lab.out || status=1
	passed "module, group $name" $status
}
