#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""branches.py [OPTIONS] ELF TEXT NAME: judges `perf script -F ip,brstack` of branch records.

ELF is linked at a fixed address, so its disassembly is the truth: every FROM is a
branch, every direct branch goes to its target, every return to the instruction after
a call, and from each TO control runs straight to the next FROM, the last to the
sampled IP. One ok or not ok line.

--only KIND   recorded through a filter, by perf's name for -j: every FROM is of that kind
--jumps       filters of calls also pass the jumps of the same form
--depth N     no sample has more entries than N, and nearly all have exactly N
--types       each entry names the kind of its branch
--even        the program loops, and takes all its branches of that kind once: they have
              the same frequency in each sample, except the one below
--guess NAME  only the branch at symbol NAME goes either way at random: only its entries
              are marked as mispredicted, a quarter to three quarters of them
--missed      samples are taken at mispredicted branches: an entry that leads to the
              sampled IP has that mark
"""
import argparse
import collections
import re
import subprocess
import sys

BRANCH = re.compile(r"j|call|ret|syscall|loop")
ENDS = re.compile(r"jmp|call|ret|hlt|ud2")
ENTRY = re.compile(r"0x([0-9a-f]+)/0x([0-9a-f]+)/([MP-])/.?/.?/[0-9]*/?(\w*)")

# what perf calls the kinds of branches that each filter lets through
FILTERS = {
    "any_call": ("CALL", "IND_CALL", "SYSCALL"),
    "any_ret": ("RET", "SYSRET"),
    "cond": ("COND",),
    "ind_call": ("IND_CALL",),
    "ind_jmp": ("IND",),
    "call": ("CALL",),
}
JUMPS = {"CALL": "UNCOND", "IND_CALL": "IND"}


def disassemble(elf):
    """{address: (mnemonic, direct target or None)} and {address: next address}."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", elf], check=True,
                          capture_output=True, text=True).stdout
    insn, order = {}, []
    for m in re.finditer(r"^\s+([0-9a-f]+):\t(?:(?:bnd|notrack|repz|cs|data16) )*(\S+)[ \t]*(\S*)",
                         text, re.M):
        target = int(m[3], 16) if re.fullmatch(r"[0-9a-f]+", m[3]) else None
        insn[int(m[1], 16)] = (m[2], target)
        order.append(int(m[1], 16))
    return insn, dict(zip(order, order[1:]))


def kind(op, direct):
    """perf's name for a branch."""
    if op.startswith("call"):
        return "IND_CALL" if direct is None else "CALL"
    if op.startswith("jmp"):
        return "IND" if direct is None else "UNCOND"
    if op.startswith("syscall"):
        return "SYSCALL"
    return "RET" if op.startswith("ret") else "COND"


def straight(insn, after, start, end):
    """True when nothing between start and end has to leave the line."""
    at = start
    while at != end:
        if at not in insn or ENDS.match(insn[at][0]) or at > end:
            return False
        at = after.get(at)
    return True


def faults(insn, after, returns, entries, ip):
    """What is wrong with one sample; entries oldest first."""
    for i, (source, target) in enumerate(entries):
        if source not in insn:
            continue
        op, direct = insn[source]
        if not BRANCH.match(op):
            # an exception or an interrupt leaves from any instruction, to the kernel
            if target in insn:
                yield f"{source:#x} is {op}, no branch"
        elif direct is not None and direct != target:
            yield f"{source:#x} {op} goes to {target:#x}"
        elif op.startswith("ret") and target in insn and target not in returns:
            yield f"{source:#x} returns to {target:#x}, which follows no call"
        stop = entries[i + 1][0] if i + 1 < len(entries) else ip
        if target in insn and stop in insn and not straight(insn, after, target, stop):
            yield f"no straight line from {target:#x} to {stop:#x}"


