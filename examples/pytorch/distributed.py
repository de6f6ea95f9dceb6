#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Trains a network by several processes, each with a device and a part of the data, and beside it, in each process,
a copy with all the data: the losses are the same.

    pip install torch-npu
    BELAY_DEVICES=4 belay run torchrun --nproc-per-node 4 distributed.py
"""
import copy
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

EPOCHS, BATCH = 5, 64  # a batch of all processes together
TOLERANCE = 1e-5  # relative: sums over the batch are made of sums over its parts


def loss_of(model, inputs, targets):
    difference = model(inputs.npu()) - targets.npu()
    return (difference * difference).mean()


def main():
    device = int(os.environ["LOCAL_RANK"])
    torch.npu.set_device(device)
    dist.init_process_group("hccl")
    rank, size = dist.get_rank(), dist.get_world_size()

    torch.manual_seed(0)
    data = TensorDataset(torch.randn(512, 16), torch.randn(512, 4))
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 4)).npu()
    alone = copy.deepcopy(model)
    model = DistributedDataParallel(model, device_ids=[device])
    optimizers = [torch.optim.SGD(one.parameters(), lr=0.1, foreach=False) for one in (model, alone)]

    sampler = DistributedSampler(data, shuffle=False)  # sample i goes to process i % size
    loader = DataLoader(data, batch_size=BATCH // size, sampler=sampler)
    whole = DataLoader(data, batch_size=BATCH)
    worst = 0
    if rank == 0:
        print("epoch  together     alone")
    for epoch in range(EPOCHS):
        for mine, everything in zip(loader, whole):
            losses = [loss_of(model, *mine), loss_of(alone, *everything)]
            for loss, optimizer in zip(losses, optimizers):
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            mean = losses[0].detach().clone()
            dist.all_reduce(mean, dist.ReduceOp.AVG)
            worst = max(worst, abs(mean.item() / losses[1].item() - 1))
        if rank == 0:
            print(f"{epoch:5} {mean.item():9.6f} {losses[1].item():9.6f}")
    if rank == 0:
        print(f"the losses of {EPOCHS * len(loader)} steps of {size} processes agree to {worst:.1e}")
    dist.destroy_process_group()
    return 0 if worst <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
