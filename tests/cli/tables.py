# SPDX-License-Identifier: GPL-2.0
"""The verbs and their options, by lbrctl's own tables."""
import re
import subprocess


def verbs():
    with open("ctl/main.c", encoding="utf-8") as file:
        return re.findall(r'\{ "([a-z]+)", cmd_', file.read())


def options(verb):
    """(long name, letter or None) of each option, from the source as the compiler sees it."""
    source = subprocess.run(["gcc", "-E", "-P", "-D_GNU_SOURCE", "-Ictl", "-Iinclude/uapi", "-I/usr/include/libnl3",
                             f"ctl/verbs/{verb}.c"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r'\{ "([a-z-]+)", [012], (?:NULL|\(\(void \*\)0\)), (?:\'(\w)\'|\w+) ?\}', source)
    return {(name, letter or None) for name, letter in found}
