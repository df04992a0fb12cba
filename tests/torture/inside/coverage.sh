# SPDX-License-Identifier: GPL-2.0
# Writes gcov's counts of the module, if it was built for gcov, to coverage.tar: with cat, because
# files of debugfs have no size.
# shellcheck shell=sh

if [ -d /sys/kernel/debug/gcov ]; then
	find /sys/kernel/debug/gcov -name '*.gcda' | while read -r file; do
		name=gcda/${file##*/kmod/}
		mkdir -p "${name%/*}"
		cat "$file" >"$name"
	done
	tar -C gcda -cf coverage.tar .
fi
