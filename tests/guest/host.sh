# SPDX-License-Identifier: GPL-2.0
# Start of every host-side test of this folder: programs built, a scratch folder to
# work in (the current one from then on), the lab at hand.
# shellcheck shell=sh

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
programs=$top/build/tests/guest
. "$here/../lib/lib.sh"

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
make -s -C "$here" all >"$scratch/make.log" 2>&1 || {
	not_ok "the programs build" "$(tail -5 "$scratch/make.log")"
	finish
}
cd "$scratch" || exit 1

# Programs find their way by comm and object name, so they keep their names.
# inside SCRIPT [LAB OPTIONS...]: runs inside/SCRIPT in the lab machine, passing its
# result lines on; its failure is ours, and silence of it as well. Files that it is to
# bring back (--get) are named *.txt or *.data.
inside() {
	script=$1
	shift
	# what an earlier boot brought back must not be judged again
	rm -f ./*.txt ./*.data
	run="./$script"
	# tests/torture/coverage.attack: what the module's lines have seen of the boot
	if [ -n "$COVERAGE" ]; then
		echo "sh ./$script; status=\$?; . ./coverage.sh; exit \$status" >covered
		run=./covered
		set -- --silence 1800 --put covered --put "$here/../torture/inside/coverage.sh" --get coverage.tar "$@"
	fi
	"$top/tests/lab/lab" run --put "$here/../lib/lib.sh" --put "$here/inside/$script" \
		"$@" -- sh "$run" >lab.out 2>lab.err
	status=$?
	[ ! -e coverage.tar ] || mv coverage.tar "$COVERAGE/$(basename "$0" .test)-$(date +%s%N).tar"
	cat lab.out
	if [ $status -ne 0 ] || grep -q '^not ok' lab.out; then
		failed=1
		sed 's/^/# /' lab.err | tail -n 120
		# it failed without a word: the machine or the script broke down
		grep -q '^not ok' lab.out || not_ok "$script runs to its end" "status $status"
	fi
}
