# SPDX-License-Identifier: GPL-2.0
# The last step of lbrctl doctor --trial lets the machine sleep: it hibernates up to the image, as
# in suspend.sh, since QEMU returns only from that.
. ./lib.sh

if ! { modprobe brd rd_nr=1 rd_size=600000 && mkswap /dev/ram0 && swapon /dev/ram0 &&
       echo test_resume >/sys/power/disk && echo 0 >/sys/power/image_size; } >swap.out 2>&1; then
	not_ok "doctor --trial --suspend: a place for the image" "$(cat swap.out)"
	exit 1
fi
lbrctl load
lbrctl doctor --trial --suspend disk -o trial.json >said 2>err
is "doctor --trial --suspend: status" 0 $?
matches "doctor --trial --suspend: announced" "^lbrctl: step 7 of 7, suspend: " "$(cat err)"
matches "doctor --trial --suspend: samples from before and after" \
	"^ok +CPU 0 +sleep: (399|400|401) samples of 40000000 instructions" "$(cat said)"
finish
