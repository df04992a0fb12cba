# SPDX-License-Identifier: GPL-2.0
# A real program, built as Debian builds it, under lbrctl and under perf with DWARF.
. ./lib.sh

if [ -e xz ]; then
	set -- ./xz -3 -k -f -T1 text
else
	set -- ./sqlite3 shop.db '.output answers' '.read workload.sql'
fi

succeeds "lbrctl load" lbrctl load
rm -f shop.db*
succeeds "lbrctl record ${1#./}" lbrctl record -e instructions:u -c 20011 -o ours.data -- "$@"
succeeds "lbrctl unload" lbrctl unload
# perf counts what is inlined to the function that has the code
lbrctl report --no-inline --csv -s sym -i ours.data >ours.csv
is "lbrctl report" 0 $?
lbrctl script --no-inline -i ours.data >script.txt
is "lbrctl script" 0 $?

rm -f shop.db*
perf record -q -e instructions:u -c 60013 -m 32M --call-graph dwarf,16384 -o dwarf.data -- "$@"
perf report --stdio --no-inline --children -g none -F overhead_children,overhead,sym \
	-i dwarf.data >perf.txt 2>perf.err
is "perf report" 0 $?
finish
