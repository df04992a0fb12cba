# SPDX-License-Identifier: GPL-2.0
"""Packages of Debian's other releases, with all that they depend on, C library included.

They come from that release's archive (../debapt) and are unpacked into a folder of the cache;
nothing is installed. The programs are of a release whose C library this machine may not have, so
each is started by the loader and with the libraries that came with it.
"""

import os
import pathlib
import re
import shutil
import struct
import subprocess

from . import cache

DEBAPT = pathlib.Path(__file__).resolve().parents[1] / "debapt"
HEADERS = "linux-headers-cloud-amd64"

# A merged /usr, as the releases have it; older packages still name the places in front.
LINKS = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib64": "usr/lib64"}
LIBRARIES = "usr/lib/x86_64-linux-gnu"
LOADER = "usr/lib64/ld-linux-x86-64.so.2"
# These folders are not needed.
LEFT_OUT = ["usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info"]
# What packages want to be installed with is not needed to unpack them.
AS_IF_INSTALLED = ["initramfs-tools", "linux-base", "kmod", "debconf"]
PT_INTERP = 3


class Archive:
    """Debian's archive of a release or of its backports."""

    def __init__(self, suite):
        self.suite = suite
        self.config = None

    def look(self, refresh=False):
        words = [DEBAPT, *(["--refresh"] if refresh else []), self.suite]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise cache.Error(f"Debian's archive of {self.suite}: {done.stderr.strip()}")
        self.config = done.stdout.strip()

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env={**os.environ, "APT_CONFIG": self.config, "LC_ALL": "C"})
        if done.returncode:
            raise cache.Error(f"{' '.join(command)}, from {self.suite}: {done.stderr.strip() or 'failed'}")
        return done.stdout

    def newest(self):
        """(release, package version) of the newest cloud kernel in it, and of what is built
        from the same source. apt takes a second
        to say so, and says the same until the index is fetched again."""
        index = pathlib.Path(self.config).with_name("fetched")
        said = index.with_name("newest")
        if not said.exists() or said.stat().st_mtime_ns <= index.stat().st_mtime_ns:
            aside = said.with_name(f"newest.{os.getpid()}")
            aside.write_text(" ".join(self._ask_newest()))
            aside.rename(said)
        return said.read_text().split()

    def _ask_newest(self):
        shown = self.run("apt-cache", "show", "--no-all-versions", HEADERS)
        match = re.search(r"^Depends:.*\blinux-headers-(\d[^ ]*) \(= ([^)]*)\)", shown, re.MULTILINE)
        if not match:
            raise cache.Error(f"{HEADERS} of {self.suite} names no kernel")
        return match.groups()


def entry(suite, make):
    """make(archive) returns what it makes of the newest packages; it is asked again with a new index if the
    archive has moved on since its index was fetched."""
    archive = Archive(suite)
    archive.look()
    try:
        return make(archive)
    except cache.Error:
        archive.look(refresh=True)
        return make(archive)


def digest(*files):
    """Of the cache's place and the files' text: programs get the absolute paths of their libraries."""
    return cache.digest(str(cache.root()), *(pathlib.Path(file).read_bytes() for file in (__file__, *files)))[:12]


def unpack(aside, archive, *packages):
    """Fills the folder with the packages and what they depend on."""
    for name, target in LINKS.items():
        (aside / target).mkdir(parents=True)
        (aside / name).symlink_to(target)
    debs = aside / "debs"
    (debs / "partial").mkdir(parents=True)
    status = aside / "status"
    status.write_text("".join(
        f"Package: {name}\nStatus: install ok installed\nArchitecture: all\nMulti-Arch: foreign\nVersion: 99999\n\n"
        for name in AS_IF_INSTALLED))
    archive.run("apt-get", "-y", "-o", f"Dir::State::status={status}", "-o", f"Dir::Cache::archives={debs}",
                "--download-only", "install", *packages)
    for deb in sorted(debs.glob("*.deb")):
        # dpkg -x would replace the links by folders
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as unpacked:
            subprocess.run(["tar", "-x", "--keep-directory-symlink", "-C", aside], stdin=unpacked.stdout, check=True)
    shutil.rmtree(debs)
    status.unlink()
    for name in LEFT_OUT:
        shutil.rmtree(aside / name, ignore_errors=True)
    fix_links(aside)


def fix_links(aside):
    """A link to a file by its installed place leads to it in the folder."""
    for link in aside.rglob("*"):
        if link.is_symlink() and os.readlink(link).startswith("/"):
            target = aside / os.readlink(link).lstrip("/")
            link.unlink()
            link.symlink_to(os.path.relpath(target, link.parent.resolve()))


def programs(aside):
    """ELF files that ask for a loader; some libraries do too."""
    return [path for path in (aside / "usr").rglob("*")
            if path.is_file() and not path.is_symlink() and ".so" not in path.name
            and os.access(path, os.X_OK) and wants_loader(path)]


def wants_loader(path):
    with open(path, "rb") as file:
        head = file.read(64)
        if head[:5] != b"\x7fELF\x02":
            return False
        (offset,) = struct.unpack_from("<Q", head, 0x20)
        size, count = struct.unpack_from("<HH", head, 0x36)
        file.seek(offset)
        table = file.read(size * count)
    return any(struct.unpack_from("<I", table, i * size)[0] == PT_INTERP for i in range(count))


def start_by_loader(path, aside, final):
    """Makes the program a script that starts it; what it starts itself it finds beside it."""
    own = path.with_name(f".{path.name}.elf")
    path.rename(own)
    path.write_text("#!/bin/sh\n"
                    f"PATH={final}/usr/bin:$PATH exec {final}/{LOADER} --library-path {final}/{LIBRARIES} "
                    f'{final}/{own.relative_to(aside)} "$@"\n')
    path.chmod(0o755)
