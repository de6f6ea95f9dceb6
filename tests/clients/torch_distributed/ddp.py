# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""DistributedDataParallel: each rank trains with its part of the batch, and losses and parameters are those of one
process with all of it, on the same device."""
import contextlib
import copy

import torch
import torch.distributed as dist
from support.ranks import DEVICE, IS_HCCL, RANK, SIZE, expect, put, run
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel

STEPS = 10
BATCH = 24  # of all ranks together
TOLERANCE = 1e-5


def perceptron():
    return nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 4))


def convolutions():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(64, 4))


class Unused(nn.Module):
    """Some of its parameters have no gradient in some steps."""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(nn.Linear(16, 4) for _ in range(3))
        self.turn = 0

    def forward(self, x):
        self.turn += 1
        return self.parts[0](x) + self.parts[1 + self.turn % 2](x)


def loss_of(model, inputs, targets):
    difference = model(inputs) - targets
    return (difference * difference).mean()


def wrapped(model, **options):
    ids = [torch.npu.current_device()] if IS_HCCL else None
    return DistributedDataParallel(model, device_ids=ids, **options)


def optimizer_of(model):
    return torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, foreach=False)


def data(shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(STEPS, BATCH, *shape, generator=generator), torch.randn(STEPS, BATCH, 4, generator=generator))


def compare(what, make, shape, tolerance=TOLERANCE, hook=None, **options):
    """A step of all ranks beside one of a process alone."""
    torch.manual_seed(1 + RANK)  # the ranks begin with different parameters; those of rank 0 count
    model = put_model(make())
    parallel = wrapped(model, **options)
    if hook:
        parallel.register_comm_hook(None, hook)
    alone = copy.deepcopy(model)
    optimizers = optimizer_of(parallel), optimizer_of(alone)
    inputs, targets = data(shape)
    share = BATCH // SIZE
    for step in range(STEPS):
        mine = slice(RANK * share, (RANK + 1) * share)
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss = loss_of(parallel, put(inputs[step, mine]), put(targets[step, mine]))
        loss.backward()
        optimizers[0].step()
        whole = loss_of(alone, put(inputs[step]), put(targets[step]))
        whole.backward()
        optimizers[1].step()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        expect(f"{what}: loss of step {step}", mean / SIZE, whole.detach().cpu(), tolerance)
    for (name, one), other in zip(model.named_parameters(), alone.parameters()):
        expect(f"{what}: {name}", one, other.detach().cpu(), 10 * tolerance)
    same_everywhere(what, model)


def same_everywhere(what, model):
    """The ranks have the same bits."""
    for name, parameter in model.named_parameters():
        first = parameter.detach().clone()
        dist.broadcast(first, 0)
        expect(f"{what}: {name} of rank {RANK}", parameter, first.cpu())


def put_model(model):
    return model.to(DEVICE)


def models():
    compare("perceptron", perceptron, (16,))
    compare("convolutions", convolutions, (3, 8, 8))


def options():
    compare("small buckets", perceptron, (16,), bucket_cap_mb=0.005)
    compare("gradients as views", perceptron, (16,), gradient_as_bucket_view=True)
    compare("static graph", perceptron, (16,), static_graph=True)
    compare("unused parameters", Unused, (16,), find_unused_parameters=True)
    compare("16 bits on the way", perceptron, (16,), 2e-2, hook=default_hooks.fp16_compress_hook)


def accumulation():
    """Two small batches a step, without communication in the first."""
    torch.manual_seed(1)
    model = put_model(perceptron())
    alone = copy.deepcopy(model)
    parallel = wrapped(model)
    optimizers = optimizer_of(parallel), optimizer_of(alone)
    inputs, targets = data((16,), 3)
    share = BATCH // SIZE
    for step in range(0, STEPS, 2):
        for optimizer in optimizers:
            optimizer.zero_grad()
        mine = slice(RANK * share, (RANK + 1) * share)
        for part in (step, step + 1):
            with parallel.no_sync() if part == step else contextlib.nullcontext():
                (loss_of(parallel, put(inputs[part, mine]), put(targets[part, mine])) / 2).backward()
            (loss_of(alone, put(inputs[part]), put(targets[part])) / 2).backward()
        for optimizer in optimizers:
            optimizer.step()
    for (name, one), other in zip(model.named_parameters(), alone.parameters()):
        expect(f"accumulation: {name}", one, other.detach().cpu(), 10 * TOLERANCE)
    same_everywhere("accumulation", model)


def uneven():
    """Ranks with more batches than others: nobody waits for ever."""
    model = put_model(perceptron())
    parallel = wrapped(model)
    optimizer = optimizer_of(parallel)
    inputs, targets = data((16,), 4)
    steps = 0
    with Join([parallel]):
        for step in range(3 + RANK):
            optimizer.zero_grad()
            loss_of(parallel, put(inputs[step, :4]), put(targets[step, :4])).backward()
            optimizer.step()
            steps += 1
    expect("steps", steps, 3 + RANK)
    same_everywhere("uneven", model)


def buffers():
    """Running statistics follow rank 0."""
    torch.manual_seed(1)
    model = put_model(nn.Sequential(nn.Linear(16, 8), nn.BatchNorm1d(8), nn.Linear(8, 4)))
    parallel = wrapped(model)
    inputs, targets = data((16,), 5)
    share = BATCH // SIZE
    for step in range(3):
        mine = slice(RANK * share, (RANK + 1) * share)
        loss_of(parallel, put(inputs[step, mine]), put(targets[step, mine])).backward()
    parallel(put(inputs[3]))
    first = model[1].running_mean.clone()
    dist.broadcast(first, 0)
    expect("running mean", model[1].running_mean, first.cpu(), 1e-6)


def synchronised():
    """SyncBatchNorm is the batch norm of the whole batch, forward and backward."""
    if not IS_HCCL:
        return  # PyTorch has none for the CPU
    torch.manual_seed(1)
    alone = put_model(nn.Sequential(nn.Linear(16, 8, bias=False), nn.BatchNorm1d(8), nn.Linear(8, 4)))
    model = nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(alone))
    parallel = wrapped(model)
    inputs, targets = data((16,), 7)
    share = BATCH // SIZE
    mine = slice(RANK * share, (RANK + 1) * share)
    for step in range(3):
        loss_of(parallel, put(inputs[step, mine]), put(targets[step, mine])).backward()
        loss_of(alone, put(inputs[step]), put(targets[step])).backward()
    for (name, one), other in zip(model.named_parameters(), alone.parameters()):
        expect(f"synchronised: {name}", one.grad, other.grad.cpu(), 10 * TOLERANCE)
    for (name, one), other in zip(model.named_buffers(), alone.buffers()):
        expect(f"synchronised: {name}", one, other.cpu(), 10 * TOLERANCE)


def clipped():
    """clip_grad_norm_ and AdamW after the gradients have been averaged."""
    torch.manual_seed(1)
    model = put_model(perceptron())
    alone = copy.deepcopy(model)
    parallel = wrapped(model)
    pairs = [(one, torch.optim.AdamW(one.parameters(), lr=1e-2)) for one in (parallel, alone)]
    inputs, targets = data((16,), 6)
    share = BATCH // SIZE
    for step in range(STEPS):
        mine = slice(RANK * share, (RANK + 1) * share)
        for (one, optimizer), rows in zip(pairs, (mine, slice(None))):
            optimizer.zero_grad()
            loss_of(one, put(inputs[step, rows]), put(targets[step, rows])).backward()
            nn.utils.clip_grad_norm_(one.parameters(), 0.5)
            optimizer.step()
    for (name, one), other in zip(model.named_parameters(), alone.parameters()):
        expect(f"clipped: {name}", one, other.detach().cpu(), 1e-3)
    same_everywhere("clipped", model)


if __name__ == "__main__":
    run(models, options, accumulation, uneven, buffers, synchronised, clipped)
