# SPDX-License-Identifier: GPL-2.0
# Makes the recordings of the plan, one per line: NAME PROGRAM CASES ROUNDS [record's options].
. ./lib.sh

succeeds "lbrctl load" lbrctl load
while read -r as program cases rounds options; do
	# shellcheck disable=SC2086
	succeeds "lbrctl record $as" lbrctl record -e instructions:u -c 10007 $options \
		-o capture -- ./$program $cases $rounds </dev/null
	succeeds "lbrctl export $as" lbrctl export --format json -i capture -o "$as.json"
	case $cases in
	[0-9]*) lbrctl report --percent-limit 0 -i capture >"$as.txt" ;;
	esac
done <plan
succeeds "lbrctl unload" lbrctl unload
finish
