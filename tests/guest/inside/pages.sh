# SPDX-License-Identifier: GPL-2.0
# Sourced by guide.sh, with the module loaded: the commands of lbrctl-accuracy.7, lbrctl-faq.7 and
# lbrctl-security.7, as they are printed there, and the program that lbrctl-protocol.7 contains.
# shellcheck shell=sh

as_root() { sh -c "$1"; }
as_user() { su user -c "cd /tmp && $1"; }

# page NAME AS: the commands of the page, each by AS; output and errors in NAME-1, NAME-2 ...
page() {
	sed -n 's/^\$ //p' "lbrctl-$1.7" >commands
	at_least "lbrctl-$1(7) has commands" 4 "$(wc -l <commands)"
	nr=0
	while read -r command; do
		nr=$((nr + 1))
		$2 "$command" >"$1-$nr" 2>&1 </dev/null
		status=$?
		case $2:$command in
		*"kill -9 "*) wanted=137 ;;
		as_user:*"record -a"* | as_user:*cycles:k*) wanted=125 ;;
		as_user:"lbrctl regs") wanted=1 ;;
		*) wanted=0 ;;
		esac
		is "$1: $command" $wanted $status
	done <commands
}

# verdicts FILE VERDICT: the number of stacks with this verdict in a report's summary
verdicts() {
	sed -n "s/^# Stacks:.* \([0-9]*\) $2 (.*/\1/p" "$1"
}

mkdir -p /var/tmp
./tree.static 1000000 200 >/dev/null &
pid=$!
succeeds "the program of lbrctl-protocol(7)" sh -c "./example $pid 3 >example.out"
kill $pid
is "its samples have the thread, and addresses of the program" "" \
	"$(sed '$d' example.out | grep -Ev "^$pid( 0x4[0-9a-f]{5})+$" | head -n 3)"
at_least "samples have the callers that the LBR has seen" 5 "$(awk 'NF >= 10' example.out | wc -l)"
is "produced = delivered + lost, and each delivered sample was printed" yes "$(awk '{ last = $0 }
	END { split(last, n, " "); print (n[2] == n[5] + n[8] && n[5] == NR - 1) ? "yes" : last }' example.out)"

page faq as_root
matches "the last lines say what sampling took" "sampling took [0-9.]+ %" "$(tr '\n' ' ' <faq-2)"
for nr in 3 5; do
	matches "the report has the program, number $nr" "stock_of_articles" "$(cat faq-$nr)"
done
matches "a killed capture is read" "stock_of_articles" "$(cat faq-7)"
matches "and said to be one" "its recorder was killed or is still running: it has [1-9][0-9]* samples" "$(tr '\n' ' ' <faq-7)"
at_least "perf reads the exported call chains" 20 "$(perf script -f -i chains.data -F ip,sym 2>/dev/null | grep -c stock_of_articles)"
matches "the profile for the Firefox Profiler has the program" "stock_of_articles" "$(cat chains.json)"

chmod 1777 /tmp
cp shop /tmp && chown root:user /dev/lbrscope && chmod 660 /dev/lbrscope
page security as_user
matches "a user's own recording has samples" " [1-9][0-9]* samples from " "$(tr '\n' ' ' <security-1)"
for nr in 2 3 4; do
	matches "what a user may not do names the capability, number $nr" "CAP_PERFMON" "$(cat security-$nr)"
done

page accuracy as_root
at_least "the LBR alone leaves stacks that are broken" 1 "$(verdicts accuracy-2 broken)"
at_least "and truncated" 1 "$(verdicts accuracy-2 truncated)"
near "by default none is broken" 0 "$(verdicts accuracy-4 broken)" 20
near "and none is truncated" 0 "$(verdicts accuracy-4 truncated)" 20
# How soon the audits begin depends on the host's speed; trust.sh counts them, by another clock.
is "no audit of a calm program disagrees" 0 "$(grep -c "^# Audit: .* [1-9][0-9]* disagreed" accuracy-6)"
matches "whose stacks are complete" "^# Stacks: [0-9]+ complete \\((100.00|99.[0-9]+)%\\)" "$(cat accuracy-6)"
matches "--strict omits stacks" "^# Strict: [1-9][0-9]* " "$(cat accuracy-7)"
at_least "the self-test has call stacks of known depth" 4 "$(grep -c '^ok .* call stack of' accuracy-8)"
