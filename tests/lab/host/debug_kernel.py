# SPDX-License-Identifier: GPL-2.0
"""The debug kernel: Debian's kernel source in a small configuration that checks itself.

KASAN, UBSAN, kmemleak, lockdep, RCU and context checks (debug.config). Built on
demand, which takes ten minutes on two cores, and kept in the cache with what
modules for it are built from.
"""

import os
import pathlib
import re
import shutil
import subprocess

from . import cache

CONFIG = pathlib.Path(__file__).resolve().parents[1] / "debug.config"
PACKAGE = "linux-source-6.1"
BUILTIN = ["modules.builtin", "modules.builtin.modinfo"]


def version():
    """Of the source package that apt would fetch."""
    shown = subprocess.run(["apt-cache", "policy", PACKAGE], capture_output=True, text=True, check=False).stdout
    match = re.search(r"Candidate: (\d\S*)", shown)
    if not match:
        raise cache.Error(f"apt knows of no {PACKAGE}: apt-get update")
    return match.group(1)


def folder(say):
    """The cache's folder of it: vmlinux (a bzImage), lib/modules/RELEASE, build/ (KDIR)."""
    key = cache.digest(version(), CONFIG.read_bytes(), pathlib.Path(__file__).read_bytes())
    return cache.entry("kernel-debug", key, lambda aside: build(aside, say))


def release(tree):
    (only,) = (tree / "lib" / "modules").iterdir()
    return only.name


def build(aside, say):
    log = cache.root() / "kernel-debug.log"
    say(f"building the debug kernel, which takes some minutes; see {log}")
    with open(log, "wb") as out:
        def run(*command, where=aside):
            if subprocess.run(command, cwd=where, stdout=out, stderr=subprocess.STDOUT, check=False).returncode:
                raise cache.Error(f"the debug kernel: {' '.join(command)} failed, see {log}")

        run("apt-get", "-qq", "-o", f"APT::Sandbox::User={os.getuid()}", "download", f"{PACKAGE}={version()}")
        (deb,) = aside.glob("*.deb")
        run("dpkg", "-x", deb.name, "deb")
        source = aside / "build"
        source.mkdir()
        run("tar", "-xf", f"deb/usr/src/{PACKAGE}.tar.xz", "-C", source, "--strip-components=1")
        deb.unlink()
        shutil.rmtree(aside / "deb")
        configure(source, run)
        run("make", f"-j{os.cpu_count()}", "bzImage", "modules", where=source)
    keep(aside, source)


def configure(source, run):
    """debug.config on top of tinyconfig; an option that was not taken is a mistake in it."""
    run("make", "tinyconfig", where=source)
    run("scripts/kconfig/merge_config.sh", "-m", ".config", str(CONFIG), where=source)
    run("make", "olddefconfig", where=source)
    taken = set((source / ".config").read_text().splitlines())
    missing = [line for line in CONFIG.read_text().splitlines() if line.startswith("CONFIG_") and line not in taken]
    if missing:
        raise cache.Error(f"{CONFIG.name}: not taken by this kernel: {' '.join(missing)}")


def keep(aside, source):
    """What booting it and building a module for it need."""
    # A KASAN kernel does not get through PVH's entry, which runs before KASAN is up.
    shutil.copy(source / "arch/x86/boot/bzImage", aside / "vmlinux")
    modules = aside / "lib" / "modules" / (source / "include/config/kernel.release").read_text().strip()
    modules.mkdir(parents=True)
    (modules / "modules.order").touch()
    for name in BUILTIN:
        shutil.copy(source / name, modules)
    for path in source.rglob("*.[oa]"):
        if path.relative_to(source).parts[0] not in ("scripts", "tools"):
            path.unlink()
