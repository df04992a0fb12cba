#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""consumers.py MODEL PERF...: whether each perf reads each capture *.data of this folder: all samples that
the recorder has counted (*.txt), without a word that perf does not say of its own capture, p.data."""

import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from results import equal, result, status  # noqa: E402

VERBS = {"report": ("report", "--stdio", "-i"), "report -g none": ("report", "--stdio", "-g", "none", "-i"),
         "script": ("script", "-i"), "evlist": ("evlist", "-v", "-i"), "header": ("report", "--stdio", "--header-only", "-i"),
         "diff": ("diff",)}
# perf names the capture, and counts what is in it.
NAMES = re.compile(r"\S+\.data\b|\d+")


def run(perf, verb, capture):
    files = (capture, capture) if verb == "diff" else (capture,)
    return subprocess.run((perf, *VERBS[verb], *files), capture_output=True, text=True, errors="replace", check=False)


def words(done):
    return {NAMES.sub("N", line).strip() for line in done.stderr.splitlines()} - {""}


def recorded(said):
    """The samples and times off the CPU that the recorder has written."""
    samples = re.search(r"^lbrctl: (\d+) samples", said, re.M)
    waits = re.search(r"times off the CPU.*?: (\d+) delivered", said)
    return (int(samples[1]) if samples else 0) + (int(waits[1]) if waits else 0)


def check(perf, version, model):
    own = {verb: words(run(perf, verb, "p.data")) for verb in VERBS}
    for capture in sorted(pathlib.Path().glob("*.data")):
        name = f"perf {version} reads {capture.stem}, {model}"
        wrong = []
        for verb in VERBS:
            done = run(perf, verb, capture)
            more = words(done) - own[verb]
            if done.returncode or more:
                wrong.append(f"{verb}: status {done.returncode}: {'; '.join(sorted(more))}")
            if verb == "report" and not re.search(r"^ +\d+\.\d+%", done.stdout, re.M):
                wrong.append("report prints no row")
        result(not wrong, name, *wrong)
        stats = subprocess.run((perf, "report", "--stats", "-i", capture), capture_output=True, text=True, check=False).stdout
        got = re.search(r"SAMPLE events: +(\d+)", stats)
        if capture.stem != "p":
            equal(f"{name}: its samples", recorded(capture.with_suffix(".txt").read_text()), got and int(got[1]))


model, *perfs = sys.argv[1:]
for perf in perfs:
    check(perf, subprocess.run((perf, "--version"), capture_output=True, text=True, check=True).stdout.split()[2], model)
sys.exit(status())
