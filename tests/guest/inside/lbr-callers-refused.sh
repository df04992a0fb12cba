# SPDX-License-Identifier: GPL-2.0
# record --lbr-callers and --audit on CPUs without a call-stack mode are refused.
. ./lib.sh

succeeds "lbrctl load" lbrctl load
lbrctl record --lbr-callers -o data -- true 2>said
is "lbrctl record --lbr-callers without call-stack mode: status" 125 $?
matches "lbrctl record --lbr-callers without call-stack mode: the reason" "no call-stack mode: record without --lbr-callers" "$(cat said)"
lbrctl record --call-graph auto --audit 5 -o data -- true 2>said
is "lbrctl record --audit without call-stack mode: status" 2 $?
matches "lbrctl record --audit without call-stack mode: the reason" "no call-stack mode, so there is nothing to check" "$(cat said)"
is "lbrctl record --audit without call-stack mode: no file is left" "" "$(ls data 2>/dev/null)"
finish
