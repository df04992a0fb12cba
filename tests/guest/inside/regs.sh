# SPDX-License-Identifier: GPL-2.0
# lbrctl regs compared with /dev/cpu/N/msr while no session runs, and its fields in known
# sessions.
. ./lib.sh
. ./model.sh

this_model || exit 1
read -r from to <jump

# field NAME FILE: what stands behind the value of the register
field() { awk -v name="$1" '$2 == name { $1 = $2 = $3 = ""; sub(/^ */, ""); print }' "$2"; }

modprobe msr allow_writes=on || exit 1
succeeds "lbrctl load, $on" lbrctl load
lbrctl regs >regs.txt
# puts values into each kind of register
perf stat -a -e instructions,branches sleep 0.1 2>/dev/null
first=$(awk 'tolower($2) ~ /from/ { print $1; exit }' regs.txt)
printf '\274\232\170\126\064\022\0\0' |
	dd of=/dev/cpu/0/msr bs=8 seek=$((first / 8)) conv=notrunc 2>/dev/null

lbrctl regs >regs.txt
what="a value that was written to a branch record is there, $on"
case $(uname -r),$format in
5.10.*,architectural) skip "$what" "Linux 5.10 empties these at each switch (kmod/lbr/arch.c)" ;;
*) matches "$what" "^$first .* 0000123456789abc" "$(cat regs.txt)" ;;
esac
awk '/^0x/ && $2 != "LVTPC" { print $1, $3 }' regs.txt >ours
# shellcheck disable=SC2046
./regs $(cut -d' ' -f1 ours) >theirs
is "lbrctl regs: every value is that of /dev/cpu/0/msr, $on" "" "$(diff ours theirs)"
cut -d' ' -f1 ours | sort >numbers
is "lbrctl regs: every register that can be read, $on" "" \
	"$(./regs | awk '$1 == 0 { print $5 }' | sort | grep -vxFf numbers)"
matches "lbrctl regs: PMIs are NMIs, $on" '^DELIVERY_MODE=NMI$' "$(field LVTPC regs.txt)"
lbrctl regs --json >>regs.txt

# one event in user mode, of a code that is known, and the branches' filter
code=${events%%=*} code=${code#r}
code=$(printf '%04x' $((0x$code)))
if [ "$stacks" = yes ]; then branches=; else branches=-b; fi
lbrctl record -a $branches -e "r$code:u" -c 1000003 -o s.data -- sh -c 'lbrctl regs >session' 2>/dev/null
select=$(awk '$2 ~ /EVTSEL|EvtSel/ && / EN( |$)/ { $1 = $1; print }' session)
matches "lbrctl regs: the one event select of a session, $on" "^0x[0-9a-f]+ [^ ]+ 000000000051$code " "$select"
matches "lbrctl regs: its fields, $on" " EVENT(\[7:0\])?=0x${code#??} USR INT EN( |$)" "$select"
[ $model != skylake ] || matches "lbrctl regs: its name, $on" '\(BRANCH_INSTRUCTIONS_RETIRED\)$' "$select"
number=$(echo "$select" | sed 's/^[^ ]* [^ ]*[a-zA-Z]\([0-9]*\) .*/\1/')
matches "lbrctl regs: its counter alone runs, $on" "^(PMC|CTR)$number$" \
	"$(field IA32_PERF_GLOBAL_CTRL session; field PerfCntrGlobalCtl session)"
case $model in
nehalem)
	is "lbrctl regs: filter, $on" "CPL_EQ_0" "$(field MSR_LBR_SELECT session)"
	is "lbrctl regs: control, $on" "LBR FREEZE_LBRS_ON_PMI" "$(field IA32_DEBUGCTL session)"
	;;
skylake)
	is "lbrctl regs: filter, $on" "CPL_EQ_0 JCC NEAR_IND_JMP NEAR_REL_JMP FAR_BRANCH EN_CALLSTACK" \
		"$(field MSR_LBR_SELECT session)"
	is "lbrctl regs: control, $on" LBR "$(field IA32_DEBUGCTL session)"
	;;
sapphirerapids)
	is "lbrctl regs: control, $on" "LBREN USR CALL_STACK NEAR_REL_CALL NEAR_IND_CALL NEAR_RET" \
		"$(field IA32_LBR_CTL session)"
	is "lbrctl regs: depth, $on" "DEPTH=$depth" "$(field IA32_LBR_DEPTH session)"
	;;
zen4)
	is "lbrctl regs: filter, $on" "CPL_EQ_0" "$(field LbrSelect session)"
	is "lbrctl regs: control, $on" LBRV2EN "$(field DbgExtnCtl session)"
	;;
esac

# On CPU 0 runs a program with one branch, which fills all records; they are read from
# CPU 1, until nothing else has been there since.
cat >whole <<'E2'
!/LER/ && tolower($2) ~ /from/ && substr($3, 17 - length(from)) == from { nf++ }
!/LER/ && tolower($2) ~ /to_?ip/ && substr($3, 17 - length(to)) == to { nt++ }
END { exit !(nf == depth && nt == depth) }
E2
cat >watch <<E2
taskset 1 sh -c 'while :; do ./loop; done' &
trap 'kill \$!' EXIT
i=0
until taskset 2 lbrctl regs -C 0 | awk -v from=$from -v to=$to -v depth=$depth -f whole; do
	i=\$((i + 1))
	[ \$i -lt 50 ] || exit 1
done
E2
succeeds "lbrctl regs -C: the branches of the program that runs there, $on" \
	lbrctl record -C 0 -b -e instructions:u -c 100000007 -o b.data -- sh ./watch

matches "lbrctl regs: no right to it, $on" "lbrctl: .*CAP_PERFMON" "$(su user -c 'lbrctl regs' 2>&1)"
matches "lbrctl regs: no such CPU, $on" "lbrctl: .*CPU 7: no such CPU" "$(lbrctl regs -C 0,7 2>&1 >/dev/null)"
echo 0 >/sys/devices/system/cpu/cpu1/online
matches "lbrctl regs: a CPU that is offline, $on" "lbrctl: .*offline" "$(lbrctl regs -C 1 2>&1)"
echo 1 >/sys/devices/system/cpu/cpu1/online
succeeds "lbrctl regs: of all CPUs, $on" lbrctl regs -C 0-1
is "the kernel log has no warning, $on" "" \
	"$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
