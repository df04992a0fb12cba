# SPDX-License-Identifier: GPL-2.0
"""The ELF image inside a bzImage."""

import struct
import subprocess

from . import cache

# By the first bytes of what is packed.
UNPACKERS = {
    b"\x02\x21\x4c\x18": ["lz4", "-d", "-c"],
    b"\xfd7zX": ["xz", "-d", "-c"],
    b"\x28\xb5\x2f\xfd": ["zstd", "-d", "-c"],
}


def vmlinux(bzimage):
    """QEMU starts it by its PVH note, which saves the guest the unpacking of itself.
    Offsets: the setup header of Documentation/x86/boot.rst (setup_sects,
    payload_offset, payload_length)."""
    setup_sects = bzimage[0x1f1] or 4
    offset, length = struct.unpack_from("<II", bzimage, 0x248)
    start = (setup_sects + 1) * 512 + offset
    # The last four bytes of the payload are the size of what is packed in it.
    payload = bzimage[start:start + length - 4]
    command = UNPACKERS.get(payload[:4])
    if not command:
        raise cache.Error(f"the kernel image is packed in an unknown way ({payload[:4].hex()})")
    unpacked = subprocess.run(command, input=payload, capture_output=True, check=False).stdout
    if unpacked[:4] != b"\x7fELF":
        raise cache.Error(f"{command[0]} did not give an ELF image out of the kernel")
    return unpacked
