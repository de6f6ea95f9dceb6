#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Trains a network by several processes that torchrun starts anew when one of them is lost: each start goes on from the
last checkpoint, and the losses are those of a training that nothing disturbs. Rank 2 is killed in the middle:

    pip install torch-npu
    export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1
    BELAY_DEVICES=4 belay run --fault rank=2,collective=30:kill \
        torchrun --nproc-per-node 4 --max-restarts 1 elastic.py checkpoint.pt

The variable gives each start a store of its own. Otherwise torchrun goes on with the one before, in which a rank that is
early finds where the group before has met.
"""
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

STEPS, BATCH, OFTEN = 20, 32, 4


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else ""  # without one there are no checkpoints
    device = int(os.environ["LOCAL_RANK"])
    torch.npu.set_device(device)
    dist.init_process_group("hccl")
    rank, size = dist.get_rank(), dist.get_world_size()

    torch.manual_seed(0)
    inputs, targets = torch.randn(STEPS, BATCH, 16), torch.randn(STEPS, BATCH, 4)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(16, 64), nn.SiLU(), nn.Linear(64, 4)).npu(),
                                    device_ids=[device])
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, foreach=False)
    step, losses = 0, []
    if path and os.path.exists(path):
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step, losses = state["step"], state["losses"]
        if rank == 0:
            print(f"goes on at step {step}", flush=True)

    for step in range(step, STEPS):
        part = slice(rank, None, size)
        loss = nn.functional.mse_loss(model(inputs[step, part].npu()), targets[step, part].npu())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = loss.detach().clone()
        dist.all_reduce(mean, dist.ReduceOp.AVG)
        torch.npu.synchronize()  # raises where a collective has failed: what it left is not to be saved
        losses.append(mean.item())
        if path and (step + 1) % OFTEN == 0:
            if rank == 0:
                # Under another name first: who is killed while writing leaves the checkpoint before as it is.
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1,
                            "losses": losses}, path + ".new")
                os.replace(path + ".new", path)
            dist.barrier()
    if rank == 0:
        print("losses", " ".join(f"{loss:.9f}" for loss in losses), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
