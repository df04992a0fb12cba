# SPDX-License-Identifier: GPL-2.0
# One session, of the kind that the kernel's command line names: losses=...
. ./lib.sh
. ./session.sh

how=$(sed -n 's/.*losses=\([a-z]*\).*/\1/p' /proc/cmdline)
modprobe lbrscope || exit 1

# load: what is sampled meanwhile
load() {
	./tree 100 200 >/dev/null &
	./loop
	./loop
	wait $!
}

case $how in
hold | liar)
	hold "$how" 10007 || not_ok "a session starts" "$(cat hold.out)"
	load
	let_go
	cp hold.out counts.txt
	;;
flight)
	hold flight 10007 || not_ok "a session starts" "$(cat hold.out)"
	load
	taskset 1 ./loop &
	last=$!
	wait $last
	let_go
	cp hold.out counts.txt
	is "flight: a frozen ring is valid and holds the delivered samples" \
		"$(count frozen_delivered)" "$(count frozen_walked)"
	is "flight: the same after a thaw" "$(count delivered)" "$(count walked)"
	matches "flight: the oldest samples are overwritten" '^[0-9]{3,}$' \
		"$(sed -n 's/^lost5 //p' counts.txt)"
	# its 1998 samples, of 32 bytes each, are nearly all of 64 KiB
	is "flight: the samples belong to the program that ran last" "$last" "$(count pid)"
	near "flight: all of it" 1998 "$(count of_pid)" 10
	;;
reads | stops)
	lbrctl record -a -e instructions:u -c 10007 -o r.data 2>say &
	record=$!
	sampling
	[ "$how" = reads ] || kill -STOP $record
	load
	# some MiB of samples for the ring of one CPU, which holds one
	[ "$how" = reads ] || taskset 1 ./tree 600 200 >/dev/null
	[ "$how" = reads ] || kill -CONT $record
	kill -INT $record
	wait $record
	sed -n 's/.*produced \([0-9]*\) = delivered \([0-9]*\) + lost \([0-9]*\).*/produced \1\ndelivered \2\nlost \3/p' \
		say >counts.txt
	is "$how: as many samples in the file as delivered" "$(sed -n 's/^delivered //p' counts.txt)" \
		"$(perf_script -i r.data -F time 2>/dev/null | grep -c .)"
	lost=$(sed -n 's/^lost //p' counts.txt)
	lbrctl report --json -i r.data | grep -o '"losses":[^]]*]' >losses
	is "$how: the file has as many losses by their causes" "$lost" \
		"$(grep -o '"samples":[0-9]*' losses | awk -F: '{ n += $2 } END { print n + 0 }')"
	if [ "$how" = reads ]; then
		is "$how: nothing is lost" 0 "$lost"
	else
		matches "$how: something is lost" '^[1-9]' "$lost"
		matches "$how: the report says why, and what helps" \
			'^# [0-9.]*% (lost: the buffer was full|lack callers: the buffer was half full, .*); a larger one .-m.' \
			"$(lbrctl report -i r.data | head -n 3)"
		matches "$how: and why callers are missing" '[1-9].*%: the buffer was half full' \
			"$(lbrctl report -v -i r.data | grep 'half full')"
	fi
	;;
esac
matches "$how: thousands of samples fell due" '^[0-9]{4,}$' "$(sed -n 's/^produced //p' counts.txt)"
finish
