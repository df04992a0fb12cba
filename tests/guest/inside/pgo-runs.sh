# SPDX-License-Identifier: GPL-2.0
# Counts instructions and taken branches of each program in the list `runs`.
. ./lib.sh

succeeds "lbrctl load" lbrctl load
while read -r program; do
	lbrctl stat --csv -e instructions:u,BR_INST_RETIRED:NEAR_TAKEN:u -o counts -- ./"$program" >out
	is "$program: status" 0 $?
	echo "$program $(md5sum <out | cut -c 1-32) $(awk -F, '/^"/ { print $2 }' ORS=' ' counts)" >>counts.txt
done <runs
finish
