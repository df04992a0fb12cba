# SPDX-License-Identifier: GPL-2.0
"""Kernels of Debian's other releases, and what modules for them are built with.

Each comes from its own release's archive (debian_release.py): the newest cloud image, its
headers, and all that these depend on, compiler and binutils included.
"""

import re

from . import bzimage, cache, debian_release

# Where an image lies: older packages, newer ones.
IMAGES = ["boot/vmlinuz-{release}", "lib/modules/{release}/vmlinuz"]
# Those of kbuild's programs that are for this machine.
VARIANTS = [".real-lsb-64", ".real-x86"]


def folder(suite, say):
    """(the cache's folder of the newest kernel, its release): vmlinux, lib/modules/RELEASE
    and in that build, which modules are built against."""
    return debian_release.entry(suite, lambda archive: entry(archive, say))


def entry(archive, say):
    release, version = archive.newest()
    key = f"{release}_{version}_{debian_release.digest(__file__)}"
    final = cache.path("kernel", key)
    return cache.entry("kernel", key, lambda aside: make(aside, final, archive, release, version, say)), release


def make(aside, final, archive, release, version, say):
    say(f"fetching Debian's kernel {release} and what modules for it are built with")
    debian_release.unpack(aside, archive, f"linux-image-{release}={version}", f"linux-headers-{release}={version}")
    packed = next(path for name in IMAGES if (path := aside / name.format(release=release)).exists())
    (aside / "vmlinux").write_bytes(bzimage.vmlinux(packed.read_bytes()))
    fix_headers(aside, final, release)
    choose_variants(aside)
    for path in debian_release.programs(aside):
        debian_release.start_by_loader(path, aside, final)


def fix_headers(aside, final, release):
    """What the headers name by its installed place, they find in the folder."""
    kdir = aside / "usr/src" / f"linux-headers-{release}"
    for path in (kdir / "Makefile", kdir / ".kernelvariables"):
        path.write_text(re.sub(r"(?<![^\s=])/usr/", f"{final}/usr/", path.read_text()))
    with open(kdir / ".kernelvariables", "a", encoding="ascii") as variables:
        # compiler and binutils are those that came with it
        variables.write(f"override CROSS_COMPILE = {final}/usr/bin/x86_64-linux-gnu-\n"
                        f"PAHOLE = {final}/usr/bin/pahole\n")


def choose_variants(aside):
    """kbuild's programs that come in variants are called by one that chooses by its own
    name, which is not that of a program started by the loader."""
    for suffix in VARIANTS:
        for path in (aside / "usr/lib").glob(f"linux-kbuild-*/**/*{suffix}"):
            chooser = path.with_name(path.name.removesuffix(suffix))
            chooser.unlink()
            chooser.symlink_to(path.name)
