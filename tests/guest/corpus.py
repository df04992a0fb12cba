#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""corpus.py [OPTIONS] NAME FILE[=TWIN]...

Judges the stacks of programs whose functions name their callers (corpus/, gen-chain): FILE is
`lbrctl export --format json` of a recording; TWIN is the unstripped version of a stripped
program. One ok or not ok line for all FILEs together: no stack is wrong, and at least --least
PERCENT of those whose leaf allows a judgement are right and complete. --depth N: of those whose
thread is not deeper than N calls, nor within a deeper recursion; the others are counted apart.

A stack is wrong if a frame of the program is not the true one, or if it is called complete and
lacks one. Frames of other objects, and tail calls, which are marked, are skipped. Other marked
frames must be right, except in stacks that are called unproved, or marked to rest on a frame
pointer, which are counted apart.
--pointed PERCENT: at least so many have that mark.

--plain: the program makes no tail calls (-O0).
"""
import argparse
import collections
import json
import re
import subprocess
import sys

# The caller of the first of a chain, and of functions outside of chains. END: none; ANY: the kernel.
END, ANY = "(end)", "(any)"
PARENTS = {
    "c_1": "main", "main": END,
    "calm_1": "main", "callbacks": "main", "cb_1": "callbacks", "sort": "cb_4", "compare": "sort", "cmp_1": "compare",
    "ptr_1": "callbacks",
    "recursion": "main", **{f"again{n}": "recursion" for n in (3, 10, 26, 60)},
    **{f"at{n}": f"again{n}" for n in (3, 10, 26, 60)},
    "rest_1": "main", "rested": "rest_4",
    "tails": "main", "left_1": "tails", "left_2": "tails", "left_3": "tails",
    "jumps": "main", "down_1": "jumps", "jump": "down_4", "after_1": "jumps",
    "crossed": "main", "xa_1": "crossed", "ya_1": "crossed", "wx_1": "cross", "wy_1": "cross", "leave": "wx_4",
    "signals": "main", "sig_1": "signals", "hit": "sig_4", "handler": ANY, "hand_1": "handler",
    "coroutines": "main", "swap_1": "coroutines", "first": END, "cone_1": "first", "second": END,
    "ctwo_1": "second",
    "threads": "main", "tone_run": END, "tone_1": "tone_run", "ttwo_run": END, "ttwo_1": "ttwo_run",
    "fork_1": "main", "split": "fork_4", "child_1": "split", "exec_1": "main",
    "objects": "main", "with": "objects", "ln_1": "with", "lm_1": "with", "lm_0": END,
    "made": "main", "jit_1": "made",
    "esc_1": "main", "eagain": "esc_4", "ret_1": "main", "tagain": "ret_4",
    **{f"{p}at_{n}": f"{p}again" for p in "etgmsl" for n in range(1, 13)},
    # of Go (gen-go)
    "gone_1": "gfirst", "gfirst": END, "gtwo_1": "gsecond", "gsecond": END, "gxa_1": "gxrun", "gxrun": END,
    "gya_1": "gywrap", "gywrap": "gyrun", "gyrun": END, "gagain": ("gxa_4", "gya_4"), "mch_1": "mrun", "mrun": END,
    "magain": "mch_4", "pan_1": "guards", "guards": "panics", "safe_1": "panics", "panics": "main", "rescue": ANY,
    "spin_1": "spin", "spin": "srun", "srun": END,
    # of wild.c
    "stop_1": "main", "sagain": "stop_4", "stopped": ANY, "shand_1": "stopped",
    "leap_1": "main", "lagain": "leap_4", "gv_1": "main", "gvm": "gv_4", "gop_1": "gvm",
    "ua_1": "ufirst", "ufirst": END, "ub_1": "usecond", "usecond": END, "um_1": ("umain", "tmain"),
    "umain": "main", "tmain": "main", "uia_1": "ushare", "uib_1": "ushare",
    "ta_1": "tfirst", "tfirst": END, "tb_1": "tsecond", "tsecond": END,
    "twin_first": "ta_4", "twin_second": "tb_4", "tia_1": "twin", "tib_1": "twin",
    # of frames.c
    "kept": "main", "kf_1": "kept", "kin_1": "kf_4", "jkf_1": "kept", "jkin_1": "jkf_4",
    "tiny": "main", "tf_1": "tiny", "jtf_1": "tiny", "nested": "main", "jnf_1": "nested", "nin_1": "jnf_4",
    "nf_1": "nin_4", "nlast_1": "nf_4", "used": "main", "uf_1": "used", "uin_1": "uf_4", "juf_1": "used",
    "juin_1": "juf_4", "mixed": "main", "mf_1": "mixed", "min_1": "mf_4", "jmf_1": "mixed", "jmin_1": "jmf_4",
    "throws": "main", "cast_1": "throws", "guarded": "cast_4", "thrown": "guarded", "caught_1": "throws",
}
CHAINS = {name[:-2] for name in PARENTS if name.endswith("_1")}
# The caller of a function that is called from two places, by the function that it called.
CROSSED = {"cross": {"wx_1": "xa_4", "wy_1": "ya_4"}, "ushare": {"uia_1": "ua_4", "uib_1": "ub_4"},
           "twin": {"tia_1": "twin_first", "tib_1": "twin_second"}}
# Recursive functions with their depth; the name of the leaf states where in the recursion it is.
RECURSIONS = {"eagain": 8, "tagain": 8, "gagain": 12, "magain": 12, "sagain": 8, "lagain": 8}
# Calls of the C library below these.
LIBRARY = {"main": 3, "tone_run": 2, "ttwo_run": 2, "compare": 3}


class Truth:
    def __init__(self, plain):
        self.parents = dict(PARENTS)
        if plain:
            self.parents.update({"left_2": "left_1", "left_3": "left_2"})

    def parent(self, name, inner=None):
        """None: no function of a known caller."""
        if name in CROSSED:
            return CROSSED[name].get(inner, ANY)
        if name in self.parents:
            return self.parents[name]
        m = re.fullmatch(r"([a-z]+)_(\d+)", name)
        return f"{m[1]}_{int(m[2]) - 1}" if m and m[1] in CHAINS and int(m[2]) else None

    def depth(self, name):
        """How many calls deep the thread gets, at most, where this function is the leaf."""
        calls, inner = 0, None
        while name not in (END, ANY):
            repeated = re.fullmatch(r"again(\d+)", name)
            calls += (int(repeated[1]) if repeated else 1) + LIBRARY.get(name, 0)
            name, inner = self.parent(name, inner), name
        return calls - 1

    def judge(self, stack, complete):
        """None if nothing is wrong with the stack, innermost first; else what is."""
        i, inner = 0, None
        while i < len(stack):
            name = stack[i]
            m = re.fullmatch(r"again(\d+)", name)
            told = re.fullmatch(r".at_(\d+)", inner or "")
            if m or name in RECURSIONS:
                k = i
                while k < len(stack) and stack[k] == name:
                    k += 1
                # from the deepest one out it is all of them, if it is not cut off; levels may
                # be missing where outer frames are (lbrctl-accuracy(7))
                all_of_them = complete and (told if not m else inner == f"at{m[1]}") and k < len(stack)
                most = int(m[1]) if m else int(told[1]) if told else RECURSIONS[name]
                if k - i > most or (all_of_them and k - i != most):
                    return f"{name} {k - i} times"
                i = k - 1
            parent, inner = self.parent(name, inner), name
            i += 1
            if parent == END:
                return f"something outside of {name}" if i < len(stack) else None
            if parent == ANY:
                return self.judge(stack[i:], complete) if i < len(stack) else \
                    "complete without what was interrupted" if complete else None
            if i < len(stack) and stack[i] not in (parent if isinstance(parent, tuple) else (parent,)):
                return f"{name} in {stack[i]}"
        return "called complete" if complete else None

    def word(self, frames, complete):
        """elsewhere, wrong, whole or short; the program's own frames; what is wrong."""
        own = [f for f in frames if self.parent(f)]
        if not own:
            return "elsewhere", own, None
        wrong = self.judge(own, complete)
        return "wrong" if wrong else "whole" if complete else "short", own, wrong

