# SPDX-License-Identifier: GPL-2.0
"""The verbs and their options, by lbrctl's own tables."""
import re
import subprocess


def verbs():
    with open("ctl/main.c", encoding="utf-8") as file:
        return re.findall(r'\{ "([a-z]+)", cmd_', file.read())


def verbs_of_pgo():
    """The verbs of two words."""
    with open("ctl/verbs/pgo.c", encoding="utf-8") as file:
        return [f"pgo {name}" for name in re.findall(r'\{ "([a-z]+)", pgo_', file.read())]


def rows(verb):
    """(long name, letter or None) of each option, in the order of the help."""
    listed = subprocess.run(["build/lbrctl", *verb.split(), "--list-options"], capture_output=True, text=True, check=True).stdout
    return [(name, letter.strip("-") or None) for name, letter, _ in (line.split(" ", 2) for line in listed.splitlines())]


def options(verb):
    return set(rows(verb))
