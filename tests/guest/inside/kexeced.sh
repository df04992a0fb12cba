# SPDX-License-Identifier: GPL-2.0
# Runs in the kernel that was entered while a session ran.
. ./lib.sh

matches "a session ran" 'client' "$(cat owner)"
is "the kernel finds no counter that runs" "" "$(dmesg | grep -i 'hw-PMU')"
modprobe msr
is "the next kernel finds event selects and LBR controls of 0" "" "$(./regs | awk '
	$2 == "control" && $3 ~ /^(evtsel|fixed_ctrl|debugctl|lbr_select)/ && $4 != "0"')"
succeeds "a session starts" sh -c 'modprobe lbrscope && lbrctl stat -a -e instructions:u -- true'
finish
