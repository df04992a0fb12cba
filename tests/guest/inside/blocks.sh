# SPDX-License-Identifier: GPL-2.0
# Prints the runs between the branches of ./kinds.
. ./lib.sh
. ./model.sh

this_model || exit 1
succeeds "lbrctl load, $on" lbrctl load
succeeds "lbrctl record -b, $on" lbrctl record -b -e instructions:u -c 10007 -o b.data -- ./kinds
lbrctl blocks -i b.data --json >blocks.txt
is "lbrctl blocks --json: status, $on" 0 $?
lbrctl blocks -i b.data >text.txt
is "lbrctl blocks: status, $on" 0 $?
lbrctl record -e instructions:u -c 100003 -o s.data -- ./kinds 2>/dev/null
lbrctl blocks -i s.data 2>err
is "lbrctl blocks, of a capture without branch histories: status, $on" 1 $?
matches "lbrctl blocks, of a capture without branch histories: how to make one, $on" "lbrctl record -b" "$(cat err)"
[ "$stacks" = no ] || {
	lbrctl record -j any_call -e instructions:u -c 100003 -o c.data -- ./kinds 2>/dev/null
	lbrctl blocks -i c.data 2>err
	is "lbrctl blocks, of calls alone: status, $on" 1 $?
}
finish
