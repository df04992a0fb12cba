#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""callers.py ELF PREFIX NAME: does the machine code of a generated tree have the calls of its names?

Each function PREFIX_... is called only by the function in its name (at two places where the
compiler made two copies of one line), or through a pointer of its own; nothing jumps into another
function. One ok or not ok line.
"""
import collections
import re
import subprocess
import sys


def main():
    elf, prefix, name = sys.argv[1:]
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", elf], check=True,
                          capture_output=True, text=True).stdout
    functions, callers, bad = set(), collections.defaultdict(set), []
    indirect, where = set(), None
    for line in text.splitlines():
        m = re.match(r"[0-9a-f]+ <(\S+)>:", line)
        if m:
            where = m[1]
            functions.add(where)
            continue
        m = re.match(r"\s+[0-9a-f]+:\t(?:(?:notrack|bnd) )?(call|j\w+)\s+(\S+)(?: <([^+>]+)(\+0x\w+)?>)?", line)
        if not m or where is None:
            continue
        op, operand, target = m[1], m[2], m[3]
        if op == "call" and target:
            callers[target].add(where)
        elif op == "call":
            indirect.add(where)
        elif re.match(rf"(main$|{prefix}_)", where) and (target != where or operand.startswith("*")):
            bad.append(f"{where} jumps: {line.strip()}")
    nodes = [f for f in functions if re.fullmatch(rf"{prefix}(_\d+)+", f)]
    # one pointer p_NAME for each function that is called indirectly
    pointers = subprocess.run(["nm", elf], check=True, capture_output=True, text=True).stdout
    taken = set(re.findall(rf" p_({prefix}(?:_\d+)+)$", pointers, re.M))
    pointed = set()
    for f in nodes:
        parent = f.rsplit("_", 1)[0] if f.count("_") > 1 else "main"
        if f in taken:
            pointed.add(parent)
            if callers[f]:
                bad.append(f"{f} is called directly too, in {callers[f]}")
        elif callers[f] != {parent}:
            bad.append(f"{f} is called in {callers[f]}, not in {parent}")
    bad += [f"{f} calls through a pointer that is not a child's"
            for f in (indirect - pointed) & {"main", *nodes}]
    good = len(nodes) > 100 and len(taken) > 20 and not bad
    print(f"{'ok' if good else 'not ok'} - {name} # {len(nodes)} functions, {len(taken)} by pointer")
    for line in bad[:8]:
        print("#", line)
    sys.exit(0 if good else 1)


main()
