# SPDX-License-Identifier: GPL-2.0
"""The user's cache folder: things that are dear to make, found by what they are made of.

An entry is a folder named KIND-DIGEST. It is made aside and renamed into place,
so that an entry that exists is whole, and two makers at a time do no harm.
"""

import hashlib
import os
import pathlib
import shutil
import tempfile


class Error(Exception):
    """The lab cannot do what it was asked; the text says why and what to do."""


class Unreachable(Error):
    """An archive does not give what is needed, which says nothing about what was to be tested."""


def root():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = pathlib.Path(base) / "lbrscope"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def digest(*inputs):
    """Of strings and bytes; the same inputs cut differently differ."""
    total = hashlib.sha256()
    for one in inputs:
        data = one.encode() if isinstance(one, str) else one
        total.update(b"%d:" % len(data))
        total.update(data)
    return total.hexdigest()


def stamp(file):
    """Identifies a file's content without reading it: its place, size and time."""
    real = os.path.realpath(file)
    status = os.stat(real)
    return f"{file} {real} {status.st_size} {status.st_mtime_ns}"


def path(kind, key):
    """Where an entry is, or will be."""
    return root() / f"{kind}-{key}"


def entry(kind, key, make):
    """The folder of an entry; make(folder) fills it when it is not there."""
    final = path(kind, key)
    if final.is_dir():
        return final
    aside = pathlib.Path(tempfile.mkdtemp(prefix=f".{kind}-", dir=root()))
    try:
        make(aside)
        aside.chmod(0o755)
        os.rename(aside, final)
    except OSError:
        if not final.is_dir():
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return final
