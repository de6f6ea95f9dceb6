# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Collectives among operators and copies: each in the order of its stream, other streams beside it, many in a row."""
import time

import torch
import torch.distributed as dist
from support.ranks import DEVICE, IS_HCCL, RANK, SIZE, expect, numbers, of_all, put, run


def wait_for_device():
    if IS_HCCL:
        torch.npu.synchronize()


def between_operators():
    """What a collective reads is what was queued before it, and what is queued behind it reads what it has written."""
    x = torch.full((10000,), float(RANK + 1), device=DEVICE)
    wanted = torch.full((10000,), float(RANK + 1))
    for _ in range(20):
        x = x * 0.5 + 1
        dist.all_reduce(x)
        x = x / SIZE
    parts = [torch.full((10000,), float(rank + 1)) for rank in range(SIZE)]
    for _ in range(20):
        total = sum((part * 0.5 + 1).double() for part in parts).float()
        parts = [total / SIZE] * SIZE
    wanted = parts[0]
    expect("twenty turns", x, wanted, None if IS_HCCL else 1e-6)


def many_in_a_row():
    """Two hundred that nobody waits for."""
    x = torch.ones(100, dtype=torch.int64, device=DEVICE)
    tensors = [x * turn for turn in range(200)]
    works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
    for work in works:
        work.wait()
    expect("two hundred", tensors, [torch.full((100,), SIZE * turn) for turn in range(200)])


def buffers_that_go():
    """Tensors that the program forgets while a collective has them, and memory that others get then."""
    for turn in range(30):
        x = put(numbers(RANK, 50000, torch.float32, turn))
        work = dist.all_reduce(x, dist.ReduceOp.MAX, async_op=True)
        y = torch.zeros(50000, device=DEVICE)
        y += 1
        work.wait()
        wanted = torch.stack(of_all(50000, torch.float32, turn)).amax(0)
        del y
        expect(f"turn {turn}", x, wanted)


def other_streams_go_on():
    """A rank that comes late holds up the collective of the others, and nothing else of theirs."""
    if not IS_HCCL or SIZE == 1:
        return
    dist.barrier()
    wait_for_device()
    x = torch.ones(10, device=DEVICE)
    if RANK == SIZE - 1:
        time.sleep(2)
        dist.all_reduce(x)
    else:
        side = torch.npu.Stream()
        start = time.monotonic()
        work = dist.all_reduce(x, async_op=True)
        with torch.npu.stream(side):
            y = torch.arange(100000, device=DEVICE, dtype=torch.float32) * 2
            side.synchronize()
        expect("beside a collective that waits", time.monotonic() - start < 1.5, True)
        expect("which is not complete", work.is_completed(), False)
        expect("what was computed meanwhile", y, torch.arange(100000, dtype=torch.float32) * 2)
        work.wait()
    expect("when it has come", x, torch.full((10,), float(SIZE)))


def on_streams_of_the_program():
    if not IS_HCCL:
        return
    streams = [torch.npu.Stream() for _ in range(3)]
    tensors = []
    for turn in range(9):
        with torch.npu.stream(streams[turn % 3]):
            x = put(numbers(RANK, 5000, torch.int64, turn))
            dist.all_reduce(x)
            tensors.append(x + 1)
    wait_for_device()
    for turn, x in enumerate(tensors):
        expect(f"stream {turn % 3}", x, sum(of_all(5000, torch.int64, turn)) + 1)


def events_and_times():
    """An event behind a collective is complete when the collective is."""
    if not IS_HCCL:
        return
    before, behind = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    x = torch.ones(1 << 18, device=DEVICE)
    before.record()
    dist.all_reduce(x)
    behind.record()
    behind.synchronize()
    expect("the event's time", before.elapsed_time(behind) > 0, True)
    expect("summed", x, torch.full((1 << 18,), float(SIZE)))


if __name__ == "__main__":
    run(between_operators, many_in_a_row, buffers_that_go, other_streams_go_on, on_streams_of_the_program,
        events_and_times)
