# SPDX-License-Identifier: GPL-2.0
# The trial on a machine with NMIs that belong to nobody: it finds them, and stops.
. ./lib.sh

echo 0 >/proc/sys/kernel/unknown_nmi_panic
lbrctl load || exit 1
lbrctl doctor --trial --yes -o bundle.json >said 2>err
is "an NMI of nobody: status" 1 $?
matches "an NMI of nobody: found" "^bad .* kernel messages: .*NMI received for unknown reason" "$(cat said)"
matches "an NMI of nobody: stops there" "^lbrctl: stopped after step [2-6] of 6" "$(tail -n 2 err)"
finish
