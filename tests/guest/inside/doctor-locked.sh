# SPDX-License-Identifier: GPL-2.0
# lbrctl doctor in a kernel that is locked down.
. ./lib.sh

lbrctl load || exit 1
mount -t securityfs none /sys/kernel/security 2>/dev/null
echo confidentiality >/sys/kernel/security/lockdown
lbrctl doctor >said
is "locked down for confidentiality: status" 1 $?
matches "locked down for confidentiality: says so" "^bad +lockdown +the kernel is locked down for confidentiality" "$(cat said)"
matches "locked down for confidentiality: no session" "^bad +pmu .*the kernel is locked down" "$(cat said)"
said=$(lbrctl record -o no.data -- true 2>&1)
is "locked down for confidentiality: record" 125 $?
is "locked down for confidentiality: the remedy" "lbrctl: starting the session: the kernel is locked down; boot without lockdown=confidentiality" "$said"
finish
