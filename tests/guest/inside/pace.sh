# SPDX-License-Identifier: GPL-2.0
# The truth is perf's count of the same program, and the times of the samples.
. ./lib.sh

modprobe lbrscope || exit 1
perf stat -x, -e instructions:u -o stat.csv ./tree.static 1000 200 >/dev/null
all=$(awk -F, '$1 ~ /^[0-9]/ { print $1 }' stat.csv)

# periods FILE: least, greatest, sum and number
periods() {
	perf_script -i "$1" -F period | awk '
		NR == 1 || $1 < low { low = $1 }
		$1 > high { high = $1 }
		{ sum += $1 }
		END { print low, high, sum, NR }'
}

for seed in 1 1 2; do
	lbrctl record -e instructions:u -c 50000 --jitter 20 --seed $seed -o $seed.data -- \
		./tree.static 1000 200 >/dev/null 2>say || not_ok "lbrctl record --jitter" "$(cat say)"
	perf_script -i $seed.data -F period >$seed.$((n += 1)).txt
done
# shellcheck disable=SC2046
set -- $(periods 1.data)
near "jitter: no period is shorter than 20 % less" 40000 "$1" 50
near "jitter: no period is more than 20 % longer" 60000 "$2" 50
# of a longest period, and what two runs of a program differ by
near "jitter: the samples stand for all events but the last ones" "$all" "$3" 61000
near "jitter: it does not change how many samples there are" $((all / 50000)) "$4" 60
is "jitter: there are many different periods" many \
	"$(sort -u 1.1.txt | awk 'END { print (NR > 5000 ? "many" : NR) }')"
is "jitter: another seed, other periods" other "$(cmp -s 1.1.txt 2.3.txt || echo other)"

# On this machine the clock is the host's: the samples' own times show what is kept.
lbrctl record -F 2000 -e instructions:u -o f.data -- ./tree.static 6000 200 >/dev/null 2>say ||
	not_ok "lbrctl record -F" "$(cat say)"
perf_script -i f.data -F time,period | tr -d : | awk '
	{ t[NR] = $1; sum += $2 }
	END {
		# gaps to the one before, the slow start and what the host took from us aside
		for (i = 21; i <= NR; i++) { gap[i - 20] = t[i] - t[i - 1] }
		n = NR - 20
		for (i = 1; i <= n; i++) print gap[i] * 1e6
	}' | sort -n >gaps.txt
near "frequency: half of the gaps are 500 us, more or less" 500 \
	"$(sed -n "$(($(grep -c . gaps.txt) / 2))p" gaps.txt)" 100
# shellcheck disable=SC2046
set -- $(periods f.data)
all6=$((all * 6))
near "frequency: the samples stand for all events but the last ones" "$all6" "$3" $((all6 / 50 + $2))
perf script --header-only -i f.data >header.txt 2>/dev/null
is "frequency: no sample stands for four times the events of the median" no "$(
	perf_script -i f.data -F period | sort -n |
		awk '{ p[NR] = $1 } END { print (p[NR] > 4 * p[int((NR + 1) / 2)] ? "yes" : "no") }')"

# An event that is rare, and a program that has ended before a period of a CPU's worth of cycles.
perf stat -x, -e branch-misses:u -o stat.csv ./tree.static 1000 200 >/dev/null
misses=$(awk -F, '$1 ~ /^[0-9]/ { print $1 }' stat.csv)
lbrctl record --call-graph lbr -F 1000 -e branch-misses:u -o rare.data -- ./tree.static 1000 200 >/dev/null 2>say ||
	not_ok "lbrctl record -F, a rare event" "$(cat say)"
# shellcheck disable=SC2046
set -- $(periods rare.data)
echo "# $misses misses, $4 samples, periods from $1 to $2"
near "frequency: the samples of a rare event stand for all of them but the last" "$misses" "$3" \
	$((misses / 50 + ${2:-0}))
is "frequency: a rare event has samples" yes "$([ "${4:-0}" -ge 20 ] && echo yes)"

matches "frequency: the file says it" 'sample_freq.* = 2000' "$(cat header.txt)"
finish
