# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What PyTorch builds on groups: meshes of devices, DTensor, layers whose columns and rows the ranks share out,
optimizers that share out their state, and samplers."""
import torch
import torch.distributed as dist
from support.ranks import DEVICE, IS_HCCL, RANK, SIZE, expect, put, run
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def layers():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16)).to(DEVICE)


def tensors_of_all():
    mesh = init_device_mesh(DEVICE, (SIZE,))
    whole = torch.arange(SIZE * 6 * 5, dtype=torch.float32).view(SIZE * 6, 5)
    rows = distribute_tensor(put(whole), mesh, [Shard(0)])
    expect("its part", rows.to_local(), whole[RANK * 6:(RANK + 1) * 6])
    expect("gathered", rows.full_tensor(), whole)
    expect("of columns", rows.redistribute(mesh, [Replicate()]).to_local(), whole)
    expect("sum", rows.sum().full_tensor(), whole.sum())


def columns_and_rows():
    mesh = init_device_mesh(DEVICE, (SIZE,))
    x = torch.randn(8, 16, generator=torch.Generator().manual_seed(2))
    alone = layers()
    wanted = alone(put(x))
    (wanted * wanted).mean().backward()
    model = parallelize_module(layers(), mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    got = model(put(x))
    (got * got).mean().backward()
    expect("forward", got, wanted.detach().cpu(), 1e-5)
    expect("gradient", model[0].weight.grad.full_tensor(), alone[0].weight.grad.cpu(), 1e-5)


def state_of_optimizers():
    ids = [torch.npu.current_device()] if IS_HCCL else None
    x = torch.randn(8, 16, generator=torch.Generator().manual_seed(3))
    results = []
    for kind in ("shared", "whole"):
        model = DistributedDataParallel(layers(), device_ids=ids)
        if kind == "shared":
            optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=1e-2)
        else:
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        for _ in range(3):
            optimizer.zero_grad()
            y = model(put(x))
            (y * y).mean().backward()
            optimizer.step()
        results.append([parameter.detach().cpu() for parameter in model.parameters()])
    expect("parameters", results[0], results[1], 1e-6)


def samples():
    """Every sample goes to one rank."""
    data = TensorDataset(torch.arange(SIZE * 12))
    sampler = DistributedSampler(data, shuffle=True, seed=4)
    mine = torch.cat([batch for (batch,) in DataLoader(data, batch_size=5, sampler=sampler)])
    got = [torch.zeros_like(mine, device=DEVICE) for _ in range(SIZE)]
    dist.all_gather(got, put(mine))
    expect("samples", torch.cat(got).cpu().sort().values, torch.arange(SIZE * 12))


if __name__ == "__main__":
    run(tensors_of_all, columns_and_rows, state_of_optimizers, samples)
