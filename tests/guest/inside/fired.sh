# SPDX-License-Identifier: GPL-2.0
# Recordings with triggers; sourced by scripts in the guest.
# shellcheck shell=sh disable=SC2034

# of ./triggers
store=watch:0x402000/8
asked=__x64_sys_getppid

# record NAME WANT OPTIONS... -- COMMAND...: WANT samples and triggers, none of them lost
record() {
	name=$1 want=$2
	shift 2
	said=$(lbrctl record -c 1000003 -o "$name.data" "$@" 2>&1 >/dev/null)
	is "lbrctl record, $name: all that fired is in the file, $on" "$want $want 0" "$(echo "$said" | tr '\n' ' ' |
		sed -n 's/.*produced \([0-9]*\) = delivered \([0-9]*\) + lost \([0-9]*\).*/\1 \2 \3/p')"
}

# fired NAME EVENT: how often, by perf
fired() { perf_script -i "$1.data" -F event 2>/dev/null | grep -c "^ *$2: *\$"; }
