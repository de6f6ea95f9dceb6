# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What Python programs leave behind, or hand to a call that refuses it, as it is and mended: MISTAKE [mended]."""
import sys

import acl

mistake, is_mended = sys.argv[1], sys.argv[2:] == ["mended"]


def allocate():
    block, status = acl.rt.malloc(64, 0)
    assert status == 0
    return block


def leave_memory():
    for _ in range(2):
        block = allocate()
        if is_mended:
            acl.rt.free(block)


def leave_event():
    event, _ = acl.rt.create_event()
    if is_mended:
        acl.rt.destroy_event(event)


def free_twice():
    for _ in range(1000):
        block = allocate()
        acl.rt.free(block)
        if not is_mended:
            acl.rt.free(block)


acl.init()
acl.rt.set_device(0)
{"memory": leave_memory, "event": leave_event, "free": free_twice}[mistake]()
acl.rt.reset_device(0)
acl.finalize()
