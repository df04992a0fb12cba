# SPDX-License-Identifier: GPL-2.0
# Interrupts come some instructions late, so that the PMI of a user-mode event may arrive in the
# kernel.
. ./lib.sh

kernel() { perf_script -f -i "$1" -F ip 2>/dev/null | grep -Ec '^[[:space:]]*ffff[0-9a-f]{12}'; }
# many system calls
echo 'i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); echo; done >/dev/null' >/tmp/calls
event="-e instructions:u -c 10007"

chmod 1777 /tmp
lbrctl load || exit 1
chown root:user /dev/lbrscope && chmod 660 /dev/lbrscope
lbrctl record $event -o calls.data -- sh /tmp/calls 2>/dev/null
is "late interrupts: root sees that they come in the kernel" yes \
	"$([ "$(kernel calls.data)" -gt 10 ] && echo yes)"
su user -c "cd /tmp && lbrctl record $event -o own.data -- sh calls" 2>/dev/null
is "late interrupts: a user does not" 0 "$(kernel /tmp/own.data)"
is "late interrupts: he gets as many samples" yes "$(perf_script -f -i /tmp/own.data -F comm 2>/dev/null |
	awk 'END { print (NR > 500) ? "yes" : NR }')"
finish
