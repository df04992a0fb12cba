# SPDX-License-Identifier: GPL-2.0
# A session held by ./client; sourced by scripts in the guest.
# shellcheck shell=sh

# hold VERB PERIOD: starts a session in the background, returns when it samples
hold() {
	rm -f hold.in hold.out
	mkfifo hold.in
	./client "$1" "$2" <hold.in >hold.out 2>&1 &
	client=$!
	exec 9>hold.in
	await 300 test -s hold.out
	[ "$(head -n 1 hold.out)" = started ]
}

# let_go: ends it in good order; the counts are in hold.out
let_go() {
	exec 9>&-
	wait $client
}

# kill_it: ends it by kill -9
kill_it() {
	kill -9 $client
	wait $client 2>/dev/null
	exec 9>&-
}

count() { awk -v name="$1" '$1 == name { print $2 }' hold.out; }
lost() { awk '/^lost/ { n += $2 } END { print n + 0 }' hold.out; }
