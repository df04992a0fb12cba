# SPDX-License-Identifier: GPL-2.0
# Tasks that switch all the time, recorded by lbrctl with and without --lbr-reset, and by perf.
. ./lib.sh

# Some 40,000 instructions a round, switching twice.
modprobe lbrscope || exit 1
succeeds "lbrctl record -a" lbrctl record -a -e instructions:u -c 50021 -o ours.data -- ./relay 8 100
succeeds "lbrctl script" sh -c 'lbrctl script --no-inline -i ours.data >ours.txt'
succeeds "lbrctl record -a --lbr-reset" lbrctl record -a --lbr-reset -e instructions:u -c 50021 \
	-o cut.data -- ./relay 8 100
lbrctl script --no-inline -i cut.data >cut.txt
succeeds "lbrctl record --lbr-reset, two programs on one CPU" taskset 1 \
	lbrctl record --lbr-reset -e instructions:u -c 50021 -o two.data -- \
	sh -c './tree 400 200 & ./tree2 400 200 & wait'
perf script -i two.data >two.txt 2>/dev/null
succeeds "perf record -a" perf_record -a -N -e instructions:u -c 50021 --call-graph lbr -o perf.data ./relay 8 100
perf script -i perf.data >perf.txt 2>/dev/null
succeeds "rmmod" rmmod lbrscope
finish
