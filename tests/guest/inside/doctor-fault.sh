# SPDX-License-Identifier: GPL-2.0
# The self-test on a machine where half of the branch records read as 0: it has to fail.
. ./lib.sh

lbrctl load || exit 1
lbrctl doctor --self-test -o bundle.json >said 2>/dev/null
is "--self-test, of a PMU that loses records: status" 1 $?
matches "--self-test, of a PMU that loses records: sees it in the stacks" "^bad +CPU 0 +call stack of 10" "$(cat said)"
matches "--self-test, of a PMU that loses records: and not in the counts" "^ok +CPU 0 +instructions:" "$(cat said)"
finish
