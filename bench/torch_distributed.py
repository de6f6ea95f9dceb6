#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""torch.distributed on Belay (hccl, npu) beside torch.distributed on the CPU (gloo): all_reduce and steps of DDP.

    scripts/bench.sh --torch-distributed

Both are in the same processes and take turns; a time is the median of the longest rank's, from the call to the end of
the work. Each process computes with as many threads as OMP_NUM_THREADS and BELAY_THREADS say.
"""
import argparse
import copy
import os
import statistics
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

SIZES = (4 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20)
GOALS = {"all_reduce": 1 / 0.9, "step": 1.2}
GLOO = {}  # the group of all ranks on the CPU, once there is one


def seconds(work, repetitions):
    """Of one repetition, in the rank that takes longest."""
    dist.barrier(group=GLOO["group"])
    start = time.perf_counter()
    for _ in range(repetitions):
        work()
    found = torch.tensor((time.perf_counter() - start) / repetitions, dtype=torch.float64)
    dist.all_reduce(found, dist.ReduceOp.MAX, group=GLOO["group"])
    return found.item()


def together(works, turns, least):
    """Medians for {device: work}, which take turns."""
    repetitions = {}
    for device, work in works.items():
        work()
        repetitions[device] = max(1, min(200, int(least / seconds(work, 2))))
    times = {device: [] for device in works}
    for _ in range(turns):
        for device, work in works.items():
            times[device].append(seconds(work, repetitions[device]))
    return {device: statistics.median(values) for device, values in times.items()}


def row(name, kind, works, options):
    found = together(works, options.turns, options.least)
    ratio = found["npu"] / found["cpu"]
    if dist.get_rank() == 0:
        late = "" if ratio <= GOALS[kind] else "   longer than the goal"
        print(f"{name:28} {found['cpu'] * 1e3:10.3f} {found['npu'] * 1e3:10.3f} {ratio:7.2f}{late}", flush=True)


def all_reduce(tensor):
    group = GLOO["group"] if tensor.device.type == "cpu" else None

    def work():
        dist.all_reduce(tensor, group=group)
        if tensor.device.type == "npu":
            torch.npu.synchronize()

    return work


def collectives(options):
    for size in SIZES:
        if size > options.largest:
            break
        x = torch.zeros(size // 4)
        name = f"all_reduce of {size >> 10} KiB" if size < 1 << 20 else f"all_reduce of {size >> 20} MiB"
        row(name, "all_reduce", {"cpu": all_reduce(x), "npu": all_reduce(x.npu())}, options)


def perceptron():
    return nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.SiLU(), nn.Linear(1024, 16))


def convolutions():
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64 * 64, 16))


def step_of(model, inputs, parallel):
    if parallel:
        options = {"device_ids": [torch.npu.current_device()]} if inputs.device.type == "npu" else {
            "process_group": GLOO["group"]}
        model = DistributedDataParallel(model, **options)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, foreach=False)
    targets = torch.zeros(len(inputs), 16, device=inputs.device)

    def step():
        optimizer.zero_grad()
        functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
        if inputs.device.type == "npu":
            torch.npu.synchronize()

    return step


def training(options):
    models = {"MLP 512-1024-1024-16": (perceptron, (256, 512)), "CNN 32-64, 32 of 32 x 32": (convolutions, (32, 3, 32, 32))}
    for name, (make, shape) in models.items():
        model, inputs = make(), torch.randn(shape)
        for parallel in (True, False):
            works = {"cpu": step_of(copy.deepcopy(model), inputs, parallel),
                     "npu": step_of(copy.deepcopy(model).npu(), inputs.npu(), parallel)}
            row(name if parallel else "  without communication", "step", works, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=7, help="measurements of each (7)")
    parser.add_argument("--least", type=float, default=0.05, help="seconds that a measurement lasts at least (0.05)")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="bytes of the largest all_reduce")
    parser.add_argument("--sections", default="collectives,training")
    options = parser.parse_args()
    torch.npu.set_device(int(os.environ["LOCAL_RANK"]) % torch.npu.device_count())
    threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    dist.init_process_group("hccl")
    GLOO["group"] = dist.new_group(backend="gloo")
    if dist.get_rank() == 0:
        print(f"PyTorch {torch.__version__}, {dist.get_world_size()} processes, threads of each: {threads}")
        print(f"{'ms':28} {'cpu':>10} {'npu':>10} {'times':>7}", flush=True)
    sections = {"collectives": collectives, "training": training}
    for name in options.sections.split(","):
        sections[name](options)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
