# SPDX-License-Identifier: GPL-2.0
# Records the taken branches of ./scan and ./shapes by lbrctl and by perf.
. ./lib.sh
. ./model.sh

this_model || exit 1
succeeds "lbrctl load, $on" lbrctl load
case $model in
zen4) event=rc4 name=RETIRED_TAKEN_BRANCH_INSTRUCTIONS ;;
*) event=r20c4 name=BR_INST_RETIRED:NEAR_TAKEN ;;
esac
for program in scan shapes; do
	lbrctl pgo record -c 10007 -o $program.ours.data -- ./$program >out 2>err
	is "lbrctl pgo record: status, $program, $on" 0 $?
	matches "lbrctl pgo record: the event of taken branches, $on" "^lbrctl: event $name:u: " "$(cat err)"
	matches "lbrctl pgo record: the period, $on" "period 10007: by -c" "$(cat err)"
	perf_record -b -e $event:u -c 10007 -o $program.perf.data ./$program >out 2>err
	is "perf record -b: status, $program, $on" 0 $?
done
[ "$all" = all ] || finish
cat >again.sh <<'EOF'
while :; do ./shapes >/dev/null; done
EOF
sh again.sh &
lbrctl pgo record -C 0 -d 2s --samples 900 -o running.data 2>err
is "lbrctl pgo record -C 0: status" 0 $?
matches "lbrctl pgo record -C 0: the period follows from what is counted" "period [0-9]*: [0-9]* events in a second, so about (900|899) samples in 2 s" "$(cat err)"
# one program ends and the next one begins in between
samples=$(sed -n 's/^lbrctl: \([0-9]*\) samples from .*/\1/p' err)
is "lbrctl pgo record --samples 900: about as many ($samples)" yes \
	"$([ "${samples:-0}" -gt 450 ] && [ "$samples" -lt 1800 ] && echo yes || echo no)"
lbrctl pgo record -p $! -d 300ms -o all.data 2>err
is "lbrctl pgo record -p: status" 0 $?
lbrctl pgo record -a -c 10007 -o all.data -- sleep 0.2 2>err
is "lbrctl pgo record -a -- sleep: status" 0 $?
lbrctl pgo check all.data >check 2>&1
matches "lbrctl pgo check, of the whole machine: the program" "Object: .*/shapes" "$(cat check)"
kill $!
lbrctl pgo record -t 999999 -o none.data 2>err
is "lbrctl pgo record -t, of no thread: status" 1 $?
lbrctl pgo record -G nosuch -o none.data 2>err
is "lbrctl pgo record -G, of no cgroup: status" 1 $?
finish