class Judge:
    def __init__(self, args):
        self.args = args
        self.insn, self.after = disassemble(args.elf)
        self.returns = {self.after[a] for a, (op, _) in self.insn.items()
                        if op.startswith("call") and a in self.after}
        self.guess = symbol(args.elf, args.guess) if args.guess else None
        self.wanted = set(FILTERS.get(args.only, ()))
        if args.jumps:
            self.wanted |= {JUMPS[name] for name in self.wanted if name in JUMPS}
        # the end of the program is no part of its round
        self.sites = [a for a, (op, _) in self.insn.items() if BRANCH.match(op) and
                      not op.startswith("syscall") and a != self.guess and
                      self.kind(a) in self.wanted]
        self.count = collections.Counter()
        self.missed = collections.Counter()
        self.bad = []

    def kind(self, source):
        return kind(*self.insn[source]) if BRANCH.match(self.insn[source][0]) else "other"

    def sample(self, ip, entries):
        """entries, oldest first: (from, to, flag, type)."""
        inside = [e for e in entries if e[0] in self.insn]
        self.count["samples"] += 1
        self.count["entries"] += len(entries)
        self.count["inside"] += len(inside)
        if self.args.only:
            self.filtered(inside)
        else:
            self.bad += faults(self.insn, self.after, self.returns, [e[:2] for e in entries], ip)
        if self.args.types:
            self.bad += [f"{e[0]:#x} is {self.kind(e[0])}, told as {e[3] or 'nothing'}"
                         for e in inside if e[3] != self.kind(e[0])]
        if self.args.depth:
            self.count["full"] += len(entries) == self.args.depth
            if len(entries) > self.args.depth:
                self.bad.append(f"{len(entries)} entries")
        if self.args.even:
            each = dict.fromkeys(self.sites, 0)
            for source in (e[0] for e in inside if e[0] in each):
                each[source] += 1
            if max(each.values()) - min(each.values()) > 1:
                self.bad.append("not even: " + ", ".join(f"{n} x {a:#x}" for a, n in each.items()))
        self.flags(ip, entries, inside)

    def filtered(self, inside):
        for source, target, _, _ in inside:
            op, direct = self.insn[source]
            if self.kind(source) not in self.wanted:
                self.bad.append(f"{source:#x} is {op}")
            elif direct not in (None, target):
                self.bad.append(f"{source:#x} {op} goes to {target:#x}")

    def flags(self, ip, entries, inside):
        for source, _, flag, _ in inside:
            self.missed[source == self.guess, flag] += 1
        if self.args.missed and entries:
            source, target, flag, _ = entries[-1]
            if target == ip:
                self.count["ends"] += 1
                if flag != "M":
                    self.bad.append(f"{source:#x} leads to a miss at {ip:#x}, told as {flag}")

    def verdict(self):
        """Why the whole is not to be believed."""
        count, missed = self.count, self.missed
        if count["samples"] < 100:
            yield "too few samples"
        # entries that lie outside the disassembly prove nothing
        if count["inside"] <= 0.95 * count["entries"] or not count["inside"]:
            yield "too many entries outside the program"
        # a task that was just switched in has none yet
        if self.args.depth and count["full"] < 0.95 * count["samples"]:
            yield f"too few samples with {self.args.depth} entries"
        if self.args.missed and not count["ends"]:
            yield "no sample ends in a branch"
        if self.args.guess and self.args.only in (None, "cond"):
            hit, miss = missed[True, "P"], missed[True, "M"]
            if not hit + miss or not 0.25 < miss / (hit + miss) < 0.75:
                yield f"the guess is missed {miss} times, right {hit} times"
            hit, miss = missed[False, "P"], missed[False, "M"]
            if miss > 0.01 * hit:
                yield f"others are missed {miss} times, right {hit} times"


def symbol(elf, name):
    text = subprocess.run(["nm", elf], check=True, capture_output=True, text=True).stdout
    return int(re.search(rf"^([0-9a-f]+) \w {name}$", text, re.M)[1], 16)


def main():
    top = argparse.ArgumentParser(usage=__doc__)
    top.add_argument("--only", choices=FILTERS)
    top.add_argument("--depth", type=int)
    top.add_argument("--guess")
    for flag in ("--types", "--even", "--missed", "--jumps"):
        top.add_argument(flag, action="store_true")
    for name in ("elf", "text", "name"):
        top.add_argument(name)
    args = top.parse_args()
    judge = Judge(args)
    with open(args.text) as text:
        for line in text:
            found = [(int(a, 16), int(b, 16), flag, name) for a, b, flag, name in
                     reversed(ENTRY.findall(line))]
            if found:
                judge.sample(int(line.split()[0], 16), found)
    whole = list(judge.verdict())
    good = not whole and not judge.bad
    print(f"{'ok' if good else 'not ok'} - {args.name} # " +
          ", ".join(f"{n} {k}" for k, n in judge.count.items()) + f", {len(judge.bad)} bad")
    for line in whole + judge.bad[:8]:
        print("#", line)
    sys.exit(0 if good else 1)


main()
