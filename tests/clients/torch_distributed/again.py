# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Groups that end and begin anew in one process, and an exit that ends nothing."""
import os
import time

import torch
import torch.distributed as dist
from support import ranks
from support.ranks import DEVICE, IS_HCCL, RANK, SIZE, expect, put, run


def threads_and_files():
    """How many of both the process has."""
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))


def several_times():
    """Each time with other connections, of which nothing stays behind."""
    # torchrun's store keeps what the groups before have written: each has a part of it for itself.
    store = dist.distributed_c10d._get_default_store()
    counts = []
    for turn in range(8):
        dist.destroy_process_group()
        own = dist.PrefixStore(f"turn {turn}", store)
        dist.init_process_group(ranks.BACKEND, store=own, rank=RANK, world_size=SIZE)
        x = put(torch.full((1000,), RANK + turn))
        dist.all_reduce(x)
        expect(f"turn {turn}", x, torch.full((1000,), sum(rank + turn for rank in range(SIZE))))
        if SIZE > 1 and RANK < 2:
            if RANK == 0:
                dist.send(x, 1)
            else:
                dist.recv(x, 0)
        if IS_HCCL:
            torch.npu.synchronize()
        time.sleep(0.5)  # for the meeting places of this turn to be closed
        counts.append(threads_and_files())
        dist.barrier()  # whoever ends the group takes connections from those who have not counted yet
        if IS_HCCL:
            torch.npu.synchronize()
    if IS_HCCL:
        grown = [(early, late) for early, late in zip(counts[3], counts[7]) if late > early]
        expect("threads and files that are more after turn 7 than after turn 3", grown, [])


def without_destroy():
    """The process ends with a group that is there, and with a result that nobody has waited for."""
    for work in [dist.all_reduce(torch.ones(1000, device=DEVICE), async_op=True) for _ in range(10)]:
        del work
    dist.barrier()
    dist.destroy_process_group = lambda: None


if __name__ == "__main__":
    run(several_times, without_destroy)
