# SPDX-License-Identifier: GPL-2.0
"""Messages of Protocol Buffers, decoded by protoc and the published fields."""
import collections
import gzip
import os
import subprocess

SCHEMAS = os.path.abspath("tests/outputs")


def decoded(text):
    """{field: [values]} of protoc's text; a message is such a dict."""
    whole = collections.defaultdict(list)
    open_ones = [whole]
    for line in text.splitlines():
        line = line.strip()
        if line == "}":
            open_ones.pop()
        elif line.endswith("{"):
            inner = collections.defaultdict(list)
            open_ones[-1][line.split()[0]].append(inner)
            open_ones.append(inner)
        else:
            field, value = line.split(": ", 1)
            open_ones[-1][field].append(value[1:-1].encode("latin1").decode("unicode_escape").encode("latin1").decode()
                                        if value[0] == '"' else value)
    return whole


def decode(schema, message, data):
    """(the message as decoded() has it, what protoc complains about)"""
    done = subprocess.run(["protoc", f"--proto_path={SCHEMAS}", f"--decode={message}", schema],
                          input=data, capture_output=True, check=False)
    return decoded(done.stdout.decode()), done.stderr.decode()


class Profile:
    """A profile of pprof with its references resolved."""

    def __init__(self, packed):
        self.raw, self.complaint = decode("profile.proto", "perftools.profiles.Profile", gzip.decompress(packed))
        self.strings = self.raw["string_table"]
        self.types = [(self.text(t, "type"), self.text(t, "unit")) for t in self.raw["sample_type"]]
        self.mappings = {self.number(m, "id"): m for m in self.raw["mapping"]}
        self.functions = {self.number(f, "id"): f for f in self.raw["function"]}
        self.locations = {self.number(l, "id"): l for l in self.raw["location"]}

    @staticmethod
    def number(message, field):
        return int(message[field][0]) if message[field] else 0

    def text(self, message, field):
        return self.strings[self.number(message, field)]

    def lines(self, location):
        """[(function, file, line)], the innermost first."""
        return [(self.text(self.functions[self.number(line, "function_id")], "name"),
                 os.path.basename(self.text(self.functions[self.number(line, "function_id")], "filename")),
                 self.number(line, "line")) for line in self.locations[location]["line"]]

    def labels(self, sample):
        return {(self.text(label, "key"), self.text(label, "str")) for label in sample["label"]}
