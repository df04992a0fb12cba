# SPDX-License-Identifier: GPL-2.0
# Start of an attack that runs in the lab machine: programs built, a scratch folder to work
# in (the current one from then on), the lab at hand.
# shellcheck shell=sh

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
programs=$top/build/torture/programs
guest=$top/build/tests/guest
seconds=${TORTURE_S:-60}
. "$top/tests/lib/lib.sh"

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
make -s -C "$here" all >"$scratch/make.log" 2>&1 &&
	make -s -C "$top/tests/guest" all >>"$scratch/make.log" 2>&1 || {
	not_ok "the programs build" "$(tail -5 "$scratch/make.log")"
	finish
}
cd "$scratch" || exit 1

# inside SCRIPT [LAB OPTIONS...]: runs inside/SCRIPT (a path from there) in the lab machine with the variable
# "seconds", and passes its lines on. Its failure fails the attack. An NMI without an owner or a warning
# of the kernel ends the machine, which is a failure as well.
inside() {
	script=$1
	shift
	echo "seconds=$seconds" >seconds
	"$top/tests/lab/lab" run --clock host --silence $((seconds + 1200)) --put seconds \
		--put "$top/tests/lib/lib.sh" --put "$here/inside/$script" "$@" -- sh "./${script##*/}" \
		>lab.out 2>lab.err
	status=$?
	cat lab.out
	if [ $status -ne 0 ] || grep -q '^not ok' lab.out; then
		failed=1
		sed 's/^/# /' lab.err | tail -n 150
		grep -q '^not ok' lab.out || not_ok "$script runs to its end" "status $status"
	fi
}

# builds_for KERNEL: our module for one of the lab's kernels
builds_for() {
	succeeds "the module builds for the kernel $1" \
		make -s -C "$top" module KDIR="$(LAB_KERNEL=$1 "$top/tests/lab/lab" kdir)"
}

# build_for_coverage: the module for the debug kernel, with gcov and kcov, into lbrscope.ko here.
# Its build, and what keep_coverage() keeps of it, are in build/torture/coverage.
build_for_coverage() {
	kdir=$(LAB_KERNEL=debug "$top/tests/lab/lab" kdir)
	succeeds "the module builds with coverage" make -s -C "$top" module COVERAGE=1 \
		BUILD="$top/build/coverage" KDIR="$kdir"
	cp "$top/build/coverage/lbrscope.ko" .
	mkdir -p "$top/build/torture/coverage"
	(cd "$top/build/coverage/kmod/$(basename "$(dirname "$kdir")")"/kmod &&
		find . -name '*.gcno' -exec cp --parents {} "$top/build/torture/coverage" \;)
}

# keep_coverage NAME: of the boot that brought coverage.tar back
keep_coverage() {
	[ ! -e coverage.tar ] || mv coverage.tar "$top/build/torture/coverage/$1.tar"
}
