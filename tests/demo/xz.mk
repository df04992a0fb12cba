# SPDX-License-Identifier: GPL-2.0
# In the unpacked source of xz-utils: xz and liblzma by Debian's own rules and
# flags, with their symbols, into $(OUT).

include debian/rules

# The program finds the library that lies beside it.
export LD_RUN_PATH := $$ORIGIN

.PHONY: demo-build
demo-build:
	mkdir demo-build
	cd demo-build && ../configure --quiet --prefix=/usr \
		--libdir=/usr/lib/$(shell dpkg-architecture -qDEB_HOST_MULTIARCH) \
		$(opt_reproduce) --enable-threads --disable-static $(opt_optimize) \
		--disable-xzdec --disable-lzmadec --disable-nls --disable-doc
	$(MAKE) -C demo-build/src/liblzma
	$(MAKE) -C demo-build/src/xz
	cp demo-build/src/xz/.libs/xz $(OUT)/xz
	cp -L demo-build/src/liblzma/.libs/liblzma.so.5 $(OUT)/liblzma.so.5
