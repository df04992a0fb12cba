# SPDX-License-Identifier: GPL-2.0
# Windows of the stack on a CPU whose branch records have no call-stack mode.
. ./lib.sh

succeeds "lbrctl load" lbrctl load
succeeds "lbrctl record --stack-window without call stacks" \
	lbrctl record --stack-window -e instructions:u -c 1000003 -o tree.data -- ./tree 300 200
perf script --no-inline -i tree.data >tree.txt 2>/dev/null
matches "lbrctl report" "t_0_" "$(lbrctl report -i tree.data 2>&1)"
succeeds "lbrctl unload" lbrctl unload
finish
