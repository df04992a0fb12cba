# SPDX-License-Identifier: GPL-2.0
# Completion of lbrctl's command line. Verbs, options and formats come from lbrctl itself: this
# file has no list of them that could become wrong.
# shellcheck shell=bash

# The options of a verb, by its table: a line has name, letter or -, and value or -. The verbs of
# pgo have two words.
_lbrctl_options() {
	# shellcheck disable=SC2086
	lbrctl $1 --list-options 2>/dev/null | awk '
		$2 != "-" { print "-" $2 }
		{ print "--" $1 }'
}

# Whether an option of the verb wants a value in the next word.
_lbrctl_wants() {
	# shellcheck disable=SC2086
	lbrctl $1 --list-options 2>/dev/null | awk -v option="$2" '
		(option == "-" $2 && $3 !~ /^[-[=]/) || (option == "--" $1 && $3 !~ /^[-[]/) { found = 1 }
		END { exit !found }'
}

# The values of an option of the verb, if they are a closed set: "caller|callee|none", or a list,
# "KEY,…", of what the help names: "what a line stands for: sym, dso".
_lbrctl_set() {
	# shellcheck disable=SC2086
	lbrctl $1 --list-options 2>/dev/null | awk -v option="$2" '
		(option == "-" $2 || option == "--" $1) && $3 ~ /^=?[a-z]+([|][a-z]+)+$/ {
			gsub(/[=|]/, " ", $3)
			print $3
		}
		(option == "-" $2 || option == "--" $1) && $3 ~ /,…$/ && match($0, /: [a-z]+(, [a-z]+)+/) {
			set = substr($0, RSTART + 2, RLENGTH - 2)
			gsub(/,/, "", set)
			print set
		}'
}

_lbrctl_verbs() {
	lbrctl "$@" --help 2>/dev/null | awk '/^  [a-z]/ { print $1 }'
}

# Behind an option of the verb that wants a value: what that can be.
_lbrctl_value() {
	local set before=
	case $1 in
	-i | --input | -o | --output) compopt -o filenames && compgen -f -- "$2" ;;
	-p | --pid) compgen -W "$(ps -eo pid= 2>/dev/null)" -- "$2" ;;
	-e | --event) compgen -W "$(lbrctl list 2>/dev/null | awk '{ print $1 }')" -- "$2" ;;
	-f | --format)
		compgen -W "$(lbrctl export --help 2>/dev/null |
			awk '/^Formats:/ { on = 1; next } on { print $1 }')" -- "$2"
		;;
	*)
		set=$(_lbrctl_set "$3" "$1")
		[[ $2 != *,* ]] || before=${2%,*},
		[ -n "$set" ] && compgen -P "$before" -W "$set" -- "${2##*,}"
		;;
	esac
}

_lbrctl() {
	local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} i said

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_lbrctl_verbs)" -- "$word")
		return
	fi
	if [ "$verb" = pgo ]; then
		if [ "$COMP_CWORD" -eq 2 ] && [[ $word != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(_lbrctl_verbs pgo)" -- "$word")
			return
		fi
		[ "$COMP_CWORD" -eq 2 ] || verb="pgo ${COMP_WORDS[2]}"
	fi
	# Behind -- is a command with its own arguments.
	for ((i = 2; i < COMP_CWORD; i++)); do
		[ "${COMP_WORDS[i]}" = -- ] || continue
		compopt -o filenames 2>/dev/null
		if [ $((i + 1)) -eq "$COMP_CWORD" ]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$word")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
		fi
		return
	done
	if _lbrctl_wants "$verb" "${COMP_WORDS[COMP_CWORD - 1]}" &&
		{ said=$(_lbrctl_value "${COMP_WORDS[COMP_CWORD - 1]}" "$word" "$verb" 2>/dev/null) || [ -n "$said" ]; }; then
		mapfile -t COMPREPLY <<<"$said"
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_lbrctl_options "$verb")" -- "$word")
	else
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}

complete -F _lbrctl lbrctl
