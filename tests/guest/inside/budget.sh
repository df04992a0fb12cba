# SPDX-License-Identifier: GPL-2.0
# One recording with the options of a file; the meter sees its cost.
. ./lib.sh

modprobe lbrscope || exit 1
# shellcheck disable=SC2046
succeeds "lbrctl record $(cat options)" \
	lbrctl record -b -e instructions:u -c 10007 $(cat options) -o rounds.data -- ./rounds 6
printf '%s\n' "$said" >said.txt
finish
