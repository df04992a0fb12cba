# SPDX-License-Identifier: GPL-2.0
# lbrctl's messages for impossible requests.
# shellcheck shell=sh

# refused NAME STATUS REGEX COMMAND...
refused() {
	name=$1 want=$2 regex=$3
	shift 3
	timeout -s KILL 60 "$@" >out 2>err
	status=$?
	said=$(cat err)
	if [ $status -ne "$want" ]; then
		not_ok "$name" "want: status $want" "got:  status $status" "$said"
	elif [ "$(grep -c '' err)" -ne 1 ]; then
		not_ok "$name" "want: one line" "got:" "$said"
	elif ! printf '%s\n' "$said" | grep -Eq -- "^lbrctl: .*($regex)"; then
		not_ok "$name" "want: /$regex/" "got:  $said"
	elif [ -s out ]; then
		not_ok "$name" "want: nothing on stdout" "$(head -n 3 out)"
	else
		ok "$name # $said"
	fi
}

# nothing_left NAME: of a perf.data, under that or a temporary name
nothing_left() {
	is "$1: no file is left behind" "" "$(find . -name '*bad.*')"
	rm -f bad.*
}
