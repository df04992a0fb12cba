# SPDX-License-Identifier: GPL-2.0
"""The guest's root: cpio archives, one behind the other, as the kernel takes them.

  base     busybox, bash, kmod, perf if it is installed, the libraries these need, the drivers of
           the ports, PID 1: large, always the same, cached
  project  build/lbrctl, those of its libraries that the base has not, our module for the
           kernel, as dkms installs it: without what is for debuggers; modules.dep
  run      the command and its files
"""

import lzma
import os
import pathlib
import re
import stat
import subprocess
import tempfile

from . import cache

REPO = pathlib.Path(__file__).resolve().parents[3]
INIT_C = pathlib.Path(__file__).resolve().parents[1] / "guest" / "init.c"
WORKDIR = "root/work"

# Debian's merged /usr: everything lives below it, the old names are links.
LINKS = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib64": "usr/lib64"}
FOLDERS = ["dev", "proc", "sys", "tmp", "run", "var/tmp", "etc", "home/user", "root/work", "usr/bin", "usr/sbin",
           "usr/lib", "usr/lib64", "usr/local/bin", "usr/local/sbin", "lab"]
KMOD = ["insmod", "rmmod", "lsmod", "modprobe", "modinfo", "depmod"]
TEXTS = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\n",
    "etc/group": "root:x:0:\nuser:x:1000:\n",
    "etc/hosts": "127.0.0.1 localhost lab\n",
    # perf would copy each program it has met, and the kernel's symbols, at the end of each recording
    "etc/perfconfig": "[record]\n\tbuild-id = no-cache\n",
}
DRIVERS = ["virtio_pci", "virtio_console"]
OURS = "updates/dkms/lbrscope.ko"
# The kernel's own that tests want: the registers by a way that is not ours, a disk, one to
# sleep on, and one that fails.
MODULES = ["kernel/arch/x86/kernel/msr.ko", "kernel/drivers/block/null_blk/null_blk.ko",
           "kernel/fs/configfs/configfs.ko", "kernel/drivers/block/brd.ko", "kernel/drivers/md/dm-mod.ko"]


class Archive:
    """A cpio archive in the making ("newc", Documentation/driver-api/early-userspace/buffer-format.rst)."""

    def __init__(self):
        self.parts = []
        self.known = set()
        self.inode = 0

    def _entry(self, name, mode, data=b"", owner=0):
        self.inode += 1
        path = name.encode() + b"\0"
        fields = [self.inode, mode, owner, owner, 1, 0, len(data), 0, 0, 0, 0, len(path), 0]
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + path
        self.parts += [head, b"\0" * (-len(head) % 4), data, b"\0" * (-len(data) % 4)]

    def folder(self, name, owner=0):
        if name in ("", ".") or name in self.known:
            return
        self.folder(os.path.dirname(name))
        self.known.add(name)
        self._entry(name, stat.S_IFDIR | 0o755, owner=owner)

    def link(self, name, target):
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def data(self, name, data, mode=0o644):
        """The same name again is left as it was first given: libraries are shared."""
        if name in self.known:
            return
        self.folder(os.path.dirname(name))
        self.known.add(name)
        self._entry(name, stat.S_IFREG | mode, data)

    def file(self, name, path):
        mode = 0o755 if os.access(path, os.X_OK) else 0o644
        self.data(name, pathlib.Path(path).read_bytes(), mode)

    def bytes(self):
        self._entry("TRAILER!!!", 0)
        return b"".join(self.parts)


def inside(path):
    """Where a file of the host lies in the guest: its name, below /usr."""
    name = os.path.normpath(path).lstrip("/")
    top, _, rest = name.partition("/")
    return f"{LINKS[top]}/{rest}" if top in LINKS else name


