# SPDX-License-Identifier: GPL-2.0
# Recordings on a disk that fails with EIO, and on one that does not answer for seconds.
. ./lib.sh

modprobe brd rd_nr=1 rd_size=262144 2>/dev/null && modprobe dm-mod 2>/dev/null || {
	skip "a disk that fails" "the kernel $(uname -r) has no brd or no device mapper"
	finish
}
lbrctl load || exit 1

# said FIGURE: of the last recording's summary, produced, delivered or lost
said() { sed -n "s/.* $1 \([0-9]*\).*/\1/p" said; }
# samples FILE: those that perf finds there
samples() { perf_script -i "$1" -F time 2>/dev/null | grep -c .; }
sum() { awk '{ n += $1 } END { print n + 0 }'; }
lines() { grep -c "$1" said; }

# a file system on the disk
succeeds "the disk: made" ./mapped linear /dev/ram0
mkdir disk
new_disk() {
	mke2fs -q /dev/dm-0 >/dev/null && mount -t ext4 /dev/dm-0 disk
}
# away with what the kernel has in memory: from now on it is read from the disk
again() {
	umount disk && ./mapped linear /dev/ram0 && mount -t ext4 /dev/dm-0 disk
}

# begin OPTION...: a recording of the whole machine onto the disk
begin() {
	lbrctl record -a -m 8M -b -e instructions:u -c 10007 "$@" 2>said &
	recorder=$!
	sampling
}

stands_still() {
	succeeds "a disk that stands still: file system" new_disk
	begin --switch-output=2M -o disk/s.data
	./loop
	await 300 grep -q 'samples in disk/s.data' said
	before=$(lines 'samples in disk/s.data')
	./mapped suspend
	# more than a file's worth, so that the next change of files waits for the disk
	./loop && ./loop && ./loop && ./loop
	sleep 3
	is "a blocked disk: no file is finished meanwhile, except the one in progress" yes \
		"$([ "$(lines 'samples in disk/s.data')" -le $((before + 1)) ] && echo yes || cat said)"
	./mapped resume
	./loop
	kill -INT $recorder
	wait $recorder
	is "a disk that stands still: status" 0 $?
	is "a disk that stands still: produced = delivered + lost" "$(said produced)" $(($(said delivered) + $(said lost)))
	is "a disk that stands still: not fewer samples than those of the programs" yes \
		"$([ "$(said produced)" -ge $((6 * 20000004 / 10007)) ] && echo yes || cat said)"
	succeeds "a disk that stands still: another mount" again
	is "a disk that stands still: the files have all that was delivered" "$(said delivered)" \
		"$(for file in disk/s.data.*; do samples "$file"; done | sum)"
	is "a blocked disk: no unfinished file is left" "" "$(ls disk | grep partial)"
	umount disk
}

# What record said is in a file is on the disk.
fails_in_rotation() {
	succeeds "a disk that fails in a rotation: file system" new_disk
	begin --switch-output=2M -o disk/r.data
	for _ in 1 2 3 4 5 6; do ./loop; done
	await 300 grep -q 'samples in disk/r.data' said
	./mapped error /dev/ram0
	for _ in 1 2 3 4 5 6; do ./loop; done
	kill -INT $recorder 2>/dev/null
	wait $recorder
	is "a disk that fails in a rotation: status" 1 $?
	matches "a disk that fails in a rotation: says so" \
		'^lbrctl: (writing|creating|renaming) disk/r.data.*: (Input/output error|Read-only file system)' "$(cat said)"
	grep ' samples in disk/r.data' said | sed 's/^lbrctl: \([0-9]*\) samples in \(.*\)/\1 \2/' >told
	succeeds "a disk that fails in a rotation: another mount" again
	is "a disk that fails in a rotation: the finished files have the reported samples" "$(cat told)" \
		"$(while read -r _ file; do echo "$(samples "$file") $file"; done <told)"
	is "a disk that fails in a rotation: there were such files" yes "$([ -s told ] && echo yes)"
	umount disk
}

fails() {
	succeeds "a disk that fails: file system" new_disk
	begin -o disk/f.data
	for _ in 1 2 3; do ./loop; done
	sleep 2
	sync
	./mapped error /dev/ram0
	./loop
	kill -INT $recorder 2>/dev/null
	wait $recorder
	is "a disk that fails: status" 1 $?
	matches "a disk that fails: the message names the failure and the remaining file" \
		'^lbrctl: writing disk/f.data: .*; what was written before is in disk/f.data.partial, -i disk/f.data.partial reads it' "$(cat said)"
	is "a disk that fails: the PMU is free" 1 "$(lbrctl info | grep -c '^in use by *nobody')"
	succeeds "a disk that fails: another mount" again
	lbrctl script -i disk/f.data.partial >script.txt 2>err
	is "a disk that fails: records written before are read" 0 $?
	is "a disk that fails: most samples from before are in the file" yes \
		"$([ "$(grep -c instructions:u: script.txt)" -ge 5000 ] && echo yes || { grep -c . script.txt; cat err; })"
	umount disk
}

stands_still
fails_in_rotation
fails
succeeds "unload" lbrctl unload
is "the kernel log has no warning" "" "$(dmesg | grep -E 'cut here|BUG:|Uhhuh|Dazed|NMI received')"
finish
