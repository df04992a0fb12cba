# SPDX-License-Identifier: GPL-2.0
"""perf of Debian's other releases: of the same source as the newest kernel there."""

from . import cache, debian_release


def program(suite, say):
    """The path of a script that starts it."""
    return debian_release.entry(suite, lambda archive: entry(archive, say))


def entry(archive, say):
    _, version = archive.newest()
    key = f"{version}_{debian_release.digest(__file__)}"
    final = cache.path("perf", key)
    return cache.entry("perf", key, lambda aside: make(aside, final, archive, version, say)) / "usr/bin/perf"


def make(aside, final, archive, version, say):
    say(f"fetching perf of Debian's kernel {version}")
    debian_release.unpack(aside, archive, f"linux-perf={version}")
    debian_release.start_by_loader(aside / "usr/bin/perf", aside, final)
