# SPDX-License-Identifier: GPL-2.0
# The module and lbrctl on one CPU model. The host reads the recordings, because that is faster.
# told.txt has a line "NAME PRODUCED DELIVERED LOST" for each NAME.data.
. ./lib.sh
. ./model.sh
. ./counted.sh

this_model || exit 1

# says NAME VALUE: lbrctl info prints this line
says() { is "lbrctl info: $1, $on" "$1 $2" "$(sed -n "s/^\($1\)  */\1 /p" info)"; }

# record NAME SAMPLES OPTIONS... -- COMMAND...: SAMPLES samples fall due ("any": any number), and none
# is lost
record() {
	name=$1 due=$2
	shift 2
	if ! said=$(lbrctl record -o "$name.data" "$@" 2>&1 >/dev/null); then
		not_ok "lbrctl record, $name, $on" "$said"
		return
	fi
	told=$(echo "$said" | tr '\n' ' ' |
		sed -n 's/.*produced \([0-9]*\) = delivered \([0-9]*\) + lost \([0-9]*\).*/\1 \2 \3/p')
	echo "$name $told" >>told.txt
	is "lbrctl record, $name: produced = delivered + lost, nothing lost, $on" yes "$(echo "$told" |
		awk '{ print ($1 > 100 && $1 == $2 + $3 && !$3) ? "yes" : $0 }')"
	[ "$due" = any ] || near "lbrctl record, $name: samples = events / period, $on" "$due" "${told%% *}" 1
}

modprobe msr || exit 1
is "perf counts before, $on" 20000004 "$(perf_counts)"
# fills the registers, so that a lost value would be noticed
if [ $depth = 0 ]; then b=; else b=-b; fi
# shellcheck disable=SC2086
perf_record -N -o /tmp/b $b -e cycles:u -c 100003 ./kinds
./regs >before
matches "the list of registers has the event selects, $on" 'control .*evtsel' "$(cat before)"
[ $depth = 0 ] || matches "the list of registers has the branch records, $on" 'lbr_(from|pair)' "$(cat before)"

succeeds "lbrctl load, $on" lbrctl load
same_registers "insmod, $on"
lbrctl info >info
is "lbrctl list has each name once, $on" "" "$(lbrctl list --no-pager | awk '{ print $1 }' | sort | uniq -d)"
matches "lbrctl info: counters, $on" "^pmu .* $counters general" "$(cat info)"
if [ $depth = 0 ]; then
	says lbr none
	says 'branch history' no
else
	says lbr "$depth entries, $format"
	says 'branch history' yes
fi
says 'call stacks' "$stacks"
says sessions 'can be started'

is "lbrctl stat: instructions and branches exact, $on" "20000004 10000001" \
	"$(counted instructions:u,branches:u ./loop)"
is "lbrctl stat: on each counter, $on" "$(yes 20000004 | head -n "$counters" | xargs)" \
	"$(counted "$(seq 0 $((counters - 1)) | sed 's/^/instructions:u@/' | paste -sd,)" ./loop)"
is "lbrctl stat: children included, $on" "16000149 8000050" \
	"$(counted instructions:u,branches:u ./family)"
# the machine behind these events: a slot for each instruction that retires, and 20 cycles
# of them all for a misprediction; all counted in one run, where there are counters
[ "$counters" -lt 8 ] || also=instructions,cycles,
lbrctl stat --topdown --csv -o slots.csv -e "${also:-}branch-misses" -- ./tree.static 60 200 >/dev/null 2>said
status=$?
if [ "$slots" = 0 ]; then
	is "lbrctl stat --topdown: refused, $on" 125 $status
	matches "lbrctl stat --topdown: the refusal says why, $on" 'not known for this CPU' "$(cat said)"
