# SPDX-License-Identifier: GPL-2.0
# Records programs of a known call tree with lbrctl, and with stock perf; the chains are
# judged on the host.
. ./lib.sh
. ./texts.sh

cpus=$(grep -c ^processor /proc/cpuinfo)
opts="-e instructions:u -c 100003"
on=", $cpus CPUs"

# shares NAME: of NAME.data, by both; perf counts what is inlined to the function that has the code
shares() {
	lbrctl report --no-inline --percent-limit 0 -i "$1.data" >"$1.tree.txt"
	lbrctl report --no-inline --percent-limit 0 --csv -s sym -i "$1.data" >"$1.table.txt"
	perf report --no-inline --children -g none --stdio -s sym -F overhead_children,overhead,sym \
		-i "$1.data" >"$1.shares.txt" 2>/dev/null
}

succeeds "lbrctl load" lbrctl load

for program in tree tree.static tree.stripped; do
	succeeds "lbrctl record $program, $cpus CPUs" \
		lbrctl record $opts -o $program.data -- ./$program 700 200
	texts $program
done

succeeds "lbrctl record, two programs on one CPU, $cpus CPUs" taskset 1 \
	lbrctl record $opts -o two.data -- sh -c './tree 400 200 & ./tree2 400 200 & wait'
texts two
shares two

succeeds "lbrctl record -a, $cpus CPUs" lbrctl record -a $opts -o all.data -- \
	sh -c './tree 400 200 & ./tree2 400 200 & wait'
texts all

succeeds "lbrctl record, threads, $cpus CPUs" \
	lbrctl record -e cycles:u -c 50021 -o threads.data -- ./threads 1000
texts threads
succeeds "lbrctl record, two ways into the kernel, $cpus CPUs" \
	lbrctl record -e instructions:u -c 10007 -o entries.data -- ./entries 200000
texts entries
succeeds "lbrctl record, children and exec, $cpus CPUs" \
	lbrctl record -e instructions:u -c 20011 -o forks.data -- ./forks 6 200
texts forks

succeeds "lbrctl unload" lbrctl unload

perf record -q -o stock.data --call-graph lbr $opts ./tree 700 200 >/dev/null
perf script -i stock.data >stock.txt
finish
