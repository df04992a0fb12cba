# SPDX-License-Identifier: GPL-2.0
"""What a test says: TAP without a plan. A line for each thing tested, "ok - NAME", "not ok - NAME" or
"ok - NAME # SKIP REASON"; lines "# ..." behind a failure belong to it, all others to nobody."""

import re
import signal

RESULT = re.compile(r"(ok|not ok)\b(?: +\d+)?(?: *- *)?(.*)")
SKIP = re.compile(r"# *skip\b", re.IGNORECASE)
# cmocka's line for a test that calls skip(); its name is behind the word
CMOCKA_SKIP = re.compile(r"not ok( +\d+ # SKIP .*)")


class Outcome:
    """What one test said; failures: a list of the lines to show for each."""

    def __init__(self):
        self.passed = 0
        self.failures = []
        self.skips = []

    def read(self, text):
        """Takes the result lines of a test's output."""
        behind_failure = False
        for line in text.splitlines():
            result = RESULT.match(CMOCKA_SKIP.sub(r"ok\1", line))
            if result:
                behind_failure = result.group(1) == "not ok"
                if behind_failure:
                    self.failures.append([line])
                elif SKIP.search(line):
                    self.skips.append(result.group(2))
                else:
                    self.passed += 1
            elif behind_failure and line.startswith("#"):
                self.failures[-1].append(line)
            else:
                behind_failure = False

    def judge(self, status, patience):
        """Takes the test's end, None if it said nothing for patience seconds; a silent or broken
        test is one failure."""
        said = self.passed + len(self.failures) + len(self.skips)
        if status is None:
            self.failures.append([f"not ok - says something within {patience} s"])
        elif status < 0:
            self.failures.append([f"not ok - died of {signal.Signals(-status).name}"])
        elif status and not self.failures:
            self.failures.append([f"not ok - ended with status {status}"])
        elif not said:
            self.failures.append(["not ok - printed no result"])
