#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""compare.py PERF OURS [--lbr]

Compares the text of `lbrctl script` with that of `perf script` of the same file, and prints the
number of compared samples and frames. Status 1 at the first difference, except these:

- where perf prints [unknown], lbrctl may have a name: "object+0xstart" for a function without one;
  where perf takes PLT stubs for parts of _init, lbrctl may name the stub;
- with --lbr, the first user frame: perf prints the beginning of the leaf function, lbrctl the
  sampled address. It must be in the same function, or in the function that a PLT stub leads to. One
  in fifty may be in another function: a tail call, which the text does not show. If the LBR was
  empty perf prints an address that was not sampled.
"""

import re
import sys

TAIL_CALL = "another leaf function"
FRAME = re.compile(r"\t *([0-9a-f]+) (.*?)(?:\+0x([0-9a-f]+))? \((.*)\)$")


def samples(path):
    """(head, [frame line...]) of each sample."""
    with open(path, encoding="utf-8", errors="replace") as text:
        for block in text.read().split("\n\n"):
            lines = block.strip("\n").split("\n")
            if lines != [""]:
                yield lines[0], lines[1:]


def differ(perf, ours):
    """What is wrong with our frame, or None."""
    if perf == ours:
        return None
    theirs, mine = FRAME.match(perf), FRAME.match(ours)
    if not theirs or not mine:
        return "not a frame"
    if theirs[1] != mine[1]:
        return "another address"
    if theirs[4] != mine[4]:
        # An event of user mode may be taken in the kernel, of which such a capture of perf's has no mapping.
        return None if theirs[1] >= "ffffffff80000000" and theirs[4] == "[unknown]" else "another object"
    if theirs[2] != "[unknown]" and not mine[2].endswith("@plt"):
        return "another name"
    return None


def leaf_differs(perf, ours):
    """As differ(), of the first user frame of an LBR stack."""
    theirs, mine = FRAME.match(perf), FRAME.match(ours)
    if not theirs or not mine:
        return "not a frame"
    if theirs[2] in (mine[2], "[unknown]"):
        return None
    if theirs[2].endswith("@plt") or theirs[2] == "_init":
        return None
    return TAIL_CALL


def is_kernel(frame):
    return frame.lstrip().startswith("ffff")


def main():
    lbr = "--lbr" in sys.argv
    theirs, ours = list(samples(sys.argv[1])), list(samples(sys.argv[2]))
    if len(theirs) != len(ours):
        sys.exit(f"{len(theirs)} samples in perf's text, {len(ours)} in ours")
    frames = leaves = tail_calls = 0
    for number, ((head, perf_frames), (our_head, our_frames)) in enumerate(zip(theirs, ours)):
        where = f"sample {number} ({head.strip()})"
        if head != our_head:
            sys.exit(f"{where}: the head is {our_head!r}")
        if len(perf_frames) != len(our_frames):
            sys.exit(f"{where}: {len(perf_frames)} frames in perf's, {len(our_frames)} in ours")
        leaf_seen = False
        for perf, mine in zip(perf_frames, our_frames):
            first_user = lbr and not leaf_seen and not is_kernel(mine)
            wrong = leaf_differs(perf, mine) if first_user else differ(perf, mine)
            if wrong == TAIL_CALL and 50 * (tail_calls + 1) <= len(theirs):
                tail_calls += 1
            elif wrong:
                sys.exit(f"{where}: {wrong}: perf {perf.strip()!r}, ours {mine.strip()!r}")
            leaf_seen |= first_user
            leaves += first_user
            frames += 1
    print(f"{len(theirs)} samples, {frames} frames, {leaves} of them LBR leaves, {tail_calls} by a tail call")
    return 0 if frames > len(theirs) else "hardly any frames to compare"


if __name__ == "__main__":
    sys.exit(main())
