# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Python programs that touch what is not theirs, as it is and mended: MISTAKE [mended]."""
import ctypes
import sys

import acl

mistake, is_mended = sys.argv[1], sys.argv[2:] == ["mended"]
BYTES = 4096


def allocate():
    block, status = acl.rt.malloc(BYTES, 0)
    assert status == 0
    return block


def read_device():
    block = allocate()
    copy = ctypes.create_string_buffer(BYTES)
    if is_mended:
        assert acl.rt.memcpy(ctypes.addressof(copy), BYTES, block, BYTES, 2) == 0
        return ctypes.string_at(copy, 16)
    return ctypes.string_at(block, 16)


def read_early():
    block = allocate()
    pinned, status = acl.rt.malloc_host(BYTES)
    assert status == 0
    stream, _ = acl.rt.create_stream()
    assert acl.rt.memcpy_async(pinned, BYTES, block, BYTES, 2, stream) == 0
    if is_mended:
        acl.rt.synchronize_stream(stream)
    return ctypes.string_at(pinned, 16)


acl.init()
acl.rt.set_device(0)
{"device": read_device, "early": read_early}[mistake]()
