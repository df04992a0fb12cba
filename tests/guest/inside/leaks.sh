# SPDX-License-Identifier: GPL-2.0
# Sessions that end normally, are refused, or are killed; then kmemleak looks for lost memory.
. ./lib.sh

leaks=/sys/kernel/debug/kmemleak

succeeds "lbrctl load" lbrctl load
wrong=
for i in 1 2 3 4 5; do
	lbrctl record -e instructions:u -c 20011 -o a.data -- ./forks 5 5 2>/dev/null || wrong="$wrong $i"
	lbrctl record -a -e instructions -c 100003 -o b.data -- ./forks 5 5 2>/dev/null || wrong="$wrong $i"
	lbrctl record -p 2 -o c.data 2>/dev/null && wrong="$wrong $i"
	lbrctl record -a -e cycles -c 100003 -o d.data 2>/dev/null &
	sleep 0.3
	kill -9 $!
	wait $!
done
is "sessions that end well, are refused, are killed" "" "$wrong"
succeeds "errors of a client" ./client refusals
succeeds "lbrctl unload" lbrctl unload

# objects younger than five seconds are not suspected yet (mm/kmemleak.c)
sleep 6
echo scan >$leaks
echo scan >$leaks
is "no memory is lost" "" "$(cat $leaks)"
finish
