#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges call chains of generated trees (see gen-tree) in the text of `perf script`.

chains.py judge [--elf FILE] [--comm COMM] [--least PERCENT] PREFIX TEXT NAME
    one ok or not ok line: at least PERCENT (99) of the samples show exactly the chain
    that the leaf's name states, main, the C library's start code and _start, and no
    sample shows a wrong one. Not wrong but not exact either: a chain that ends early,
    and a leaf in the kernel, where an interrupt that comes late finds the program.
    With --elf, frames are told by their address alone, of which perf prints the offset
    in the file; FILE is the unstripped twin, whose symbols say what is there.

chains.py same PREFIX TEXT TEXT NAME
    one ok or not ok line: both show the same chains in the same proportions.
"""
import argparse
import bisect
import collections
import itertools
import re
import subprocess
import sys

FRAME = re.compile(r"^\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$")

KERNEL = "(kernel)"


class Symbols:
    """Function of a file offset, by an unstripped twin of the stripped program."""

    def __init__(self, elf):
        def run(*cmd):
            return subprocess.run(cmd, check=True, capture_output=True, text=True).stdout

        text = re.search(r"LOAD +0x([0-9a-f]+) 0x([0-9a-f]+) 0x\S+ 0x([0-9a-f]+) \S+ R E",
                         run("readelf", "-lW", elf))
        offset, vaddr, size = (int(g, 16) for g in text.groups())
        self.end = offset + size
        rows = re.findall(r"^([0-9a-f]+) [tTwW] (\S+)$", run("nm", "-n", elf), re.M)
        self.addr = [int(a, 16) - vaddr + offset for a, _ in rows]
        self.name = [n for _, n in rows]

    def find(self, addr, obj):
        i = bisect.bisect_right(self.addr, addr) - 1
        # other objects' offsets mean nothing here
        return self.name[i] if i >= 0 and addr < self.end and "/tree" in obj else "?"


def samples(path, comm=None, symbols=None):
    """Yields the frames of each sample, leaf first, as (function, object) pairs.
    Frames in the kernel are all called KERNEL."""
    frames, wanted = None, False
    with open(path, errors="replace") as text:
        for line in list(text) + ["\n"]:
            line = line.rstrip("\n")
            if not line:
                if frames is not None and wanted:
                    yield frames
                frames = None
            elif frames is None:
                frames = []
                wanted = comm is None or line.split()[0] == comm
            else:
                m = FRAME.match(line)
                if not m:
                    sys.exit(f"chains.py: {path}: not a frame: {line!r}")
                addr = int(m[1], 16)
                name = symbols.find(addr, m[3]) if symbols else m[2]
                frames.append((KERNEL if addr >> 47 else name, m[3]))


def truth(leaf):
    """The one chain of a function of the tree, down from it to main."""
    parts = leaf.split("_")
    return ["_".join(parts[:n]) for n in range(len(parts), 1, -1)] + ["main"]


def verdict(frames, node):
    """exact, short, kernel, wrong, or outside: the leaf is no function of the tree."""
    user = list(itertools.dropwhile(lambda f: f[0] == KERNEL, frames))
    if len(user) < len(frames):
        return "kernel" if not user or verdict(user, node) != "wrong" else "wrong"
    names = [n for n, _ in frames]
    if not names:
        return "outside"
    if names[0] != "main" and not node.match(names[0]):
        # the tree calls nothing: what is called below it cannot be right
        return "wrong" if any(map(node.match, names)) else "outside"
    true = truth(names[0]) if names[0] != "main" else ["main"]
    if names[:len(true)] != true:
        return "short" if names == true[:len(names)] else "wrong"
    # __libc_start_call_main and __libc_start_main_impl, by whatever name the C
    # library's dynamic symbols give them, then _start
    rest = frames[len(true):]
    if len(rest) > 3 or any(node.match(n) or n == "main" for n, _ in rest):
        return "wrong"
    if len(rest) < 3:
        return "wrong" if any(n == "_start" for n, _ in rest) else "short"
    return "exact" if rest[2][0] == "_start" else "wrong"


def fold(path, node):
    count = collections.Counter()
    for frames in samples(path):
        names = [n for n, _ in frames]
        if names and (names[0] == "main" or node.match(names[0])):
            keep = names.index("main") + 1 if "main" in names else len(names)
            count[" ".join(names[:keep])] += 1
    return count


def judge(args, node):
    symbols = Symbols(args.elf) if args.elf else None
    count, bad = collections.Counter(), collections.Counter()
    for frames in samples(args.text[0], args.comm, symbols):
        v = verdict(frames, node)
        count[v] += 1
        if v in ("wrong", "short"):
            bad[v + ": " + " ".join(n for n, _ in frames)] += 1
    total = sum(count.values())
    share = 100.0 * count["exact"] / total if total else 0.0
    # fewer than 100 samples and the 99 % would mean nothing
    good = total >= 100 and share >= args.least and not count["wrong"]
    say = ", ".join(f"{count[v]} {v}" for v in ("exact", "short", "kernel", "wrong", "outside"))
    print(f"{'ok' if good else 'not ok'} - {args.name} # {total} samples: {say}")
    if not good:
        for text, n in bad.most_common(8):
            print(f"# {n} x {text}")
    return good


def same(args, node):
    a, b = (fold(t, node) for t in args.text)
    na, nb = sum(a.values()), sum(b.values())
    good, notes = na >= 100 and nb >= 100, []
    for chain in sorted(set(a) | set(b)):
        pa, pb = 100.0 * a[chain] / max(na, 1), 100.0 * b[chain] / max(nb, 1)
        # a chain's share is about 0.5 %; the two recordings start at other instructions
        if abs(pa - pb) > 1.0:
            good = False
            notes.append(f"# {pa:.2f} % against {pb:.2f} %: {chain}")
    print(f"{'ok' if good else 'not ok'} - {args.name} # {len(a)} and {len(b)} chains "
          f"in {na} and {nb} samples")
    print("\n".join(notes[:8]), end="\n" if notes else "")
    return good


def main():
    top = argparse.ArgumentParser(usage=__doc__)
    sub = top.add_subparsers(dest="verb", required=True)
    j = sub.add_parser("judge")
    j.add_argument("--elf")
    j.add_argument("--comm")
    j.add_argument("--least", type=float, default=99.0)
    s = sub.add_parser("same")
    for p, n in ((j, 1), (s, 2)):
        p.add_argument("prefix")
        p.add_argument("text", nargs=n)
        p.add_argument("name")
    args = top.parse_args()
    node = re.compile(rf"^{args.prefix}(_\d+)+$")
    sys.exit(0 if {"judge": judge, "same": same}[args.verb](args, node) else 1)


main()
