# SPDX-License-Identifier: GPL-2.0
# guide.sh: each command of lbrctl-guide.7 once, its output in N.out, then what it must say on the CPU
# model of the file "model".
# shellcheck shell=sh
. ./lib.sh

# line WHAT: the line of shop.c with that fault
line() {
	grep -n "line: $1" shop.c | cut -d: -f1
}

# hottest FILE: the number of the source line with the most samples
hottest() {
	awk '/shop\.c:[0-9]+/ { match($0, /shop\.c:[0-9]+/); at = substr($0, RSTART + 7, RLENGTH - 7) }
		$1 ~ /%$/ && $3 ~ /^[0-9]+$/ { sum[at] += $3 }
		END { for (i in sum) if (sum[i] > most) { most = sum[i]; best = i } print best }' "$1"
}

# share FILE FUNCTION COLUMN: a function's share in percent, whole numbers: column 1 is self in the table,
# total in the tree
share() {
	awk -v f="$2" -v c="$3" '{ for (i = 1; i <= NF; i++) if ($i == f) { print int($c); exit } }' "$1"
}

# wanted COMMAND: its exit status. Without counters there is no recording of a counted event, and none to read.
wanted() {
	case $model:$1 in
	none:*" -e branches:u "* | none:*" -e instructions,"* | none:*" -e cache-misses:u "*) echo 125 ;;
	none:*"-i branches.data"* | none:*"-i misses.data"*) echo 1 ;;
	*) echo 0 ;;
	esac
}

# waits OUTPUT: what it says of the waiting
waits() {
	at_least "most of the waiting is in log_order()" 50 "$(share "$1" log_order 1)"
	at_least "most of the waiting in log_order() is for the lock" 30 "$(share "$1" pthread_mutex_lock 1)"
}

# runs OUTPUT: what it says of the running. The emulator's clock does not know its caches.
runs() {
	least=40
	[ "$model" != none ] || least=1
	at_least "stock_of_articles() runs" $least "$(share "$1" stock_of_articles 1)"
	at_least "order_checksum() runs" 20 "$(share "$1" order_checksum 1)"
}

model=$(cat model)
sed -n 's/^\$ //p' lbrctl-guide.7 >commands
at_least "the guide has commands" 12 "$(wc -l <commands)"
nr=0
while read -r command; do
	nr=$((nr + 1))
	sh -c "$command" >$nr.out 2>$nr.err </dev/null
	status=$?
	is "$command" "$(wanted "$command")" $status
	[ $status -eq 0 ] || continue
	case $command in
	*"-e offcpu-time -g caller") waits $nr.out ;;
	"lbrctl report --stdio -i shop.data") runs $nr.out ;;
	"lbrctl annotate -i shop.data"*) is "the samples of order_checksum() are in its hot loop" "$(line "hot loop")" \
		"$(hottest $nr.out)" ;;
	"lbrctl annotate -i branches.data"*) at_least "whose inner block runs eight times for a byte" 7 \
		"$(awk '/ executions/ { n = $2 } /movzbl/ { outer = n } / and \$/ && !inner { inner = n }
			END { print outer ? int(inner / outer + .5) : 0 }' $nr.out)" ;;
	"lbrctl report --stdio -i misses.data") at_least "stock_of_articles() has the cache misses" 90 \
		"$(share $nr.out stock_of_articles 1)" ;;
	"lbrctl annotate -i misses.data"*) near "at the instruction behind the load" "$(line "cache-hostile walk")" \
		"$(hottest $nr.out)" 3 ;;
	# of two captures one in twenty has a change by chance (lbrctl-diff(8))
	"lbrctl diff"*) lbrctl diff new.data new.data >same.out
		matches "a capture has no change from itself" "^# none of [1-9][0-9]* lines changed significantly" "$(cat same.out)"
		is "and the same share in each line" "" "$(grep '^[ *]' same.out | awk '$1 != $2 || $3 != "+0.00"')" ;;
	esac
done <commands
if [ "$model" = skylake ]; then
	# the names go with them, for browser.py
	succeeds "the captures are archived" \
		sh -c "lbrctl archive -i shop.data -o waits.data && lbrctl archive -i misses.data -o reads.data"
	. ./pages.sh
fi
succeeds "lbrctl unload" lbrctl unload
finish
