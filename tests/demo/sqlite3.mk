# SPDX-License-Identifier: GPL-2.0
# In the unpacked source of sqlite3: the shell and the library by Debian's own
# rules and flags, with their symbols, into $(OUT).

include debian/rules

.PHONY: demo-build
demo-build:
	./configure --quiet --prefix=/usr --libdir=/usr/lib/$(DEB_HOST_MULTIARCH) \
		--disable-tcl --enable-threadsafe --enable-load-extension --enable-json \
		--enable-fts4 --enable-fts5 --disable-amalgamation --disable-readline
	# Not all objects say that they need these, which shows when two are made at a time.
	$(MAKE) sqlite3.h opcodes.h parse.h keywordhash.h fts5.c
	$(MAKE) sqlite3
	cp .libs/sqlite3 $(OUT)/sqlite3
	# The program finds the library that lies beside it.
	chrpath -r '$$ORIGIN' $(OUT)/sqlite3
	cp -L .libs/libsqlite3.so.0 $(OUT)/libsqlite3.so.0
