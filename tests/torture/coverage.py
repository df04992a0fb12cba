#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tests/torture/coverage.py [--source TOP] [--reasons FILE] BUILD ARCHIVE...

How many of the module's lines were reached: BUILD is the folder with the .gcno files of a module
that was built with COVERAGE=1, an ARCHIVE a tar of the .gcda files that a lab machine had below
/sys/kernel/debug/gcov in the end. Prints a table by file, and the lines that no boot has reached
and for which FILE ("unreached" beside this program) has no reason. TOP has the folder kmod/.

A line of FILE is PLACE<tab>REASON. PLACE is SOURCE:FUNCTION, or SOURCE:FUNCTION:TEXT for those
lines of the function only that contain TEXT; so it survives changes elsewhere in the file. A place
of which all lines were reached is an error, so that the list stays true, unless its reason begins
with "sometimes: ", which is for what random attacks reach now and then. Status 1: a line without a
reason, such an error, or less than 85 %.
"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WANTED = 0.85
SOMETIMES = "sometimes: "


def counted(build, archive):
    """{(file, line): (times, function)} of one boot."""
    lines = {}
    with tempfile.TemporaryDirectory() as scratch:
        with tarfile.open(archive) as tar:
            tar.extractall(scratch)
        for data in pathlib.Path(scratch).rglob("*.gcda"):
            notes = data.with_suffix(".gcno")
            shutil.copy(build / notes.relative_to(scratch), notes)
            said = subprocess.run(["gcov", "--json-format", "--stdout", data],
                                  capture_output=True, check=True, cwd=scratch).stdout
            for text in said.splitlines():
                take(json.loads(text), lines)
    return lines


def take(report, lines):
    """Adds what gcov says of one object. The kernel's headers are not ours."""
    for file in report["files"]:
        _, ours, name = ("/" + file["file"]).rpartition("/kmod/")
        if not ours or "/include/linux/" in file["file"]:
            continue
        for line in file["lines"]:
            key = "kmod/" + name, line["line_number"]
            times, _ = lines.get(key, (0, ""))
            lines[key] = times + line["count"], line.get("function_name", "")


def reasons(path):
    """{(file, function, text): reason}"""
    table = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        place, tab, reason = line.partition("\t")
        file, function, *text = place.split(":", 2) + [""]
        if not tab or not reason.strip() or not function:
            sys.exit(f"coverage.py: {path}:{number}: not SOURCE:FUNCTION[:TEXT]<tab>REASON")
        table[file, function, text[0]] = reason
    return table


def function_at(text, number):
    """Whose body has the line: the last name of a definition, which begins at the margin. gcov names no
    function for what was inlined everywhere."""
    for line in reversed(text[:number]):
        if match := re.match(r"(?=[a-z])[^=;]*?\b(\w+)\(", line):
            return match[1]
    return ""


def judge(total, table, source):
    """Prints what is to be said of {(file, line): (times, function)}; is all well?"""
    used, bare = set(), []
    files = collections.defaultdict(lambda: [0, 0, 0])
    texts = {file: (source / file).read_text().splitlines() for file, _ in total}
    for (file, number), (times, function) in sorted(total.items()):
        files[file][0] += 1
        if times:
            files[file][1] += 1
            continue
        function = function or function_at(texts[file], number)
        text = texts[file][number - 1].strip()
        places = [key for key in table if key[:2] == (file, function) and key[2] in text]
        used.update(places)
        if places:
            files[file][2] += 1
        else:
            bare.append(f"{file}:{number}: {function}: {text}")
    print(f"{'file':<28} {'lines':>6} {'reached':>8} {'reasons':>8}")
    for file, (lines, reached, excused) in sorted(files.items()):
        print(f"{file:<28} {lines:>6} {reached:>8} {excused:>8}")
    lines, reached, excused = (sum(one[i] for one in files.values()) for i in range(3))
    share = reached / max(lines, 1)
    print(f"{'all':<28} {lines:>6} {reached:>8} {excused:>8}  {100 * share:.1f} %")
    for line in bare:
        print(f"no reason: {line}")
    stale = [key for key, reason in table.items() if key not in used and not reason.startswith(SOMETIMES)]
    for key in stale:
        print(f"reached by now, or gone; take it from the list: {':'.join(filter(None, key))}")
    return not bare and not stale and share >= WANTED


def main():
    parser = argparse.ArgumentParser(description="which lines of the module the attacks have reached")
    parser.add_argument("--source", type=pathlib.Path, default=HERE.parents[1])
    parser.add_argument("--reasons", type=pathlib.Path, default=HERE / "unreached")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("archive", nargs="+")
    options = parser.parse_args()
    total = {}
    for archive in options.archive:
        for key, (times, function) in counted(options.build, archive).items():
            total[key] = total.get(key, (0, ""))[0] + times, function
    return 0 if judge(total, reasons(options.reasons), options.source) else 1


if __name__ == "__main__":
    sys.exit(main())
