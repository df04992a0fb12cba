# SPDX-License-Identifier: GPL-2.0
# record --lbr-callers on CPUs without a call-stack mode is refused.
. ./lib.sh

succeeds "lbrctl load" lbrctl load
lbrctl record --lbr-callers -o data -- true 2>said
is "lbrctl record --lbr-callers without call-stack mode: status" 125 $?
matches "and why" "no call-stack mode: record without --lbr-callers" "$(cat said)"
is "and no file" "" "$(ls data 2>/dev/null)"
finish
