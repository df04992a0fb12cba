# SPDX-License-Identifier: GPL-2.0
"""The guest's kernel: Debian's cloud image, as it is, of the headers that are installed;
by the name of its series, one of another release (debian_kernel.py); or, by the name of
debug or kcsan, one that checks itself (debug_kernel.py).

The module is built against the installed headers, so these decide; the image of
the very same package version is downloaded and unpacked, never installed.
"""

import os
import pathlib
import re
import subprocess

from . import bzimage, cache, debian_kernel, debian_perf, debian_release, debug_kernel

HEADERS = re.compile(r"linux-headers-(\d[^ ]*-cloud-amd64)$")


class Kernel:
    """release: as uname -r says; vmlinux: the path of the image; tree: where lib/modules/RELEASE
    is; kdir: what modules are built against; patience: how much longer things take on it."""

    def __init__(self, release, tree, kdir, patience=1):
        self.release = release
        self.tree = tree
        self.kdir = kdir
        self.patience = patience
        self.vmlinux = tree / "vmlinux"

    def image(self):
        """The path of the bzImage."""
        for path in (f"boot/vmlinuz-{self.release}", f"lib/modules/{self.release}/vmlinuz"):
            if (self.tree / path).exists():
                return self.tree / path
        raise cache.Error(f"there is no packed image of {self.release}")

    def module(self, build):
        """Where the Makefile puts our module for this kernel."""
        return build / "kmod" / self.kdir.parent.name / "lbrscope.ko"


def headers():
    """(release, package version) of the newest cloud headers that are installed."""
    listed = subprocess.run(
        ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version} ${Package}\n", "linux-headers-*-cloud-amd64"],
        capture_output=True, text=True, check=False).stdout
    best = None
    for line in listed.splitlines():
        status, version, package = line.split()
        match = HEADERS.match(package)
        if status != "installed" or not match:
            continue
        if best is None or newer(version, best[1]):
            best = (match.group(1), version)
    if best is None:
        raise cache.Error("no linux-headers-*-cloud-amd64 is installed: run tests/lab/setup demo")
    return best


def newer(one, other):
    return subprocess.run(["dpkg", "--compare-versions", one, "gt", other], check=False).returncode == 0


def stock(_say):
    release, version = headers()
    tree = cache.entry("kernel", f"{release}_{version}", lambda folder: unpack(folder, release, version))
    return Kernel(release, tree, pathlib.Path("/lib/modules") / release / "build")


def debug(name):
    def get(say):
        tree = debug_kernel.folder(name, say)
        return Kernel(debug_kernel.release(tree), tree, tree / "build", patience=6)
    return get


def of_suite(series, suite):
    def get(say):
        if series not in others():
            return stock(say)
        tree, release = debian_kernel.folder(suite, say)
        return Kernel(release, tree, tree / "lib" / "modules" / release / "build")
    return get


# The newest kernel of each of Debian's archives, by the series that it is of.
SUITES = {"5.10": "bullseye", "6.1": "bookworm", "6.12": "trixie", "7.x": "trixie-backports"}

def others():
    """The names of Debian's kernels that are not the default one."""
    default = headers()[0]
    return [series for series in SUITES if not default.startswith(f"{series}.")]


def refresh():
    for series in others():
        debian_release.Archive(SUITES[series]).look(refresh=True)


def perf(series, say):
    """The path of the perf of that kernel's source."""
    if series not in SUITES:
        raise cache.Error(f"there is no perf of the kernel {series}: there are {', '.join(SUITES)}")
    return debian_perf.program(SUITES[series], say)


# By the name that --kernel or LAB_KERNEL gives.
KERNELS = {"stock": stock, **{series: of_suite(series, suite) for series, suite in SUITES.items()},
           "debug": debug("debug"), "kcsan": debug("kcsan")}


def unpack(folder, release, version):
    package = f"linux-image-{release}={version}"
    # apt's own user may not write to the user's cache folder.
    got = subprocess.run(["apt-get", "-qq", "-o", f"APT::Sandbox::User={os.getuid()}", "download", package],
                         cwd=folder, capture_output=True, text=True, check=False)
    if got.returncode:
        raise cache.Unreachable(f"cannot download {package}: {got.stderr.strip() or 'apt-get failed'}; "
                                "if the archive has moved on: apt-get update && apt-get install linux-headers-cloud-amd64")
    (deb,) = folder.glob("*.deb")
    subprocess.run(["dpkg", "-x", deb.name, "."], cwd=folder, check=True)
    deb.unlink()
    packed = (folder / "boot" / f"vmlinuz-{release}").read_bytes()
    (folder / "vmlinux").write_bytes(bzimage.vmlinux(packed))
