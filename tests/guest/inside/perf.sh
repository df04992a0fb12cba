# SPDX-License-Identifier: GPL-2.0
# Stock perf on programs whose counts and call trees are known; what takes a
# disassembler or python3 to judge is left in files for the host.
. ./lib.sh

cpus=$(grep -c ^processor /proc/cpuinfo)

# counts EVENTS COMMAND...
counts() {
	events=$1
	shift
	perf stat -x, -e "$events" -o stat.csv "$@" >/dev/null
	awk -F, '$1 ~ /^[0-9]/ { printf "%s%s", sep, $1; sep = " " }' stat.csv
}

matches "the kernel's own PMU driver is bound" "Skylake events, 32-deep LBR, full-width counters" \
	"$(dmesg | grep 'Performance Events')"

is "perf stat: instructions, branches and near taken branches exact, $cpus CPUs" \
	"20000004 10000001 9999999" \
	"$(counts instructions:u,branches:u,r20c4:u ./loop)"
is "perf stat: eight events at once, the same in each, $cpus CPUs" \
	"10000001 10000001 10000001 10000001 10000001 10000001 10000001 10000001" \
	"$(counts r00c4:u,r00c4:u,r00c4:u,r00c4:u,r00c4:u,r00c4:u,r00c4:u,r00c4:u ./loop)"
is "perf stat: the same on a second run, $cpus CPUs" "20000004 20000004" \
	"$(counts instructions:u,r00c0:u ./loop)"

perf record -q -o loop.data -e instructions:u -c 10007 ./loop
perf script -i loop.data -F ip,sym >loop.txt
near "perf record: a sample for every 10007 instructions" $((20000004 / 10007)) \
	"$(grep -c . loop.txt)" 1
is "perf record: every sample lies in the program" 0 "$(grep -vc ' _start$' loop.txt)"
perf record -q -o loop.data -e branches:u -c 10007 ./loop
near "perf record: a sample for every 10007 branches, on a general counter" \
	$((10000001 / 10007)) "$(perf script -i loop.data -F ip | grep -c .)" 1

perf record -q -o b.data -b -e instructions:u -c 100003 ./tree.static 300 200 >/dev/null
perf script -i b.data -F ip,brstack >branches.txt

perf record -o tree.data --call-graph lbr -e instructions:u -c 100003 ./tree 1000 200 >/dev/null 2>&1
perf script -i tree.data >tree.txt
# the random layout of the address space costs the loader some thousand instructions
near "perf record --call-graph lbr: samples = instructions / period" \
	$(($(counts instructions:u ./tree 1000 200) / 100003)) \
	"$(grep -c '^[^[:space:]]' tree.txt)" 1

taskset 1 perf record -q -o two.data --call-graph lbr -e instructions:u -c 100003 \
	sh -c './tree 400 200 & ./tree2 400 200 & wait' >/dev/null
perf script -i two.data >two.txt
matches "two programs did switch" '^[0-9]+$' "$(awk '/^tree/ { if ($1 != last) n++; last = $1 } END { if (n > 4) print n }' two.txt)"

perf record -q -o threads.data --call-graph lbr -e instructions:u -c 50021 ./threads 1000
perf script -i threads.data >threads.txt
finish
