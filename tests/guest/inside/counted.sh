# SPDX-License-Identifier: GPL-2.0
# Reads the output of lbrctl stat; sourced by scripts in the guest.
# shellcheck shell=sh

# counted EVENTS COMMAND...: the counts, as "N N ..."; lbrctl's own words are in stat.out
counted() {
	events=$1
	shift
	lbrctl stat -o stat.out -e "$events" -- "$@" >/dev/null 2>stat.err || cat stat.err
	awk '$2 != "seconds" && $1 ~ /^[0-9<]/ { gsub(",", "", $1); printf "%s%s", sep, $1; sep = " " }' stat.out
}
