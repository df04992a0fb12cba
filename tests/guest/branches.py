#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""branches.py ELF TEXT NAME: judges `perf script -F ip,brstack` of `perf record -b`.

ELF is linked at a fixed address, so its disassembly is the truth: every FROM is a
branch, every direct branch goes to its target, every return to the instruction after
a call, and from each TO control runs straight to the next FROM, the last to the
sampled IP. One ok or not ok line.
"""
import collections
import re
import subprocess
import sys

BRANCH = re.compile(r"j|call|ret|syscall|loop")
ENDS = re.compile(r"jmp|call|ret|hlt|ud2")


def disassemble(elf):
    """{address: (mnemonic, direct target or None)} and {address: next address}."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", elf], check=True,
                          capture_output=True, text=True).stdout
    insn, order = {}, []
    for m in re.finditer(r"^\s+([0-9a-f]+):\t(?:(?:bnd|notrack|repz|cs|data16) )*(\S+)\s*(\S*)",
                         text, re.M):
        target = int(m[3], 16) if re.fullmatch(r"[0-9a-f]+", m[3]) else None
        insn[int(m[1], 16)] = (m[2], target)
        order.append(int(m[1], 16))
    return insn, dict(zip(order, order[1:]))


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


def main():
    elf, path, name = sys.argv[1:]
    insn, after = disassemble(elf)
    returns = {after[a] for a, (op, _) in insn.items() if op.startswith("call") and a in after}
    count, bad = collections.Counter(), []
    for line in open(path):
        found = re.findall(r"0x([0-9a-f]+)/0x([0-9a-f]+)/", line)
        if not found:
            continue
        entries = [(int(a, 16), int(b, 16)) for a, b in reversed(found)]
        count["samples"] += 1
        count["entries"] += len(entries)
        count["inside"] += sum(a in insn for a, _ in entries)
        bad += faults(insn, after, returns, entries, int(line.split()[0], 16))
    # entries that lie outside the disassembly prove nothing
    good = count["samples"] >= 100 and count["inside"] > 0.95 * count["entries"] and not bad
    print(f"{'ok' if good else 'not ok'} - {name} # " +
          ", ".join(f"{n} {k}" for k, n in count.items()) + f", {len(bad)} bad")
    for line in bad[:8]:
        print("#", line)
    sys.exit(0 if good else 1)


main()
