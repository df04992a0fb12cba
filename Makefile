# SPDX-License-Identifier: GPL-2.0
#
## make            the tool, and the module for the lab machine's kernel
## make demo       profile two real programs in the lab machine; HOST=1: right here
## make check      the tests that each change has to pass (25 minutes on two cores)
## make check-all  all tests, with those that take many minutes (one and a half hours);
##                 PART=NAME: those of one part of tests/parts
## make unit       the quick unit tests (under 20 seconds)
## make lint       what can be checked without running anything
## make bench      lbrscope against perf, measured side by side; build/bench.json
## make torture    the long attacks on module and tool; HOURS=N
## make check-debug    the module's tests on a kernel with KASAN, lockdep and kmemleak
## make check-kernels  the guest tests on Debian's other kernels
## make check-newcomer README's steps and make check on a Debian made for that by debootstrap
## make check-packages     packages built, installed, upgraded and purged on Debian 12 and 13
## make kmatrix    the module built for all these kernels, and with LLVM
## make install    the tool, its manual pages and completion, and the module by DKMS, which
##                 loses older versions; with DESTDIR: the module's source only
## make install-tool   the tool without the module
## make uninstall  remove what make install has installed
## make dist       the sources as an archive; make deb, make rpm: packages; into build/dist
## make compile_commands.json  for clangd and other tools
## make clean      remove build/
## make help       this list
#
# The kernel's build system reads Kbuild and never this file. The module for
# another kernel: make module KDIR=/lib/modules/$(uname -r)/build

BUILD := $(CURDIR)/build
PREFIX ?= /usr/local
KDIR ?= $(shell tests/lab/lab kdir)
VERSION = $(shell packaging/version)

Q := $(if $(V),,@)
# Command lines name $(MAKE) themselves: only then does make hand its job slots down.
MAKEFLAGS += $(if $(V),,-s) --no-print-directory
# For rules that take minutes and were started without -j.
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

all: module tool

help:
	$(Q)sed -n 's/^## //p' $(firstword $(MAKEFILE_LIST))

# Kbuild writes beside its sources, so it gets a tree of links of its own; one
# for each kernel, since objects of one are of no use to another.
KMOD = $(BUILD)/kmod/$(notdir $(patsubst %/build,%,$(KDIR)))
KMOD_SOURCES := Kbuild $(shell find kmod include -name '*.[ch]')
# $(call dkms_conf,FILE): dkms.conf with the version of this tree. FILE may be an older build's link to ours.
dkms_conf = rm -f $(1) && sed 's/^PACKAGE_VERSION=.*/PACKAGE_VERSION="$(VERSION)"/' dkms.conf >$(1) && chmod 644 $(1)

module:
	$(Q)test -d "$(KDIR)" || \
		{ echo "no kernel headers in '$(KDIR)': run tests/lab/setup demo, or set KDIR" >&2; exit 1; }
	$(Q)mkdir -p $(addprefix $(KMOD)/,$(sort $(dir $(KMOD_SOURCES))))
	$(Q)find $(KMOD) -name '*.[ch]' -xtype l -delete
	$(Q)for file in $(KMOD_SOURCES); do ln -sfn $(CURDIR)/$$file $(KMOD)/$$file; done
	$(Q)$(call dkms_conf,$(KMOD)/dkms.conf)
	$(Q)$(MAKE) $(if $(V),V=1) -C $(KDIR) M=$(KMOD) modules
	$(Q)cmp -s $(KMOD)/lbrscope.ko $(BUILD)/lbrscope.ko || \
		cp $(KMOD)/lbrscope.ko $(BUILD)/lbrscope.ko

tool:
	$(Q)mkdir -p $(BUILD)
	$(Q)$(MAKE) -C ctl BUILD=$(BUILD)

# The packages come first: even make's own look around needs some of them.
setup:
	$(Q)tests/lab/setup check

# What takes long to build once, side by side. No test's time includes it.
part-qemu part-kernel: part-%:
	$(Q)tests/lab/lab $* >/dev/null
part-%:
	$(Q)tests/demo/programs $* >/dev/null

check check-all lint: export WERROR := 1
check check-all: setup
	$(Q)$(MAKE) $(PARALLEL) all part-qemu part-kernel $(if $(filter check-all,$@),part-xz part-sqlite3)
	$(Q)tests/run $(if $(filter check,$@),--part gate,$(PART:%=--part %))

# Run apart from these: tests that take seconds because they try every byte or instruction.
SLOW := perfdata perfdata_cut buildid stitch unwind object inlines hostile jitdump
unit:
	$(Q)tests/run unit $(SLOW:%=-x ctl_%) -x kmod_ring -x kmod_ring_overwrite

lint: setup
	$(Q)tests/run static

# What is built is not what is tested, but the machine has the libraries and the place for it.
check-newcomer: setup
	$(Q)$(MAKE) $(PARALLEL) all
	$(Q)tests/newcomer/newcomer
	$(Q)tests/newcomer/gate

