# SPDX-License-Identifier: GPL-2.0
# A foreign watchpoint is hit again and again while ./tree is recorded.
. ./lib.sh

succeeds "lbrctl load" lbrctl load

lbrctl record -a -e instructions:u -c 100003 -o tree.data -- sh -c '
	./tree 300 1000 &
	while kill -0 $! 2>/dev/null; do
		perf stat -x, -e mem:0x402000:w:u ./triggers 2>>hits
	done' >/dev/null 2>said || not_ok "lbrctl record" "$(cat said)"
matches "a watchpoint of perf's was hit" '^100,' "$(cat hits)"
lbrctl script --no-inline -i tree.data >tree.txt
finish
