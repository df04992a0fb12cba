# SPDX-License-Identifier: GPL-2.0
# What gcov has counted of the module, if it was built for that, into coverage.tar: by cat, since
# files of debugfs do not know their size.
# shellcheck shell=sh

if [ -d /sys/kernel/debug/gcov ]; then
	mkdir gcda
	find /sys/kernel/debug/gcov -name '*.gcda' | while read -r file; do
		cat "$file" >"gcda/${file##*/}"
	done
	tar -C gcda -cf coverage.tar .
fi
