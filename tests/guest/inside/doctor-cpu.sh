# SPDX-License-Identifier: GPL-2.0
# lbrctl doctor and its self-test, on each kind of CPU.
. ./lib.sh

model=$(cat model)
lbrctl load 2>/dev/null
lbrctl doctor >said
status=$?
case $model in
zen4)
	is "zen4: status" 0 $status
	matches "zen4: no call stacks, no cycles" \
		"^note +lbr +16 branch records, without call stacks.*cycles no" "$(cat said)"
	matches "zen4: where callers come from" "callers from the stack on this CPU" "$(cat said)"
	;;
zen2)
	matches "zen2: what works without branch records" \
		"^note +lbr +there are no branch records.*callers from the stack, record -b does not work" "$(cat said)"
	is "zen2: no remedy is Intel's" 0 "$(grep -c lbr-fmt said)"
	;;
none)
	is "no PMU: status" 0 $status
	matches "no PMU: the first findings are the virtual machine and what works without a PMU" \
		"^note +cpu +no PMU: .*virtual machine.*work with cpu-clock" "$(head -n 1 said)"
	matches "no PMU: how to get one" "-> .*pmu=on" "$(cat said)"
	;;
esac

echo 1 >/proc/sys/kernel/nmi_watchdog 2>/dev/null
watchdog=$(cat /proc/sys/kernel/nmi_watchdog)
lbrctl doctor --self-test -o bundle.txt >said 2>err
status=$?
if [ "$model" = none ]; then
	is "--self-test, no PMU: status" 1 $status
else
	is "--self-test, $model: status" 0 $status
	is "--self-test, $model: nothing bad" "" "$(grep ^bad said)"
	is "--self-test, $model: exact counts, four of each CPU" "8 of 8" \
		"$(sed -En 's/.*: ([0-9]+) more .* ([0-9]+) by construction/\1 \2/p' said |
		   awk '$1 == $2 { n++ } END { print n + 0 " of " NR }')"
	case $model in
	zen2) matches "--self-test, $model: samples" "CPU 1 +period: 200 samples" "$(cat said)" ;;
	*) matches "--self-test, $model: samples" "CPU 1 +branch history: .* right; [0-9]{4}" "$(cat said)" ;;
	esac
fi
is "--self-test, $model: the watchdog is as before" "$watchdog" "$(cat /proc/sys/kernel/nmi_watchdog)"

# the first run on a real CPU
modprobe msr
./regs | grep control >before
lbrctl doctor --trial --yes -o trial.txt >said 2>err
status=$?
./regs | grep control >after
if [ "$model" = none ]; then
	is "--trial, no PMU: status" 1 $status
else
	is "--trial, $model: status" 0 $status
	matches "--trial, $model: its verdict, and what to do with the file" \
		"trial passed: $(grep -c '^ok *CPU' said) of $(grep -c '^ok *CPU' said) results are .*, in [0-9]+ s please send trial.txt to whoever" \
		"$(tail -n 2 said | xargs)"
	is "--trial, $model: nothing bad" "" "$(grep ^bad said)"
	is "--trial, $model: each step was announced" "registers counts samples branches overflows switches" \
		"$(sed -n 's/^lbrctl: step [0-9] of 6, \([a-z]*\): .*/\1/p' err | xargs)"
	[ "$model" != zen2 ] || matches "--trial, zen2: its emulation is known" "model: .*the emulated Zen 2: 0 of" "$(cat said)"
	is "--trial, $model: on both CPUs" "2 2" \
		"$(grep -c '^ok .*overflows at once: ' said) $(grep -c '^ok .*switches: ' said)"
fi
is "--trial, $model: the registers are as before, by another program" "" "$(diff before after)"
is "--trial, $model: the watchdog is as before" "$watchdog" "$(cat /proc/sys/kernel/nmi_watchdog)"

# into a folder that does not exist, and onto a full disk
case $model in
none)
	lbrctl doctor --self-test -o /nosuch/bundle.json >said 2>err
	matches "--self-test: a bundle that cannot be written" "/nosuch/bundle.json" "$(cat err)"
	;;
zen4)
	mkdir -p full && mount -t tmpfs -o size=4k none full
	lbrctl doctor --self-test -o full/bundle.json >said 2>err
	is "--self-test, on a full disk: status" 1 $?
	is "--self-test, on a full disk: no half of a bundle" "" "$(ls -A full)"
	;;
esac
finish
