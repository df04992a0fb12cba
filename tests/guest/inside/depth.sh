# SPDX-License-Identifier: GPL-2.0
# Prints the depth of ./depth's stack in each sample: lines "LOOP DEPTH SAMPLES" for the host.
. ./lib.sh

# depths AS OPTIONS...: records ./depth
depths() {
	as=$1
	shift
	succeeds "lbrctl record $as" lbrctl record -e instructions "$@" -c 100003 -o "$as.data" \
		-- ./depth
	lbrctl script --json -i "$as.data" | sed -n \
		's/.*"stack_depth":\(-*[0-9]*\).*"frames":\[{[^}]*"sym":"\([a-z_0-9]*\)".*/\2 \1/p' |
		sort | uniq -c | awk '{ print $2, $3, $1 }' >"$as.txt"
}

succeeds "lbrctl load" lbrctl load
depths plain
depths more --jitter 10
succeeds "lbrctl unload" lbrctl unload
finish