def libraries(program):
    """Paths of what the loader maps for a program; none for a static one."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    missing = re.findall(r"(\S+) => not found", listed)
    if missing:
        raise cache.Error(f"{program} needs {', '.join(missing)}: run tests/lab/setup demo")
    return re.findall(r"(/\S+) \(0x", listed)


def program(archive, path, name=None):
    archive.file(name or inside(path), path)
    for library in libraries(path):
        archive.file(inside(library), library)


def find(name):
    for folder in ("/usr/bin", "/usr/sbin", "/bin", "/sbin"):
        path = f"{folder}/{name}"
        if os.path.exists(path):
            return path
    raise cache.Error(f"there is no {name} here: run tests/lab/setup demo")


def optional():
    """Programs that only the tests need."""
    return [name for name in ("perf",) if os.path.exists(f"/usr/bin/{name}")]


def driver_paths(kernel):
    """Files of the drivers in the order in which they have to be loaded."""
    subprocess.run(["depmod", "-b", kernel.tree, kernel.release], check=True)
    paths = []
    for driver in DRIVERS:
        shown = subprocess.run(["modprobe", "-d", kernel.tree, "-S", kernel.release, "--show-depends", driver],
                               capture_output=True, text=True, check=True).stdout
        paths += [line.split()[1] for line in shown.splitlines() if line.startswith("insmod")]
    return list(dict.fromkeys(paths))


def module(path):
    """A module's content; newer kernels come with packed ones."""
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def make_base(folder, kernel):
    archive = Archive()
    for name, target in LINKS.items():
        archive.link(name, target)
    for name in FOLDERS:
        archive.folder(name, 1000 if name == "home/user" else 0)
    for name, text in TEXTS.items():
        archive.data(name, text.encode())

    init = folder / "init"
    subprocess.run(["gcc", "-O2", "-static", "-o", init, INIT_C], check=True)
    archive.file("init", init)
    for name in ("bash", *optional()):
        program(archive, find(name), f"usr/bin/{name}")
    program(archive, find("kmod"), "usr/bin/kmod")
    for name in KMOD:
        archive.link(f"usr/sbin/{name}", "../bin/kmod")
    busybox = find("busybox")
    if libraries(busybox):
        raise cache.Error(f"{busybox} is not static: run tests/lab/setup demo")
    archive.file("usr/bin/busybox", busybox)
    for name in subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split():
        if name not in KMOD and name != "busybox":
            archive.link(f"usr/bin/{name}", "busybox")

    names = []
    for path in driver_paths(kernel):
        name = "lab/" + os.path.basename(path).removesuffix(".xz")
        archive.data(name, module(pathlib.Path(path)))
        names.append(f"/{name}\0")
    archive.data("lab/drivers", "".join(names).encode())
    (folder / "names").write_text("\n".join(sorted(archive.known)))
    (folder / "base.cpio").write_bytes(archive.bytes())


def base(kernel):
    """The path of the base archive."""
    programs = [find(name) for name in ("bash", "kmod", "busybox", *optional())]
    key = cache.digest(kernel.tree.name, pathlib.Path(__file__).read_bytes(), INIT_C.read_bytes(),
                       *(cache.stamp(path) for path in programs),
                       *(cache.stamp(path) for name in programs for path in libraries(name)))
    return cache.entry("initramfs", key, lambda folder: make_base(folder, kernel)) / "base.cpio"


def project(kernel, below):
    """The archive with what this tree has built so far; a guest without module and tool is one too.
    It lies behind the base archive "below"."""
    archive = Archive()
    archive.known.update(below.with_name("names").read_text().split("\n"))
    tool = REPO / "build" / "lbrctl"
    own = kernel.tree / "lib/modules" / kernel.release
    drivers = {OURS: [kernel.module(REPO / "build")],
               **{name: [own / name, own / f"{name}.xz"] for name in MODULES}}
    modules = f"usr/lib/modules/{kernel.release}"
    if tool.exists():
        program(archive, tool, "usr/bin/lbrctl")
    with tempfile.TemporaryDirectory() as scratch:
        tree = pathlib.Path(scratch) / "lib" / "modules" / kernel.release
        tree.mkdir(parents=True)
        for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
            (tree / name).write_bytes((own / name).read_bytes() if name != "modules.order" else b"")
        for name, paths in drivers.items():
            for path in filter(pathlib.Path.exists, paths):
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / name).write_bytes(module(path))
                if name == OURS:
                    subprocess.run(["strip", "--strip-debug", tree / name], check=True)
                archive.file(f"{modules}/{name}", tree / name)
        subprocess.run(["depmod", "-b", scratch, kernel.release], check=True)
        for path in sorted(tree.glob("modules.*")):
            archive.file(f"{modules}/{path.name}", path)
    return archive.bytes()


def run(command, put, get):
    """The archive of one run: the command's words, files to land, names to bring back."""
    archive = Archive()
    for path in put:
        archive.file(f"{WORKDIR}/{os.path.basename(path)}", path)
    archive.data("lab/command", "".join(f"{word}\0" for word in command).encode(errors="surrogateescape"))
    archive.data("lab/get", "".join(f"{name}\0" for name in get).encode(errors="surrogateescape"))
    return archive.bytes()
