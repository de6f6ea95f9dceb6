# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Mistakes that the checks race and init are about, in Python: unordered.py NAME [mended]."""

import sys

import acl

BYTES = 4096
MALLOC_HUGE_FIRST, HOST_TO_DEVICE, DEVICE_TO_HOST = 0, 1, 2


def good(result):
    """What a call returns beside its code, which is 0."""
    code = result[-1] if isinstance(result, tuple) else result
    if code != 0:
        raise RuntimeError(f"{code}: {acl.get_recent_err_msg()}")
    return result[0] if isinstance(result, tuple) else None


def read_early(mended):
    block = good(acl.rt.malloc(BYTES, MALLOC_HUGE_FIRST))
    host = good(acl.rt.malloc_host(BYTES))
    stream = good(acl.rt.create_stream())
    good(acl.rt.memset_async(block, BYTES, 1, BYTES, stream))
    if mended:
        good(acl.rt.synchronize_stream(stream))
    good(acl.rt.memcpy(host, BYTES, block, BYTES, DEVICE_TO_HOST))
    good(acl.rt.synchronize_stream(stream))


def two_streams(mended):
    block = good(acl.rt.malloc(BYTES, MALLOC_HUGE_FIRST))
    first, second = good(acl.rt.create_stream()), good(acl.rt.create_stream())
    event = good(acl.rt.create_event())
    good(acl.rt.memset_async(block, BYTES, 1, BYTES, first))
    good(acl.rt.record_event(event, first))
    if mended:
        good(acl.rt.stream_wait_event(second, event))
    good(acl.rt.memset_async(block, BYTES, 2, BYTES, second))
    good(acl.rt.synchronize_device())


def read_unwritten(mended):
    block = good(acl.rt.malloc(BYTES, MALLOC_HUGE_FIRST))
    host = good(acl.rt.malloc_host(BYTES))
    if mended:
        good(acl.rt.memcpy(block, BYTES, host, BYTES, HOST_TO_DEVICE))
    good(acl.rt.memcpy(host, BYTES, block, BYTES, DEVICE_TO_HOST))


good(acl.init())
good(acl.rt.set_device(0))
{"early": read_early, "streams": two_streams, "unwritten": read_unwritten}[sys.argv[1]](sys.argv[2:] == ["mended"])
