# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What torch_npu's queue calls and is refused raises once, and every sum behind it is right."""
import ctypes
import os
import tempfile

import torch
import torch.distributed as dist
import torch_npu

number = 0


def expect_sums():
    for _ in range(3):
        expect_sum()


def expect_sum():
    global number
    number += 1  # no two results are the same: memory that is used again holds the one before
    assert (torch.full((4,), float(number)).npu() + 1).cpu().tolist() == [number + 1] * 4, number


def expect_failure(what, function):
    try:
        function()
        torch.npu.synchronize()
    except RuntimeError:
        pass
    else:
        raise AssertionError(f"{what} does not raise")
    expect_sums()


runtime = ctypes.CDLL("libascendcl.so")
ELEMENTS = 1 << 23  # a block of its own
target = torch.zeros(ELEMENTS).npu()
gone = torch.ones(ELEMENTS).npu()
torch.npu.synchronize()
assert runtime.aclrtFree(ctypes.c_void_p(gone.data_ptr())) == 0
ones = torch.ones(4).npu()
expect_sums()

# Phase 2 of functions, copies of both directions, sets.
expect_failure("a copy of freed memory", lambda: target.copy_(gone))
expect_failure("zeros in freed memory", lambda: gone.zero_())
expect_failure("a sum of freed memory", lambda: gone.sum())
expect_failure("a copy from the host", lambda: gone.copy_(torch.zeros(ELEMENTS).pin_memory(), non_blocking=True))

# Data that is refused while it is computed with, and arguments.
expect_failure("an index", lambda: ones.index_select(0, torch.tensor([7]).npu()))
expect_failure("a dtype", lambda: torch.neg(torch.ones(3, dtype=torch.int16).npu()))
expect_failure("shapes", lambda: torch.ones(2, 3).npu() @ torch.ones(2, 2).npu())

# Events.
event, stream = torch.npu.Event(), torch.npu.Stream()
event.record()
torch.npu.synchronize()
assert runtime.aclrtDestroyEvent(ctypes.c_void_p(event.npu_event)) == 0
expect_failure("a record of an event that is gone", lambda: event.record())
expect_failure("a wait for an event that is gone", lambda: (stream.wait_event(event), stream.synchronize()))

# Operators by name, which nothing computes.
if "910" in torch_npu.npu.get_device_name():
    counts = torch.ones(128, dtype=torch.int32).npu()
    expect_failure("a search", lambda: torch_npu.npu_ifmr(ones, ones[:1], ones[:1], counts, min_percentile=0.9, max_percentile=0.9,
                                                          search_start=0.7, search_end=1.3, search_step=0.1, with_offset=False))
    expect_failure("a shape", lambda: torch_npu.npu_transpose(ones, (5, 7)))

# Collectives: parts that overlap.
with tempfile.TemporaryDirectory() as folder:
    dist.init_process_group("hccl", init_method=f"file://{folder}/store", rank=0, world_size=1)
    line = torch.arange(16.0).npu()
    dist.all_reduce(line)
    expect_failure("a collective", lambda: dist.all_gather_into_tensor(line[4:12], line[0:8]))
    dist.all_reduce(line)
    assert line.cpu().tolist() == list(range(16))

os._exit(0)  # torch_npu's allocator would end with an error of the block that is gone