else
	# shellcheck disable=SC2046
	set -- $(tr -d '"' <slots.csv | awk -F, -v slots="$slots" '{ n[$1] = $2 }
		/of slots/ { share[$1] = 100 * $7; sum += share[$1] }
		END { retired = "instructions" in n ? n["instructions"] : n["r00c1"]
			print share["retiring"], 100 * retired / slots / n["cycles"],
			share["bad speculation"], 2000 * n["branch-misses"] / n["cycles"], sum }')
	near "lbrctl stat --topdown: retiring slots, $on" "$2" "$1" 0.01
	near "lbrctl stat --topdown: slots lost to mispredictions, $on" "$4" "$3" 0.01
	near "lbrctl stat --topdown: all slots, $on" 100 "$5" 0.01
fi

if [ $depth = 0 ]; then
	matches "lbrctl record -b: refused, $on" "no branch records: record without -b" \
		"$(lbrctl record -b -o no.data -- ./loop 2>&1)"
	record addresses $((kinds_instructions / 10007)) --no-lbr -e instructions:u -c 10007 -- ./kinds
else
	record branches any -b -e instructions:u -c 100003 -- ./tree.static 60 200
	record kinds $((kinds_instructions / 10007)) -b -e instructions:u -c 10007 -- ./kinds
fi
[ "$all" = all ] && [ $depth != 0 ] || all_filters=
for filter in $all_filters; do
	record $filter $((kinds_instructions / 10007)) -j $filter,u -e instructions:u -c 10007 -- ./kinds
done
# two programs that switch on one CPU as fast as they can
mkfifo there back
[ $depth = 0 ] || b='-j any,u'
# shellcheck disable=SC2086
record switching any -a $b -e instructions -c 20011 -- \
	taskset 1 sh -c './pong 500 <there >back & ./ping 500 >there <back; wait'
if [ "$stacks" = yes ]; then
	record tree any -e instructions:u -c 100003 -- ./tree 300 200
	lbrctl script --no-inline -i tree.data >tree.txt
	record two any -a -e instructions:u -c 100003 -- taskset 1 \
		sh -c './tree 200 200 & ./tree2 200 200 & wait'
	lbrctl script --no-inline -i two.data >two.txt
fi

lbrctl record -a -e instructions:u -c 1000003 -o busy.data -- \
	sh -c 'perf stat -e instructions:u true 2>busy || true' 2>/dev/null
matches "perf gets EBUSY for the PMU, $on" "busy" "$(cat busy)"

same_registers "after all that, $on"
is "perf counts after it, $on" 20000004 "$(perf_counts)"
# selected TOOL EVENT: what TOOL's stat has in the event selects and offcore filters of CPU 0, where
# TOOL has the event
selected() {
	"$1" stat -a -e "$2" -o counts -- ./regs $selects >selects 2>/dev/null || return
	! grep -q 'not supported' counts || return
	while read -r msr value; do
		# without INT and EN, which belong to the counter
		case $value in -) continue ;; esac
		case $msr in *1a6 | *1a7) mask=-1 ;; *) mask=$((~0x500000)) ;; esac
		printf '%x\n' $((0x${value#0x} & mask))
	done <selects | grep -vx 0 | sort | xargs
}
if [ "$all" = all ]; then
	perf_knows=yes
	if dmesg | grep -q 'generic architected perfmon'; then
		perf_knows=no
		skip "perf's names: the registers have what perf writes, $on" "the kernel does not know this model's events"
	fi
	case $on in
	zen2-k7*) selects="0xc0010000 0xc0010001 0xc0010002 0xc0010003" ;;
	zen*) selects="0xc0010200 0xc0010202 0xc0010204 0xc0010206 0xc0010208 0xc001020a" ;;
	*) selects="0x186 0x187 0x188 0x189 0x18a 0x18b 0x18c 0x18d 0x1a6 0x1a7" ;;
	esac
	for event in L1-dcache-loads L1-dcache-load-misses L1-dcache-stores L1-dcache-store-misses \
		L1-icache-loads L1-icache-load-misses LLC-loads LLC-load-misses LLC-stores LLC-store-misses \
		dTLB-loads dTLB-load-misses dTLB-stores dTLB-store-misses iTLB-loads iTLB-load-misses \
		branch-loads branch-load-misses cache-references cache-misses; do
		ours=$(selected lbrctl $event)
		[ "$perf_knows" = no ] ||
			is "$event: the registers have what perf writes, $on" "$(selected perf $event)" "$ours"
		[ -z "$ours" ] || counted_events="$counted_events $event"
	done
	is "perf's names are in the list where this CPU counts them, $on" "$(echo $counted_events | xargs -n 1 | sort)" \
		"$(lbrctl list --no-pager "perf's name" | awk '/cache|TLB|LLC|branch-load/ { print $1 }' | sort)"
fi
./regs >before
succeeds "lbrctl unload, $on" lbrctl unload
same_registers "rmmod, $on"
is "the kernel log has no warning, $on" "" \
	"$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
