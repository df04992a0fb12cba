# SPDX-License-Identifier: GPL-2.0
# What lbrscope.service runs, as systemd would run it as far as this machine can. There is no systemd here.
. ./lib.sh

# value KEY: of the unit
value() { sed -n "s/^$1=//p" lbrscope.service; }

watchdog=/proc/sys/kernel/nmi_watchdog
echo 1 >$watchdog
caps=$(value CapabilityBoundingSet | tr 'A-Z' 'a-z' | sed 's/cap_/+/g; s/ /,/g')
mkdir -p /run /var/lib/lbrscope /sys/fs/cgroup
chmod 755 setpriv
succeeds "the unit's first command loads the module" sh -c "$(value ExecStartPre | sed 's|^+/usr/bin/||')"
mount -t cgroup2 none /sys/fs/cgroup && mkdir /sys/fs/cgroup/lbrscope.service

(
	echo 0 >/sys/fs/cgroup/lbrscope.service/cgroup.procs
	umask "$(value UMask)"
	# shellcheck disable=SC2046
	LD_LIBRARY_PATH=$PWD exec ./setpriv --no-new-privs --bounding-set "-all,$caps" $(value ExecStart | sed 's|^/usr/bin/||') 2>said
) &
recorder=$!
sampling
lbrctl doctor >doctor
matches "doctor: the service has the PMU, and how to end it" "-> systemctl stop lbrscope" "$(cat doctor)"
cp loop /tmp/loop && chmod 755 /tmp/loop && su user -c /tmp/loop
kill -"$(value KillSignal | sed 's/SIG//')" $recorder
wait $recorder
status=$?
is "the recorder's status after the unit's KillSignal" 0 $status
[ $status -eq 0 ] || sed 's/^/# /' said
set -- /var/lib/lbrscope/perf.data*
is "the unit's recorder has left one file" 1 $#
is "the unit's file is readable for root alone" 600 "$(stat -c %a "$1")"
lbrctl report -i "$1" -s comm,sym --percent-limit 0 >report
matches "a program of another user is in the report, with its names" "^ .* loop" "$(cat report)"
matches "so are functions of the kernel" "\\[kernel" "$(lbrctl report -i "$1" -s dso)"
is "the NMI watchdog is on again" 1 "$(cat $watchdog)"
finish
