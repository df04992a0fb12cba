# SPDX-License-Identifier: GPL-2.0
"""The debug kernels: Debian's kernel source in small configurations that check themselves.

"debug": KASAN, UBSAN, kmemleak, lockdep, RCU and context checks, injected allocation
failures (debug.config). "kcsan": data races of the module (kcsan.config). Both stand on
machine.config. A kernel is built on demand, which takes ten minutes on two cores, and
kept in the cache with what modules for it are built from.
"""

import os
import pathlib
import re
import shutil
import subprocess

from . import cache

FOLDER = pathlib.Path(__file__).resolve().parents[1]
MACHINE = FOLDER / "machine.config"
PACKAGE = "linux-source-6.1"
BUILTIN = ["modules.builtin", "modules.builtin.modinfo"]
# KCSAN: what the command line says applies to the kernel's own objects only, not to
# those of a module that is built later.
VARIABLES = {"kcsan": ["KCSAN_SANITIZE=n"]}


def version():
    """Of the source package that apt would fetch."""
    shown = subprocess.run(["apt-cache", "policy", PACKAGE], capture_output=True, text=True, check=False).stdout
    match = re.search(r"Candidate: (\d\S*)", shown)
    if not match:
        raise cache.Error(f"apt knows of no {PACKAGE}: apt-get update")
    return match.group(1)


def configs(name):
    return [MACHINE, FOLDER / f"{name}.config"]


def folder(name, say):
    """The cache's folder of it: vmlinux (a bzImage), lib/modules/RELEASE, build/ (KDIR)."""
    texts = [config.read_bytes() for config in configs(name)]
    key = cache.digest(version(), *texts, pathlib.Path(__file__).read_bytes())
    return cache.entry(f"kernel-{name}", key, lambda aside: build(name, aside, say))


def release(tree):
    (only,) = (tree / "lib" / "modules").iterdir()
    return only.name


def build(name, aside, say):
    log = cache.root() / f"kernel-{name}.log"
    say(f"building the kernel {name}, which takes some minutes; see {log}")
    with open(log, "wb") as out:
        def run(*command, where=aside):
            if subprocess.run(command, cwd=where, stdout=out, stderr=subprocess.STDOUT, check=False).returncode:
                raise cache.Error(f"the kernel {name}: {' '.join(command)} failed, see {log}")

        run("apt-get", "-qq", "-o", f"APT::Sandbox::User={os.getuid()}", "download", f"{PACKAGE}={version()}")
        (deb,) = aside.glob("*.deb")
        run("dpkg", "-x", deb.name, "deb")
        source = aside / "build"
        source.mkdir()
        run("tar", "-xf", f"deb/usr/src/{PACKAGE}.tar.xz", "-C", source, "--strip-components=1")
        deb.unlink()
        shutil.rmtree(aside / "deb")
        configure(configs(name), source, run)
        run("make", f"-j{len(os.sched_getaffinity(0))}", *VARIABLES.get(name, []), "bzImage", "modules", where=source)
    keep(aside, source)


def configure(files, source, run):
    """The files on top of tinyconfig; an option that was not taken is a mistake in them."""
    run("make", "tinyconfig", where=source)
    run("scripts/kconfig/merge_config.sh", "-m", ".config", *map(str, files), where=source)
    run("make", "olddefconfig", where=source)
    taken = set((source / ".config").read_text().splitlines())
    wanted = [line for file in files for line in file.read_text().splitlines()]
    missing = [line for line in wanted if line.startswith("CONFIG_") and line not in taken]
    if missing:
        raise cache.Error(f"{', '.join(file.name for file in files)}: not taken by this kernel: {' '.join(missing)}")


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
