# SPDX-License-Identifier: GPL-2.0
"""A program at a terminal, and what is on its screen: an xterm's sequences, as far as ncurses uses
them."""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import termios
import time
import unicodedata

KEYS = {"up": "\x1bOA", "down": "\x1bOB", "right": "\x1bOC", "left": "\x1bOD", "home": "\x1bOH", "end": "\x1bOF",
        "pgup": "\x1b[5~", "pgdn": "\x1b[6~", "enter": "\r", "esc": "\x1b", "erase": "\x7f"}
SEQUENCE = re.compile(r"\x1b\[([?>0-9;]*)([@A-Za-z])|\x1b[()][A-Z0-9]|\x1b[=>78cDM]|\x1b\](?:[^\x07]*)\x07")


class Screen:
    """The cells of a terminal: a wide character has one with text and an empty one."""

    def __init__(self, columns, lines):
        self.other = None     # the screen that the program has put aside
        self.unknown = []     # what is not understood: a test must know
        self.colours = set()
        self.hidden = False   # the cursor
        self.resize(columns, lines)

    def resize(self, columns, lines):
        self.columns, self.lines = columns, lines
        self.cells = [[" "] * columns for _ in range(lines)]
        self.marks = [[False] * columns for _ in range(lines)]
        self.x = self.y = 0
        self.region = (0, lines)
        self.last, self.reverse = " ", False

    def text(self):
        return ["".join(line).rstrip() for line in self.cells]

    def marked(self):
        """The line in reverse video, "" if none is."""
        return "".join("".join(c for c, mark in zip(*line) if mark) for line in zip(self.cells, self.marks)).strip()

    def take(self, text):
        """Returns what is left of it: an unfinished sequence."""
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self.put(text[at])
                at += 1
                continue
            found = SEQUENCE.match(text, at)
            if not found:
                if len(text) - at < 20:
                    return text[at:]
                self.unknown.append(text[at:at + 8])
                at += 1
                continue
            if found[2]:
                self.control(found[1], found[2])
            elif found[0] == "\x1bM":
                self.scroll(-1) if self.y == self.region[0] else self.go(self.x, self.y - 1)
            at = found.end()
        return ""

    def go(self, x, y):
        self.x, self.y = min(max(x, 0), self.columns - 1), min(max(y, 0), self.lines - 1)

    def scroll(self, lines, top=None):
        top, end = self.region[0] if top is None else top, self.region[1]
        for _ in range(abs(lines)):
            for rows, blank in (self.cells, " "), (self.marks, False):
                rows.insert(end if lines > 0 else top, [blank] * self.columns)
                del rows[top if lines > 0 else end]

    def put(self, c):
        if c == "\r":
            self.x = 0
        elif c == "\n":
            self.scroll(1) if self.y + 1 == self.region[1] else self.go(self.x, self.y + 1)
        elif c == "\b":
            self.go(self.x - 1, self.y)
        elif c == "\t":
            self.go(self.x // 8 * 8 + 8, self.y)
        elif c in "\x0e\x0f\x07":
            pass
        elif c < " " or c == "\x7f" or "\x80" <= c < "\xa0":
            self.unknown.append(c)
        elif unicodedata.combining(c):
            self.cells[self.y][max(self.x - 1, 0)] += c
        else:
            wide = unicodedata.east_asian_width(c) in "WF"
            # A character in the last column may wrap; a terminal of one column has no other.
            if self.x + wide >= self.columns > 1:
                self.unknown.append(f"column {self.x} of line {self.y}: '{c}'")
            for text in [c, ""] if wide else [c]:
                if self.x < self.columns:
                    self.cells[self.y][self.x], self.marks[self.y][self.x] = text, self.reverse
                    self.x += 1
            self.last = c

    def clear(self, y, start, end):
        self.cells[y][start:end] = [" "] * (end - start)
        self.marks[y][start:end] = [False] * (end - start)

    def control(self, text, kind):
        numbers = [int(n) if n else 0 for n in text.lstrip("?>").split(";")]
        n, x, y = numbers[0] or 1, self.x, self.y
        if kind in "Hf":
            self.go((numbers[1] or 1) - 1 if len(numbers) > 1 else 0, n - 1)
        elif kind in "ABCD":
            self.go(x + {"C": n, "D": -n}.get(kind, 0), y + {"A": -n, "B": n}.get(kind, 0))
        elif kind == "G":
            self.go(n - 1, y)
        elif kind == "d":
            self.go(x, n - 1)
        elif kind == "K":
            self.clear(y, x if numbers[0] == 0 else 0, x + 1 if numbers[0] == 1 else self.columns)
        elif kind == "J":
            for line in range(y + 1 if numbers[0] == 0 else 0, y if numbers[0] == 1 else self.lines):
                self.clear(line, 0, self.columns)
            if numbers[0] < 2:
                self.control(text, "K")
        elif kind == "X":
            self.clear(y, x, min(x + n, self.columns))
        elif kind in "P@":
            for row, blank in (self.cells[y], " "), (self.marks[y], False):
                row[x:] = (row[x + n:] + [blank] * n if kind == "P" else [blank] * n + row[x:])[:self.columns - x]
        elif kind in "LM":
            self.scroll(-n if kind == "L" else n, y)
        elif kind in "ST":
            self.scroll(n if kind == "S" else -n)
        elif kind == "r":
            self.region = (n - 1, numbers[1] if len(numbers) > 1 else self.lines)
            self.go(0, 0)
        elif kind == "b":
            for _ in range(n):
                self.put(self.last)
        elif kind == "m":
            self.reverse = 7 in numbers or (self.reverse and not {0, 27} & set(numbers))
            self.colours |= {c for c in numbers if 30 <= c < 38}
        elif kind in "hl":
            self.mode(set(numbers) if text.startswith("?") else set(), kind == "h")
        elif kind not in "tcn":
            self.unknown.append(text + kind)

    def mode(self, numbers, on):
        if 25 in numbers:
            self.hidden = not on
        if 1049 in numbers:
            if on:
                self.other = (self.cells, self.marks)
                self.cells, self.marks = [[" "] * self.columns for _ in range(self.lines)], [[False] * self.columns for _ in range(self.lines)]
            elif self.other:
                (self.cells, self.marks), self.other = self.other, None


class Program:
    """A command at a terminal of its own."""

    def __init__(self, *command, columns=80, lines=24, **environment):
        pid, self.terminal = pty.fork()
        if not pid:
            self.size_of(0, columns, lines)
            os.execvpe(command[0], command, {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environment})
        self.pid, self.screen, self.rest, self.ended = pid, Screen(columns, lines), b"", None

    @staticmethod
    def size_of(terminal, columns, lines):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("<HHHH", lines, columns, 0, 0))

    def read(self, seconds):
        """Takes what comes within that time, at once when something came. Returns whether it did."""
        if self.ended is not None or not select.select([self.terminal], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            data = b""
        if not data:
            self.ended = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            return False
        data = self.rest + data
        cut = len(data)
        while cut > len(data) - 4 and cut and data[cut - 1] & 0xc0 == 0x80:
            cut -= 1
        if cut and data[cut - 1] >= 0xc0:
            cut -= 1
        whole = data if self.is_whole(data) else data[:cut]
        self.rest = self.screen.take(whole.decode(errors="replace")).encode() + data[len(whole):]
        return True

    @staticmethod
    def is_whole(data):
        try:
            data.decode()
        except UnicodeDecodeError as error:
            return error.end < len(data)
        return True

    def rests(self):
        """Whether each thread of the program waits for something. One that cannot get a CPU does not."""
        try:
            states = [path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
                      for path in pathlib.Path(f"/proc/{self.pid}/task").glob("*/stat")]
        except OSError:  # a thread has ended meanwhile
            return self.ended is not None
        return "R" not in states and "D" not in states

    def settle(self, quiet=0.1, answer=0.4):
        """Waits for an answer, and until no more comes."""
        more = self.read(answer)
        while more or not self.rests():
            more = self.read(quiet)

    def until(self, pattern, seconds=20):
        """Waits until a line of the screen matches. Returns the seconds that it took; None: too many."""
        start = time.monotonic()
        while not (self.screen and any(re.search(pattern, line) for line in self.screen.text())):
            if time.monotonic() - start > seconds or self.ended is not None:
                return None
            self.read(0.05)
        return time.monotonic() - start

    def press(self, *keys):
        """Types keys, by their names, or text; and waits until the screen rests."""
        for key in keys:
            os.write(self.terminal, KEYS.get(key, key).encode())
            self.settle()
        return self.screen.text()

    def resize(self, columns, lines):
        self.screen.resize(columns, lines)
        self.size_of(self.terminal, columns, lines)
        os.kill(self.pid, signal.SIGWINCH)
        self.settle()

    def kill(self, number):
        os.kill(self.pid, number)

    def end(self, seconds=10):
        """Waits until the program has ended. Returns its status; None: it has not."""
        start = time.monotonic()
        while self.ended is None and time.monotonic() - start < seconds:
            self.read(0.05)
        return self.ended

    def is_sane(self):
        """Whether the terminal echoes and edits lines as before. Only while it is open."""
        flags = termios.tcgetattr(self.terminal)[3]
        return bool(flags & termios.ECHO and flags & termios.ICANON) and not self.screen.hidden and self.screen.other is None
