# SPDX-License-Identifier: GPL-2.0
# Completion of lbrctl's command line for fish. Verbs, options and formats come from lbrctl itself.

# The words before the one that is completed, without lbrctl.
function __lbrctl_words
    set -l words (commandline -opc)
    set -e words[1]
    string join \n -- $words
end

# The verb, of two words behind pgo.
function __lbrctl_verb
    set -l words (__lbrctl_words)
    test "$words[1]" = pgo; and test (count $words) -gt 1; and set words[1] "pgo $words[2]"
    string split ' ' -- $words[1]
end

# Whether the word is the verb; one of pgo; an option of the verb; the value of one of these options.
function __lbrctl_at_verb
    test (count (__lbrctl_words)) -eq 0
end

function __lbrctl_at_pgo
    test "$(__lbrctl_words)" = pgo; and not string match -q -- '-*' (commandline -ct)
end

function __lbrctl_at_option
    string match -q -- '-*' (commandline -ct); and not __lbrctl_at_verb; and not contains -- -- (__lbrctl_words)
end

function __lbrctl_behind
    set -l words (__lbrctl_words)
    test (count $words) -gt 1; and not contains -- -- $words; and contains -- $words[-1] $argv
end

function __lbrctl_verbs
    lbrctl $argv --help 2>/dev/null | awk '/^  [a-z]/ { verb = $1; sub(/^ +[a-z]+ +/, ""); print verb "\t" $0 }'
end

# A line of the table has name, letter or -, value or -, help.
function __lbrctl_options
    lbrctl (__lbrctl_verb) --list-options 2>/dev/null | awk '
        { help = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", help) }
        $2 != "-" { print "-" $2 "\t" help }
        { print "--" $1 "\t" help }'
end

function __lbrctl_formats
    lbrctl export --help 2>/dev/null | awk '/^Formats:/ { on = 1; next } on { print $1 }'
end

# The values of the option before, if they are a closed set: "caller|callee|none", or a list,
# "KEY,…", of what the help names: "what a line stands for: sym, dso". Behind a comma each has what is
# before it.
function __lbrctl_set
    set -l words (__lbrctl_words)
    test (count $words) -gt 1; and not contains -- -- $words; or return 1
    set -l before (string match -r -- '.*,' (commandline -ct))
    lbrctl (__lbrctl_verb) --list-options 2>/dev/null | awk -v option="$words[-1]" -v before="$before" '
        (option == "-" $2 || option == "--" $1) && $3 ~ /^=?[a-z]+([|][a-z]+)+$/ {
            gsub(/[=|]/, "\n", $3)
            print $3
            found = 1
        }
        (option == "-" $2 || option == "--" $1) && $3 ~ /,…$/ && match($0, /: [a-z]+(, [a-z]+)+/) {
            set = substr($0, RSTART + 2, RLENGTH - 2)
            gsub(/, /, "\n" before, set)
            print before set
            found = 1
        }
        END { exit !found }'
end

complete -c lbrctl -f -n __lbrctl_at_verb -a '(__lbrctl_verbs)'
complete -c lbrctl -f -n __lbrctl_at_pgo -a '(__lbrctl_verbs pgo)'
complete -c lbrctl -n __lbrctl_at_option -a '(__lbrctl_options)'
complete -c lbrctl -f -n '__lbrctl_behind -p --pid' -a '(__fish_complete_pids)'
complete -c lbrctl -f -n '__lbrctl_behind -e --event' -a '(lbrctl list 2>/dev/null | awk \'{ print $1 }\')'
complete -c lbrctl -f -n '__lbrctl_set >/dev/null' -a '(__lbrctl_set)'
complete -c lbrctl -f -n '__lbrctl_behind -f --format' -a '(__lbrctl_formats)'
