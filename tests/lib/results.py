# SPDX-License-Identifier: GPL-2.0
"""Result lines of tests in Python; lib.sh is the same for the shell."""

_failed = False


def result(good, name, *details):
    """Prints one result line, and the details if it is a failure."""
    global _failed
    _failed |= not good
    print(f"{'ok' if good else 'not ok'} - {name}")
    for detail in () if good else details:
        print(f"# {str(detail)[:500]}")


def equal(name, want, got):
    """Compares got with want; prints the difference of sets."""
    if isinstance(want, set):
        result(want == got, name, f"missing: {sorted(want - got)}", f"too many: {sorted(got - want)}")
    else:
        result(want == got, name, f"want: {want}", f"got:  {got}")


def status():
    """The exit status of the test."""
    return int(_failed)
