# SPDX-License-Identifier: GPL-2.0
# insmod and rmmod, alone and while the module is in use.
. ./lib.sh

LOADS=${LOADS:-1000}
ko=/lib/modules/$(uname -r)/$(cd "/lib/modules/$(uname -r)" && find . -name 'lbrscope.ko*')

wrong=0
i=0
while [ $i -lt "$LOADS" ]; do
	insmod "$ko" || wrong=$((wrong + 1))
	case $((i % 5)) in
	1) # a descriptor keeps the module
		rmmod lbrscope 3</dev/lbrscope 2>/dev/null && wrong=$((wrong + 1)) ;;
	2) # a session that runs keeps it
		lbrctl record -e instructions:u -c 100003 -o s.data -- ./loop 2>say &
		rmmod lbrscope 2>/dev/null
		wait $!
		lsmod | grep -q ^lbrscope || insmod "$ko" || wrong=$((wrong + 1)) ;;
	3) # opened while it goes
		(while :; do : <>/dev/lbrscope; done) 2>/dev/null &
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
	i=$((i + 1))
done
echo "tried $i loads of the module"
is "loads and unloads that went wrong" 0 "$wrong"
if [ -e /sys/kernel/debug/kmemleak ]; then
	echo scan >/sys/kernel/debug/kmemleak
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	is "kmemleak finds nothing" "" "$(head -c 2000 /sys/kernel/debug/kmemleak)"
fi
finish
