# SPDX-License-Identifier: GPL-2.0
# Starts a session and the next kernel, which has the same root and another command. This script
# prints no result: the host reads those of the last command.
. ./lib.sh
. ./session.sh

modprobe lbrscope || exit 1
hold hold 100003
lbrctl info | grep '^in use by' >owner
printf 'sh\0./kexeced.sh\0' >/lab/command
(cd / && find . -xdev ! -name vmlinuz | cpio -o -H newc) >/tmp/root.cpio 2>/dev/null
exec ./kexec vmlinuz /tmp/root.cpio "$(cat /proc/cmdline)"