def symbols(elf):
    said = subprocess.run(["nm", elf], check=True, capture_output=True, text=True).stdout
    return {int(a, 16): n for a, n in re.findall(r"^([0-9a-f]+) [tTwW] (\S+)$", said, re.M)}


def stacks(path):
    """(frames innermost first, verdict, whether frame pointers led there, samples) of each stack."""
    path, _, twin = path.partition("=")
    names = symbols(twin) if twin else {}
    base = twin.rpartition("/")[2]
    with open(path) as text:
        profile = json.load(text)

    def name(frame):
        m = re.fullmatch(r"(.*)\+0x([0-9a-f]+)", frame["name"])
        if m and names:
            # other objects have functions at the same addresses
            own = m[1].startswith(base) or base.startswith(m[1])
            return names.get(int(m[2], 16), "?") if own else "?"
        # Go's and Rust's own
        return re.sub(r"^(main\.|rust::)", "", frame["name"])

    # the unlikely part of a function
    shown = [None if f["kind"] != "user" else name(f).removesuffix(".cold") for f in profile["frames"]]
    for s in profile["stacks"]:
        frames = [shown[f] for f in reversed(s["frames"])]
        pointed = any(profile["frames"][f]["source"] == "frame pointer" for f in s["frames"])
        yield [f for f in frames if f], s["verdict"], pointed, s["samples"]


