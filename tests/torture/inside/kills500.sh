# SPDX-License-Identifier: GPL-2.0
# 500 recordings that are killed.
. ./lib.sh
. ./kills.sh

lbrctl load || exit 1
kills "${KILLS:-500}"
finish
