# SPDX-License-Identifier: GPL-2.0
# Records each program of the plan, one per line: PROGRAM ROUNDS PERIOD OPTIONS of record.
. ./lib.sh

succeeds "lbrctl load" lbrctl load
while read -r program rounds period options; do
	# shellcheck disable=SC2086
	succeeds "lbrctl record $program" lbrctl record -m 8M -e instructions:u -c $period $options -o $program.data \
		-- ./$program $rounds $program.nodes </dev/null
done <plan
succeeds "lbrctl unload" lbrctl unload
finish
