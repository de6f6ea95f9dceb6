# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What `nm -D --defined-only LIBRARY` prints of functions, for machines without binutils: wheels are built there too."""
import struct
import sys

SHT_DYNSYM, STT_FUNC, STT_GNU_IFUNC = 11, 2, 10


def defined_functions(library):
    """(name, value, is weak) of each, by name; of a library for 64 bits, little endian."""
    at, = struct.unpack_from("<Q", library, 0x28)
    size, count = struct.unpack_from("<HH", library, 0x3A)
    sections = [struct.unpack_from("<IIQQQQII", library, at + i * size) for i in range(count)]
    for _, kind, _, _, offset, length, names, _ in sections:
        if kind != SHT_DYNSYM:
            continue
        for symbol in range(offset, offset + length, 24):
            name, info, _, section, value = struct.unpack_from("<IBBHQ", library, symbol)
            if section and info & 15 in (STT_FUNC, STT_GNU_IFUNC):
                begin = sections[names][4] + name
                yield library[begin:library.index(b"\0", begin)].decode(), value, info >> 4 == 2


with open(sys.argv[-1], "rb") as file:
    for function, address, weak in sorted(defined_functions(file.read())):
        print(f"{address:016x} {'W' if weak else 'T'} {function}")
