#compdef lbrctl
# SPDX-License-Identifier: GPL-2.0
# Completion of lbrctl's command line for zsh. Verbs, options and formats come from lbrctl itself.

# Lines "word:description", for _describe.
_lbrctl_verbs() {
	lbrctl "$@" --help 2>/dev/null | awk '/^  [a-z]/ { verb = $1; sub(/^ +[a-z]+ +/, ""); print verb ":" $0 }'
}

# A line of the table has name, letter or -, value or -, help.
_lbrctl_options() {
	lbrctl ${=1} --list-options 2>/dev/null | awk '
		{ help = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", help) }
		$2 != "-" { print "-" $2 ":" help }
		{ print "--" $1 ":" help }'
}

# The values of an option of the verb, if they are a closed set: "caller|callee|none", or a list,
# "KEY,…", of what the help names: "what a line stands for: sym, dso".
_lbrctl_set() {
	lbrctl ${=1} --list-options 2>/dev/null | awk -v option="$2" '
		(option == "-" $2 || option == "--" $1) && $3 ~ /^=?[a-z]+([|][a-z]+)+$/ {
			gsub(/[=|]/, "\n", $3)
			print $3
		}
		(option == "-" $2 || option == "--" $1) && $3 ~ /,…$/ && match($0, /: [a-z]+(, [a-z]+)+/) {
			set = substr($0, RSTART + 2, RLENGTH - 2)
			gsub(/, /, "\n", set)
			print set
		}'
}

_lbrctl() {
	local -a list
	local end=${words[(i)--]} verb=$words[2]

	if (( CURRENT == 2 )); then
		list=(${(f)"$(_lbrctl_verbs)"})
		_describe verb list
		return
	fi
	# The verbs of pgo have two words.
	if [[ $verb == pgo ]]; then
		if (( CURRENT == 3 )) && [[ $words[3] != -* ]]; then
			list=(${(f)"$(_lbrctl_verbs pgo)"})
			_describe verb list
			return
		fi
		(( CURRENT == 3 )) || verb="pgo $words[3]"
	fi
	# Behind -- is a command with its own arguments.
	if (( end < CURRENT )); then
		shift $end words
		(( CURRENT -= end ))
		_normal
		return
	fi
	case $words[CURRENT-1] in
	-p | --pid) _pids ;;
	-e | --event)
		list=(${(f)"$(lbrctl list 2>/dev/null | awk '{ gsub(/:/, "\\:", $1); print $1 }')"})
		_describe event list
		;;
	-f | --format)
		list=(${(f)"$(lbrctl export --help 2>/dev/null | awk '/^Formats:/ { on = 1; next } on { print $1 }')"})
		_describe format list
		;;
	*)
		list=(${(f)"$(_lbrctl_set $verb $words[CURRENT-1])"})
		if (( $#list )); then
			compset -P '*,'
			_describe value list
		elif [[ $words[CURRENT] == -* ]]; then
			list=(${(f)"$(_lbrctl_options $verb)"})
			_describe -o option list
		else
			_files
		fi
		;;
	esac
}

if [[ $funcstack[1] == _lbrctl ]]; then
	_lbrctl "$@"
else
	compdef _lbrctl lbrctl
fi
