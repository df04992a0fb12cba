# SPDX-License-Identifier: GPL-2.0
"""Result lines for tests in Python, as lib.sh has them for the shell."""

_failed = False


def result(good, name, *details):
    """Says whether one thing is as it should be; details are for the case that it is not."""
    global _failed
    _failed |= not good
    print(f"{'ok' if good else 'not ok'} - {name}")
    for detail in () if good else details:
        print(f"# {str(detail)[:500]}")


def status():
    """The exit status of the test."""
    return int(_failed)
