#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""audit.py --percent P LBRCTL FILES NAME FOLDER

Judges the audits of recordings of prog/sides.c: FOLDER has a capture X.data and its report X.json
for each, FILES the program at its path. One ok or not ok line:

- the audit's interval contains the true share of wrong stacks in enough recordings. Intervals that
  each contain it with a probability of 95 % would do so in fewer once in a million times;
- the interval of all audits together (4.9 standard errors) contains the share of all recordings;
- if P percent of the rounds have other calls in the LBR, stacks are wrong, and the audits have found some; else none;
- the complete stacks of the captures as they are have no larger share than the audits say.

A recording whose processes all need the stack after their first samples compares nothing, and claims
nothing (16 of 100 at 4 percent), nor does one of fewer than 60 audits; these are less than half.

The true share: each capture is stripped of what the audit knows, so that its stacks come from the
LBR alone. lbrctl says which of them are complete. Those are wrong whose calls went
through the other side than the name of the innermost function says.
"""
import argparse
import collections
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import wild  # noqa: E402
from interval import wilson  # noqa: E402

AUDIT = 1 << 63         # feature of the capture: results of audits
USER = 2 ** 64 - 512    # PERF_CONTEXT_USER


def bare(capture, path):
    """The same capture without call chains from memory and results of audits."""
    out = []
    for kind, _, record in capture.records():
        if kind == wild.SAMPLE:
            s = wild.Sample(capture, record)
            if s.event.type != 1 and s.event.sample_type & wild.CALLCHAIN:
                record = bare_sample(s, record)
        out.append(record)
    capture.data = bytearray(capture.data)
    features = struct.unpack_from("<Q", capture.data, 72)[0]
    struct.pack_into("<Q", capture.data, 72, features & ~AUDIT)
    capture.write(path, out, lambda head, event: None)


def bare_sample(s, record):
    nr = struct.unpack_from("<Q", record, s.chain_at)[0]
    end = s.chain_at + 8 + 8 * nr
    chain = list(struct.unpack_from(f"<{nr}Q", record, s.chain_at + 8))
    if USER in chain:
        del chain[chain.index(USER) + 2:]
    # its text says how the unwinding ended
    rest = re.sub(rb" end=\w+", lambda m: bytes(len(m[0])), record[end:end + 80]) + record[end + 80:]
    record = record[:s.chain_at] + struct.pack(f"<{len(chain) + 1}Q", len(chain), *chain) + rest
    return record[:6] + struct.pack("<H", len(record)) + record[8:]


def truth(frames):
    """The true functions of a stack by its innermost one, or None if that does not tell."""
    m = re.fullmatch(r"at_(left|right)", frames[0]) if frames else None
    return m and [frames[0], "inner", m[1], "once", "_start"]


def counted(lbrctl, files, path):
    """Samples by what their stacks are."""
    done = subprocess.run([lbrctl, "export", "--format", "json", "--no-inline", "--symfs", files, "-i", path], check=True,
                          capture_output=True)
    profile = json.loads(done.stdout)
    count = collections.Counter()
    for stack in profile["stacks"]:
        frames = [profile["frames"][f]["name"] for f in reversed(stack["frames"])]
        true = truth(frames)
        word = "elsewhere" if not true else stack["verdict"] if stack["verdict"] != "complete" else \
            "right" if frames == true else "wrong"
        count[word] += stack["samples"]
    return count


def least(total):
    """Of so many intervals of 95 %, fewer than this contain the truth once in a million times."""
    below = 0.0
    for k in range(total + 1):
        below += math.comb(total, k) * 0.95 ** k * 0.05 ** (total - k)
        if below > 1e-6:
            return k
    return total


class Judged:
    """All recordings of a folder; count has the samples of all by what their stacks are."""

    def __init__(self, lbrctl, files, folder):
        self.count, self.shown = collections.Counter(), collections.Counter()
        self.checked = self.disagreed = self.audited = self.found = self.recordings = 0
        self.bad = []
        for path in sorted(pathlib.Path(folder).glob("*.data")):
            self.recordings += 1
            self.take(lbrctl, files, path)

    def take(self, lbrctl, files, path):
        with tempfile.TemporaryDirectory() as scratch:
            bare(wild.Capture(path), f"{scratch}/bare.data")
            count = counted(lbrctl, files, f"{scratch}/bare.data")
        self.count.update(count)
        self.shown.update(counted(lbrctl, files, path))
        audit = json.loads(path.with_suffix(".json").read_text())["capture"]["audit"]
        self.checked += audit["checked"]
        self.disagreed += audit["disagreed"]
        if audit["wrong_low"] is None:
            if audit["checked"] >= 60:
                self.bad.append(f"{path.stem}: no interval: {audit}")
            return
        self.audited += 1
        true = share(count)
        if audit["wrong_low"] <= true <= audit["wrong_high"]:
            self.found += 1
        else:
            self.bad.append(f"{path.stem}: {audit}, truth {true:.5f}")

    def reasons(self, percent):
        """What is not as it has to be."""
        checked = max(self.checked, 1)
        low, high = wilson(self.disagreed / checked, checked, 4.9)
        true, wrong = share(self.count), self.count["wrong"] > 0
        elsewhere = self.count["elsewhere"] / max(sum(self.count.values()), 1)
        return [reason for reason, is_so in {
            f"fewer than {least(self.audited)} of {self.audited} intervals": self.found < least(self.audited),
            "60 audits without an interval": any("no interval" in bad for bad in self.bad),
            "half of the recordings, or more, have no interval": 2 * self.audited <= self.recordings,
            "fewer than 25 audits in a recording": self.checked < 25 * self.recordings,
            f"the audits together: {low:.5f} to {high:.5f}, truth {true:.5f}": not low <= true <= high,
            "complete stacks of the report are wrong more often than it says": share(self.shown) > high,
            "the fault was not there, or one that nobody asked for": wrong != (percent > 0),
            "audits found nothing, or what is not there": (self.disagreed > 0) != (percent > 0),
            f"stacks without a known truth: {elsewhere:.3f}": elsewhere >= 0.05}.items() if is_so]


def share(count):
    return count["wrong"] / max(count["right"] + count["wrong"], 1)


def main():
    top = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    top.add_argument("--percent", type=int, required=True)
    for name in ("lbrctl", "files", "name", "folder"):
        top.add_argument(name)
    args = top.parse_args()
    j = Judged(args.lbrctl, args.files, args.folder)
    reasons = j.reasons(args.percent)
    print(f"{'not ok' if reasons else 'ok'} - {args.name} # {j.found} of {j.audited} intervals; in all {j.disagreed} of "
          f"{j.checked} audits, {j.count['wrong']} of {j.count['right'] + j.count['wrong']} stacks wrong: "
          f"{100 * j.disagreed / max(j.checked, 1):.2f} and {100 * share(j.count):.2f} %")
    for line in [*reasons, *j.bad, f"{j.recordings} recordings, by the LBR alone: {dict(j.count)}",
                 f"as reported: {dict(j.shown)}"]:
        print(f"# {line}")
    sys.exit(1 if reasons else 0)


if __name__ == "__main__":
    main()
