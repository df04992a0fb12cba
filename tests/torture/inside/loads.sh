# SPDX-License-Identifier: GPL-2.0
# insmod and rmmod, alone and while the module is in use.
. ./lib.sh

. ./plan
. ./seconds
end=$(($(date +%s) + seconds))
ko=./lbrscope.ko
[ -e $ko ] || ko=$(find "/lib/modules/$(uname -r)" -name 'lbrscope.ko*')

wrong=0
n=0
# a thousand, or as many as there is time for
while [ $n -lt "$loads" ] && { [ "$loads" -le 1000 ] || [ "$(date +%s)" -lt $end ]; }; do
	insmod "$ko" || wrong=$((wrong + 1))
	case $((n % 5)) in
	1) # a descriptor keeps the module
		rmmod lbrscope 3</dev/lbrscope 2>/dev/null && wrong=$((wrong + 1)) ;;
	2) # a session that runs keeps it
		lbrctl record -e instructions:u -c 100003 -o s.data -- ./loop 2>say &
		rmmod lbrscope 2>/dev/null
		wait $!
		lsmod | grep -q ^lbrscope || insmod "$ko" || wrong=$((wrong + 1)) ;;
	3) # opened while it goes
		(while :; do true </dev/lbrscope; done) 2>/dev/null &
		rmmod lbrscope 2>/dev/null
		kill $!
		wait $! 2>/dev/null
		lsmod | grep -q ^lbrscope || insmod "$ko" || wrong=$((wrong + 1)) ;;
	4) # asked while it goes
		(while :; do lbrctl info >/dev/null 2>&1; done) &
		rmmod lbrscope 2>/dev/null
		kill $!
		wait $! 2>/dev/null
		lsmod | grep -q ^lbrscope || insmod "$ko" || wrong=$((wrong + 1)) ;;
	esac
	await 100 rmmod lbrscope 2>/dev/null
	lsmod | grep -q ^lbrscope && wrong=$((wrong + 1)) && break
	n=$((n + 1))
done
echo "tried $n loads of the module"
is "loads and unloads that went wrong" 0 "$wrong"
[ ! -e coverage.sh ] || . ./coverage.sh
if [ -e /sys/kernel/debug/kmemleak ]; then
	echo scan >/sys/kernel/debug/kmemleak
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	is "kmemleak finds nothing" "" "$(head -c 2000 /sys/kernel/debug/kmemleak)"
fi
finish