def judged(count):
    return sum(count[word] for word in ("whole", "concluded", "short", "marked", "wrong"))


def main():
    top = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    top.add_argument("--least", type=float, default=0.0)
    top.add_argument("--depth", type=int)
    top.add_argument("--pointed", type=float, default=0.0)
    top.add_argument("--plain", action="store_true")
    top.add_argument("name")
    top.add_argument("files", nargs="+")
    args = top.parse_args()
    truth = Truth(args.plain)
    count, deeper, bad = (collections.Counter() for _ in range(3))
    by_pointer = 0
    for path in args.files:
        for frames, verdict, pointed, samples in stacks(path):
            word, own, wrong = truth.word(frames, verdict in ("complete", "unproved"))
            if pointed and verdict == "complete":
                wrong = "a frame pointer is called proof"
            elif verdict == "unproved" or pointed:
                word, wrong = {"wrong": "marked", "whole": "concluded"}.get(word, word), None
            by_pointer += samples if pointed and own else 0
            deep = args.depth and own and truth.depth(own[0]) > args.depth
            (deeper if deep else count)[word] += samples
            if wrong:
                bad[f"{wrong}, {verdict}: {' '.join(own)}"] += samples

    share = lambda c: 100.0 * (c["whole"] + c["concluded"]) / max(judged(c), 1)  # noqa: E731
    good = judged(count) >= 50 and not bad and share(count) >= args.least and \
        by_pointer >= args.pointed / 100 * judged(count)
    apart = f"; {judged(deeper)} deeper than {args.depth}: {share(deeper):.2f} %" if args.depth else ""
    print(f"{'ok' if good else 'not ok'} - {args.name} # {judged(count)} samples: {share(count):.2f} % right and "
          f"complete ({count['concluded']} of them called unproved), {count['short']} right as far as they go, "
          f"{count['marked']} wrong and called unproved, {by_pointer} by frame pointers, {sum(bad.values())} wrong; "
          f"{count['elsewhere']} elsewhere{apart}")
    for text, n in bad.most_common(10) if not good else ():
        print(f"# {n} x {text}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
