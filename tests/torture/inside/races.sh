# SPDX-License-Identifier: GPL-2.0
# Uses the module in all ways at the same time, while KCSAN watches. The number of watched accesses
# shows that it did.
. ./lib.sh

. ./plan
. ./seconds
watched() { awk '$1 == "setup_watchpoints:" { print $2 }' /sys/kernel/debug/kcsan; }

lbrctl load || exit 1
chmod 666 /dev/lbrscope
chmod 777 .
mkdir /cgroup
mount -t cgroup2 none /cgroup
before=$(watched)
third=$((seconds / 3))
su user -c "./messages 4 $third $messages $((seed + 1))" >user.out 2>&1 &
./messages "$threads" "$third" "$messages" "$seed" >root.out 2>&1
is "messages of root: status" 0 $?
wait $!
is "messages of a user: status" 0 $?

su user -c "./mappings 2 $third 1000000000 $((seed + 1))" >user.mappings 2>&1 &
./mappings 4 "$third" 1000000000 "$seed" >mappings.out 2>&1
is "mappings of root: status" 0 $?
wait $!
is "mappings of a user: status" 0 $?

# recordings of everything, and requests at the same time
records=0
end=$(($(date +%s) + third))
(while [ "$(date +%s)" -lt $end ]; do lbrctl info; done) >/dev/null 2>&1 &
while [ "$(date +%s)" -lt $end ]; do
	for options in "-a -b" "-a --off-cpu=0 --waker" "--flight=64K --trigger exec --trigger exit" \
		"-a -e cycles,instructions,branches,branch-misses" "--trigger kprobe:ksys_read --off-cpu=0"; do
		# shellcheck disable=SC2086
		if lbrctl record $options -c 100003 -o s.data -- ./forks 20 5 >said 2>&1; then
			records=$((records + 1))
		else
			not_ok "lbrctl record $options" "$(cat said)"
		fi
	done
	succeeds "lbrctl stat" lbrctl stat -e cycles,instructions,branches,branch-misses,cache-misses,cycles:u -- ./forks 5 5
done
wait

cat root.out user.out mappings.out user.mappings
echo "tried $records recordings"
echo "tried $(($(watched) - before)) accesses watched by KCSAN"
[ "$(watched)" -gt "$before" ] || not_ok "KCSAN watches the module"
succeeds "unload" rmmod lbrscope
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
