# SPDX-License-Identifier: GPL-2.0
# lbrctl record -p, by the LBR alone, on a program that is deep in calls from before the recording.
. ./lib.sh

lbrctl load || exit 1
printf '\0' >phase
./deep phase >deep.out &
deep=$!
while ! grep -q deep deep.out; do sleep 0.1; done

lbrctl record --call-graph lbr -e instructions:u -c 200003 -p $deep -o deep.data 2>record.err &
record=$!
sampling
for next in 1 2 3 4; do
	sleep 1
	printf "\\00$next" | dd of=phase bs=1 conv=notrunc 2>/dev/null
done
wait $deep
wait $record
is "lbrctl record -p ends well with its target" 0 $?

lbrctl script --no-inline -i deep.data >deep.txt
succeeds "lbrctl export" lbrctl export --no-inline --format folded --samples -i deep.data -o folded.txt
finish
