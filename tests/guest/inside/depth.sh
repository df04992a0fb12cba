# SPDX-License-Identifier: GPL-2.0
# Programs that are up to 200 calls deep, recorded with a window of the stack.
. ./lib.sh

succeeds "lbrctl load" lbrctl load
for program in chain chain.clang chain.plain; do
	succeeds "lbrctl record --stack-window $program" \
		lbrctl record --stack-window=32768 -e instructions:u -c 100003 \
		-o $program.data -- ./$program 500 20
	succeeds "lbrctl script reads $program.data" \
		sh -c "lbrctl script -i $program.data >$program.txt"
	succeeds "lbrctl report reads $program.data" \
		sh -c "lbrctl report -i $program.data >$program.report.txt"
done
succeeds "lbrctl record without a window" \
	lbrctl record -e instructions:u -c 20011 -o bare.data -- ./chain 500 20
succeeds "lbrctl script reads bare.data" sh -c "lbrctl script -i bare.data >bare.txt"
succeeds "lbrctl report reads bare.data" \
	sh -c "lbrctl report --percent-limit 0 -i bare.data >bare.report.txt"
succeeds "lbrctl unload" lbrctl unload
finish