# Debian packages built, installed, upgraded, removed and purged in chroots of Debian 12 and 13.
check-packages:
	$(Q)tests/packaging/packages

# The same tests inside the machine, on the kernels of Debian's other releases.
check-kernels: setup
	$(Q)$(MAKE) $(PARALLEL) all
	$(Q)tests/kernels

# What runs inside the machine and is about the module; with KASAN, lockdep and
# the rest it takes several times as long.
check-debug: export LAB_KERNEL := debug
check-debug: setup
	$(Q)$(MAKE) $(PARALLEL) all
	$(Q)tests/run guest/leaks guest/module guest/isolation guest/attach guest/hotplug guest/stress guest/losses guest/offcpu guest/registers \
		guest/flight guest/netlink guest/permissions guest/targets guest/resources guest/triggers \
		guest/overflows guest/faults guest/unwind

# HOURS comes from the environment or the command line.
torture: export HOURS := $(HOURS)
torture: setup
	$(Q)$(MAKE) $(PARALLEL) all
	$(Q)tests/torture/run

# Nothing may be said of the module on any of Debian's kernels.
kmatrix: setup
	$(Q)tests/kmatrix

# Not a test: it fails only where it cannot measure.
bench: setup
	$(Q)$(MAKE) $(PARALLEL) all
	$(Q)tests/bench/run

demo:
	$(Q)tests/demo/plan $(if $(HOST),host,lab)
	$(Q)tests/lab/setup demo
	$(Q)$(MAKE) $(PARALLEL) all part-xz part-sqlite3 \
		$(if $(HOST),KDIR=/lib/modules/$(shell uname -r)/build,part-qemu part-kernel)
	$(Q)tests/demo/demo $(if $(HOST),host,lab)

MANUALS = $(wildcard ctl/man/*.8)
PAGES = $(wildcard ctl/man/*.7)

BIN = $(DESTDIR)$(PREFIX)/bin
SHARE = $(DESTDIR)$(PREFIX)/share
# Where each shell looks; Debian's zsh has another folder for packages.
ZSH_COMPLETION ?= $(PREFIX)/share/zsh/site-functions
COMPLETION = $(SHARE)/bash-completion/completions/lbrctl $(SHARE)/fish/vendor_completions.d/lbrctl.fish \
	$(DESTDIR)$(ZSH_COMPLETION)/_lbrctl

# With DESTDIR the module's source is put in place, and nothing of this machine changes.
install: install-tool
	$(Q)$(if $(DESTDIR),,packaging/module check)
	$(Q)rm -rf $(SOURCE)
	$(Q)$(MAKE) install-source
	$(Q)$(if $(DESTDIR),,packaging/module install $(VERSION))

# lbrctl was in sbin once, which root's PATH has before bin.
install-tool: tool
	$(Q)install -D -t $(BIN) $(BUILD)/lbrctl
	$(Q)rm -f $(DESTDIR)$(PREFIX)/sbin/lbrctl
	$(Q)install -D -m 644 -t $(SHARE)/man/man8 $(MANUALS)
	$(Q)install -D -m 644 -t $(SHARE)/man/man7 $(PAGES)
	$(Q)install -D -m 644 ctl/completion.bash $(word 1,$(COMPLETION))
	$(Q)install -D -m 644 ctl/completion.fish $(word 2,$(COMPLETION))
	$(Q)install -D -m 644 ctl/completion.zsh $(word 3,$(COMPLETION))

# What dkms needs and no more: "dkms add" of this folder would copy all of it.
SOURCE = $(DESTDIR)/usr/src/lbrscope-$(VERSION)
install-source:
	$(Q)for file in $(KMOD_SOURCES); do \
		install -D -m 644 $$file $(SOURCE)/$$file || exit; done
	$(Q)$(call dkms_conf,$(SOURCE)/dkms.conf)

uninstall:
	$(Q)$(if $(DESTDIR),rm -rf $(SOURCE),packaging/module remove)
	$(Q)rm -f $(BIN)/lbrctl $(COMPLETION) \
		$(MANUALS:ctl/man/%=$(SHARE)/man/man8/%) $(PAGES:ctl/man/%=$(SHARE)/man/man7/%)

# The sources as an archive; Debian packages; RPM packages. All are left in build/dist.
dist deb rpm:
	$(Q)packaging/package $@ $(VERSION) $(BUILD)/dist

compile_commands.json: all
	$(Q)tests/compile_commands $(BUILD) $(KMOD) >$@.new && mv $@.new $@

clean:
	$(Q)rm -rf $(BUILD)

.PHONY: all help module tool setup unit lint check check-all check-newcomer check-packages check-kernels check-debug torture \
	kmatrix bench demo install install-tool install-source uninstall dist deb rpm compile_commands.json clean
