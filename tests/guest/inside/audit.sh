# SPDX-License-Identifier: GPL-2.0
# Makes the recordings of the plan, one per line: NAME PERCENT INCARNATIONS. A disagreement ends the audit of an
# incarnation. The host judges the captures and the reports (audit.tar).
. ./lib.sh

succeeds "lbrctl load" lbrctl load
while read -r as percent incarnations; do
	words=$(yes "$percent" | head -n "$incarnations")
	# shellcheck disable=SC2086 # several words
	said=$(lbrctl record -e instructions:u -c 20011 --audit 3 -o $as.data -- ./sides $words </dev/null 2>&1) ||
		not_ok "lbrctl record $as" "$said"
	lbrctl report --json -g none -i $as.data >$as.json || not_ok "lbrctl report $as"
	echo $as.data $as.json
done <plan >made
# shellcheck disable=SC2046 # several files
succeeds "the recordings are brought back" tar cf audit.tar $(cat made)
# a recording may have no audit, or one that found nothing, or too few for a bound (audit.py)
while read -r data _; do
	lbrctl report -v -g none -i "$data" | grep '^# Audit:.* [1-9][0-9]* disagreed.* at most' && break
done <made >line.txt
succeeds "lbrctl unload" lbrctl unload
finish
