#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tests/torture/coverage.py BUILD ARCHIVE...

How many of the module's lines were reached: BUILD is the folder with the .gcno files of a module
that was built with COVERAGE=1, an ARCHIVE a tar of the .gcda files that a lab machine had below
/sys/kernel/debug/gcov in the end. Prints a table by file, and the lines that no boot has reached and for which the file
"unreached" beside this one has no reason.

A line of "unreached" is FILE:FUNCTION<tab>REASON, or FILE:FUNCTION:TEXT<tab>REASON for those
lines of the function only that contain TEXT. One that is needed no more is an error, so that
the list stays true. Status 1: a line without a reason, such an error, or less than 85 %.
"""

import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
LIST = HERE / "unreached"
WANTED = 0.85


def counted(build, archive):
    """{(file, line): (times, function)} of one boot."""
    lines = {}
    with tempfile.TemporaryDirectory() as scratch:
        with tarfile.open(archive) as tar:
            tar.extractall(scratch)
        for data in pathlib.Path(scratch).rglob("*.gcda"):
            shutil.copy(build / f"{data.stem}.gcno", data.with_suffix(".gcno"))
            said = subprocess.run(["gcov", "--json-format", "--stdout", data], capture_output=True, check=True, cwd=scratch).stdout
            for text in said.splitlines():
                take(json.loads(text), lines)
    return lines


def take(report, lines):
    for file in report["files"]:
        name = pathlib.Path(file["file"])
        if "kmod" not in name.parts or name.is_absolute() and not name.resolve().is_relative_to(TOP):
            continue
        name = "kmod/" + str(name).rsplit("/kmod/", 1)[-1].removeprefix("kmod/")
        for line in file["lines"]:
            key = name, line["line_number"]
            times, _ = lines.get(key, (0, ""))
            lines[key] = times + line["count"], line.get("function_name", "")


def reasons():
    """{(file, function, text): reason}"""
    table = {}
    for line in LIST.read_text().splitlines():
        if line and not line.startswith("#"):
            place, reason = line.split("\t")
            file, function, *text = place.split(":", 2)
            table[file, function, text[0] if text else ""] = reason
    return table


def main(build, *archives):
    total = collections.defaultdict(lambda: (0, ""))
    for archive in archives:
        for key, (times, function) in counted(pathlib.Path(build), archive).items():
            total[key] = total[key][0] + times, function
    table, used, bare = reasons(), set(), []
    files = collections.defaultdict(lambda: [0, 0, 0])
    for (file, number), (times, function) in sorted(total.items()):
        files[file][0] += 1
        if times:
            files[file][1] += 1
            continue
        text = (TOP / file).read_text().splitlines()[number - 1].strip()
        place = next((key for key in table if key[:2] == (file, function) and key[2] in text), None)
        if place:
            used.add(place)
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
    stale = [":".join(filter(None, key)) for key in table if key not in used]
    for place in stale:
        print(f"reached by now, take it from the list: {place}")
    return 1 if bare or stale or share < WANTED else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
