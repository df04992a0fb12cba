#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges call chains in the text of `perf script` by the known call tree of the program.

TRUTH is the prefix of a generated tree's functions (see gen-tree), or chains written
out, leaf first: "c b a main, z y main".

chains.py judge [OPTIONS] TRUTH TEXT NAME
    one ok or not ok line: at least --least PERCENT (99) of the samples show exactly the
    true chain of their leaf, then --tail N (3) frames of the C library's start code, the
    last of which is called --entry NAME (_start; '' for any), and no sample shows a wrong
    chain. Neither wrong nor exact: a chain that ends early, and a leaf in the kernel,
    where a late interrupt finds the program. --comm COMM selects the samples of these
    tasks. With --elf FILE, frames are identified only by their address, of which perf
    prints the offset in the file; FILE is the unstripped twin with the symbols.

chains.py same TRUTH TEXT TEXT NAME
    one ok or not ok line: both show the same chains in the same proportions.
"""
import argparse
import bisect
import collections
import itertools
import re
import subprocess
import sys

FRAME = re.compile(r"^\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)(?: \[by frame pointer\])?$")

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


class Tree:
    """A generated tree: the name of a function is its chain, down from it to main."""

    def __init__(self, prefix):
        self.node = re.compile(rf"^{prefix}(_\d+)+$")

    def chain(self, name):
        if name == "main":
            return [name]
        if not self.node.match(name):
            return None
        parts = name.split("_")
        return ["_".join(parts[:n]) for n in range(len(parts), 1, -1)] + ["main"]


class Lines:
    """Chains written out, leaf first: "c b a main, z y main"."""

    def __init__(self, text):
        chains = [line.split() for line in text.split(",")]
        self.chains = {c[i]: c[i:] for c in chains for i in range(len(c))}

    def chain(self, name):
        return self.chains.get(name)


class Judge:
    """truth: Tree or Lines; below it `tail` frames of the C library's start code, the
    last of them called `entry` where that has a name in its dynamic symbols."""

    def __init__(self, truth, tail, entry):
        self.truth, self.tail, self.entry = truth, tail, entry

    def verdict(self, frames):
        """exact, short, kernel, wrong, or outside: the leaf is no function of the truth."""
        user = list(itertools.dropwhile(lambda f: f[0] == KERNEL, frames))
        if len(user) < len(frames):
            return "wrong" if user and self.verdict(user) == "wrong" else "kernel"
        names = [n for n, _ in frames]
        if not names:
            return "outside"
        true = self.truth.chain(names[0])
        if not true:
            # what a function of the program calls beyond the truth may be below it,
            # but then the rest of the chain has to be right
            inner = next((i for i, n in enumerate(names) if self.truth.chain(n)), None)
            wrong = inner is not None and self.verdict(frames[inner:]) == "wrong"
            return "wrong" if wrong else "outside"
        if names[:len(true)] != true:
            return "short" if names == true[:len(names)] else "wrong"
        rest = names[len(true):]
        if len(rest) > self.tail or any(map(self.truth.chain, rest)):
            return "wrong"
        if self.entry and self.entry in rest[:self.tail - 1]:
            return "wrong"
        if len(rest) < self.tail:
            return "short"
        return "exact" if not self.entry or rest[-1] == self.entry else "wrong"


def fold(path, truth):
    count = collections.Counter()
    for frames in samples(path):
        names = [n for n, _ in frames]
        if names and truth.chain(names[0]):
            keep = names.index("main") + 1 if "main" in names else len(names)
            count[" ".join(names[:keep])] += 1
    return count


def judge(args):
    judging = Judge(args.truth, args.tail, args.entry)
    symbols = Symbols(args.elf) if args.elf else None
    count, bad = collections.Counter(), collections.Counter()
    for frames in samples(args.text[0], args.comm, symbols):
        v = judging.verdict(frames)
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


def same(args):
    a, b = (fold(t, args.truth) for t in args.text)
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
    top = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    sub = top.add_subparsers(dest="verb", required=True)
    j = sub.add_parser("judge")
    j.add_argument("--elf")
    j.add_argument("--comm")
    j.add_argument("--least", type=float, default=99.0)
    j.add_argument("--tail", type=int, default=3)
    j.add_argument("--entry", default="_start")
    s = sub.add_parser("same")
    for p, n in ((j, 1), (s, 2)):
        p.add_argument("truth", type=lambda t: Lines(t) if " " in t else Tree(t))
        p.add_argument("text", nargs=n)
        p.add_argument("name")
    args = top.parse_args()
    try:
        sys.exit(0 if {"judge": judge, "same": same}[args.verb](args) else 1)
    except OSError as error:
        sys.exit(f"chains.py: {error}")


main()
