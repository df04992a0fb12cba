# SPDX-License-Identifier: GPL-2.0
#
#	make		the tool, and the module for the lab machine's kernel
#	make demo	real programs profiled, in the lab machine; HOST=1: right here
#	make check	all tests
#	make check-newcomer	what the README says, done by somebody who has a fresh Debian 12
#	make check-kernels	those in the lab machine, on Debian's other kernels
#	make kmatrix	the module built for all of these, and with LLVM
#	make bench	ours against perf, measured side by side; build/bench.json
#	make check-debug	those in the lab machine, on a kernel that checks itself
#	make torture	long attacks on module and tool, HOURS=1 of them; tests/torture/README.md
#	make install	the tool, its manual pages and completion, and the module by DKMS;
#			with DESTDIR: its source only, for a package
#
# The kernel's build system reads Kbuild and never this file. The module for
# another kernel: make module KDIR=/lib/modules/$(uname -r)/build

BUILD := $(CURDIR)/build
PREFIX ?= /usr/local
KDIR ?= $(shell tests/lab/lab kdir)
VERSION = $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

Q := $(if $(V),,@)
SUBMAKE := $(MAKE) $(if $(V),,-s) --no-print-directory

all: module tool

# Kbuild writes beside its sources, so it gets a tree of links of its own; one
# for each kernel, since objects of one are of no use to another.
KMOD = $(BUILD)/kmod/$(notdir $(patsubst %/build,%,$(KDIR)))
KMOD_SOURCES := Kbuild $(shell find kmod include -name '*.[ch]')

module:
	$(Q)test -d "$(KDIR)" || \
		{ echo "no kernel headers in '$(KDIR)': run tests/lab/setup, or set KDIR" >&2; exit 1; }
	$(Q)mkdir -p $(addprefix $(KMOD)/,$(sort $(dir $(KMOD_SOURCES))))
	$(Q)find $(KMOD) -name '*.[ch]' -xtype l -delete
	$(Q)for file in $(KMOD_SOURCES); do ln -sfn $(CURDIR)/$$file $(KMOD)/$$file; done
	$(Q)$(MAKE) $(if $(V),V=1,-s) --no-print-directory -C $(KDIR) M=$(KMOD) modules
	$(Q)cmp -s $(KMOD)/lbrscope.ko $(BUILD)/lbrscope.ko || \
		cp $(KMOD)/lbrscope.ko $(BUILD)/lbrscope.ko

tool:
	$(Q)mkdir -p $(BUILD)
	$(Q)$(SUBMAKE) -C ctl BUILD=$(BUILD)

# The packages come first: even make's own look around needs some of them.
setup:
	$(Q)tests/lab/setup

# What takes long to build once is no part of the time that a test may take; the
# same goes for QEMU, which tests/run builds.
check: setup
	$(Q)$(SUBMAKE) all
	$(Q)for name in xz sqlite3; do tests/demo/programs $$name >/dev/null || exit; done
	$(Q)tests/run

# What is built is not what is tested, but the machine has the libraries and the place for it.
check-newcomer: setup
	$(Q)$(SUBMAKE) all
	$(Q)tests/newcomer/newcomer

# The same tests inside the machine, on the kernels of Debian's other releases.
check-kernels: setup
	$(Q)$(SUBMAKE) all
	$(Q)tests/kernels

# What runs inside the machine and is about the module; with KASAN, lockdep and
# the rest it takes several times as long.
check-debug: export LAB_KERNEL := debug
check-debug: setup
	$(Q)$(SUBMAKE) all
	$(Q)tests/run guest/leaks guest/module guest/isolation guest/attach guest/stress guest/losses guest/offcpu guest/registers \
		guest/flight guest/permissions guest/targets

# HOURS comes from the environment or the command line.
torture: export HOURS := $(HOURS)
torture: setup
	$(Q)$(SUBMAKE) all
	$(Q)tests/torture/run

# Nothing may be said of the module on any of Debian's kernels.
kmatrix: setup
	$(Q)tests/kmatrix

# Not a test: it fails only where it cannot measure.
bench: setup
	$(Q)$(SUBMAKE) all
	$(Q)tests/bench/run

demo: setup
	$(Q)$(SUBMAKE) all $(if $(HOST),KDIR=/lib/modules/$(shell uname -r)/build)
	$(Q)tests/demo/demo $(if $(HOST),host,lab)

MANUALS = $(wildcard ctl/man/*.8)
PAGES = $(wildcard ctl/man/*.7)

install: tool
	$(Q)install -D -t $(DESTDIR)$(PREFIX)/sbin $(BUILD)/lbrctl
	$(Q)$(if $(MANUALS),install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man8 $(MANUALS))
	$(Q)$(if $(PAGES),install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man7 $(PAGES))
	$(Q)install -D -m 644 ctl/completion.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/lbrctl
	$(Q)$(SUBMAKE) install-source
	$(Q)$(if $(DESTDIR),,dkms install -m lbrscope -v $(VERSION))

# What dkms needs and no more: "dkms add" of this folder would copy all of it.
install-source:
	$(Q)for file in dkms.conf $(KMOD_SOURCES); do \
		install -D -m 644 $$file $(DESTDIR)/usr/src/lbrscope-$(VERSION)/$$file || exit; done

clean:
	$(Q)rm -rf $(BUILD)

.PHONY: all module tool setup bench check check-newcomer check-kernels check-debug torture kmatrix demo install install-source clean
