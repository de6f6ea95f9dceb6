#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""PyTorch for Ascend on Belay beside PyTorch on the CPU, with the same threads, in turns: training steps of three models,
what one small operator costs, and each kind of operator at 1K and 1M elements. All figures are ratios of medians.

    scripts/bench.sh --torch-npu [--threads N] [--rounds N] [--only PATTERN]

A ratio is torch's time over Belay's for operators (1.0 and more: Belay is as fast), and Belay's time over torch's for
training steps. BELAY_THREADS and torch get the same number. Times of an operator are those of many calls and one
synchronise; torch_npu's own share of each call, a few microseconds, is in them, and is most of them at 1K.
"""
import argparse
import copy
import fnmatch
import os
import statistics
import sys
import time

parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--rounds", type=int, default=9)
parser.add_argument("--only", default="*", help="a pattern of rows")
options = parser.parse_args()
if os.environ.get("BELAY_THREADS") != str(options.threads):  # it is read when the library is loaded
    os.environ["BELAY_THREADS"] = str(options.threads)
    os.execv(sys.executable, [sys.executable] + sys.argv)

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

torch.set_num_threads(options.threads)
DEVICES = ("cpu", "npu")


def in_turns(run, repetitions):
    """The median seconds of one run on each device."""
    times = {device: [] for device in DEVICES}
    for device in DEVICES:
        run(device)
    torch.npu.synchronize()
    for _ in range(options.rounds):
        for device in DEVICES:
            begin = time.perf_counter()
            for _ in range(repetitions):
                run(device)
            if device == "npu":
                torch.npu.synchronize()
            times[device].append((time.perf_counter() - begin) / repetitions)
    return [statistics.median(times[device]) for device in DEVICES]


def mlp():
    return nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 10)), (512, 512)


def cnn():
    def block(inputs, outputs):
        return [nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU()]
    return nn.Sequential(*block(3, 32), *block(32, 32), nn.MaxPool2d(2), *block(32, 64), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(64 * 64, 10)), (16, 3, 32, 32)


class Transformer(nn.Module):
    """Two blocks of attention and a perceptron, on sequences of vectors."""

    def __init__(self, width=256, heads=8):
        super().__init__()
        self.heads = heads
        self.blocks = nn.ModuleList(nn.ModuleDict({
            "norm": nn.LayerNorm(width), "qkv": nn.Linear(width, 3 * width), "out": nn.Linear(width, width),
            "perceptron": nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(),
                                        nn.Linear(4 * width, width))}) for _ in range(2))
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        for block in self.blocks:
            batch, length, width = x.shape
            parts = block["qkv"](block["norm"](x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            mixed = F.scaled_dot_product_attention(*parts, is_causal=True)
            x = x + block["out"](mixed.transpose(1, 2).reshape(batch, length, width))
            x = x + block["perceptron"](x)
        return self.head(x.mean(1))


def transformer():
    return Transformer(), (8, 128, 256)


def training_steps():
    print("A training step           torch ms  Belay ms  Belay / torch")
    for make in (mlp, cnn, transformer):
        if not fnmatch.fnmatch(make.__name__, options.only):
            continue
        torch.manual_seed(0)
        model, shape = make()
        inputs, targets = torch.randn(shape), torch.randint(0, 10, shape[:1])
        state = {}
        for device in DEVICES:
            own = copy.deepcopy(model).to(device)
            state[device] = own, torch.optim.AdamW(own.parameters()), inputs.to(device), targets.to(device)

        def step(device, state=state):
            own, optimizer, x, y = state[device]
            optimizer.zero_grad()
            F.cross_entropy(own(x), y).backward()
            optimizer.step()

        try:
            cpu, npu = in_turns(step, 1)
        except RuntimeError as error:
            print(f"{make.__name__:24} {str(error).splitlines()[0][:80]}")
            continue
        print(f"{make.__name__:24} {cpu * 1e3:9.1f} {npu * 1e3:9.1f} {npu / cpu:14.2f}", flush=True)


def small_operator():
    x = {device: torch.ones(16, device=device) for device in DEVICES}
    cpu, npu = in_turns(lambda device: x[device] + 1.0, 1000)
    print(f"x + 1 of 16 elements: torch {cpu * 1e6:.2f} us, through torch_npu {npu * 1e6:.2f} us; Belay's own share is in "
          "`bench --sections calls`\n")


def tensor(*shape, below=None):
    """Random numbers, or indices below a bound."""
    return torch.randn(shape) if below is None else torch.randint(0, below, shape)


def rows():
    """name, goal, function, tensors: of 1K and of 1M elements."""
    for count, side in ((1024, 32), (1 << 20, 1024)):
        x, y = tensor(side, count // side), tensor(side, count // side)
        flat, positive = x.flatten(), x.abs() + 0.1
        mask, index = x > 0, tensor(side, count // side, below=side)
        one = {name: (lambda a, f=getattr(torch, name): f(a)) for name in (
            "abs", "ceil", "cos", "erf", "exp", "floor", "neg", "reciprocal", "rsqrt", "sigmoid", "sign", "sin", "sqrt",
            "tanh", "log", "log1p", "isfinite", "bitwise_not")}
        for name, function in one.items():
            argument = mask if name == "bitwise_not" else positive if name in ("rsqrt", "sqrt", "log", "log1p") else x
            yield name, count, 1.0, function, (argument,)
        for name in ("add", "sub", "mul", "div", "maximum", "minimum", "eq", "lt", "ge"):
            yield name, count, 1.0, getattr(torch, name), (x, y)
        yield "pow", count, 1.0, lambda a: a ** 2.5, (positive,)
        yield "clamp", count, 1.0, lambda a: a.clamp(-1, 1), (x,)
        yield "where", count, 1.0, torch.where, (mask, x, y)
        yield "addcmul", count, 1.0, torch.addcmul, (x, y, positive)
        yield "lerp", count, 1.0, lambda a, b: torch.lerp(a, b, 0.3), (x, y)
        for name in ("relu", "gelu", "silu", "elu", "celu", "softplus", "mish", "hardtanh", "hardsigmoid", "hardswish",
                     "logsigmoid", "leaky_relu", "glu"):
            yield name, count, 1.0, getattr(F, name), (x,)
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "binary_cross_entropy_with_logits"):
            yield name, count, 1.0, getattr(F, name), (x, y)
        yield "sum", count, 1.0, torch.sum, (x,)
        yield "sum last", count, 1.0, lambda a: a.sum(1), (x,)
        yield "sum first", count, 1.0, lambda a: a.sum(0), (x,)
        yield "mean", count, 1.0, lambda a: a.mean(1), (x,)
        yield "max", count, 1.0, lambda a: a.max(1), (x,)
        yield "argmax", count, 1.0, lambda a: a.argmax(1), (x,)
        yield "amax", count, 1.0, lambda a: a.amax(0), (x,)
        yield "std", count, 1.0, lambda a: a.std(1), (x,)
        yield "norm", count, 1.0, torch.norm, (x,)
        yield "prod", count, 1.0, lambda a: a.prod(1), (x,)
        yield "logsumexp", count, 1.0, lambda a: a.logsumexp(1), (x,)
        yield "any", count, 1.0, torch.any, (mask,)
        yield "softmax", count, 1.0, lambda a: a.softmax(1), (x,)
        yield "log_softmax", count, 1.0, lambda a: a.log_softmax(1), (x,)
        yield "layer_norm", count, 1.0, lambda a: F.layer_norm(a, a.shape[1:]), (x,)
        yield "batch_norm", count, 1.0, lambda a: F.batch_norm(a, None, None, training=True), (
            x.view(4, side // 4, -1),)
        yield "group_norm", count, 1.0, lambda a: F.group_norm(a, 4), (x.view(4, side // 4, -1),)
        yield "cumsum", count, 1.0, lambda a: a.cumsum(1), (x,)
        yield "cumprod", count, 1.0, lambda a: a.cumprod(1), (x,)
        yield "cummax", count, 1.0, lambda a: a.cummax(1), (x,)
        yield "sort", count, 1.0, lambda a: a.sort(1), (x,)
        yield "topk", count, 1.0, lambda a: a.topk(8, 1), (x,)
        yield "median", count, 1.0, lambda a: a.median(1), (x,)
        yield "index_select", count, 1.0, lambda a, i: a.index_select(0, i), (x, index[:, 0].contiguous())
        yield "gather", count, 1.0, lambda a, i: a.gather(0, i), (x, index)
        yield "scatter_add", count, 1.0, lambda a, i, b: a.scatter_add(0, i, b), (x, index, y)
        yield "index", count, 1.0, lambda a, i: a[i], (x, index[:, 0].contiguous())
        yield "masked_select", count, 1.0, torch.masked_select, (x, mask)
        yield "masked_fill", count, 1.0, lambda a, m: a.masked_fill(m, 0.0), (x, mask)
        yield "nonzero", count, 1.0, torch.nonzero, (mask,)
        yield "embedding", count, 1.0, F.embedding, (index[:, 0].contiguous(), x)
        yield "unique", count, 1.0, torch.unique, (index,)
        yield "cat", count, 1.0, lambda a, b: torch.cat((a, b), 1), (x, y)
        yield "stack", count, 1.0, lambda a, b: torch.stack((a, b)), (x, y)
        yield "transpose", count, 1.0, lambda a: a.t().contiguous(), (x,)
        yield "flip", count, 1.0, lambda a: a.flip(1), (x,)
        yield "roll", count, 1.0, lambda a: a.roll(3, 1), (x,)
        yield "tril", count, 1.0, torch.tril, (x,)
        yield "repeat", count, 1.0, lambda a: a.repeat(2, 1), (x,)
        yield "pad", count, 1.0, lambda a: F.pad(a, (1, 1)), (x,)
        yield "to half", count, 1.0, lambda a: a.half(), (x,)
        yield "dot", count, 0.8, torch.dot, (flat, y.flatten())
        yield "mm", count, 0.8, torch.mm, (tensor(side, side), tensor(side, side))
        yield "mv", count, 0.8, torch.mv, (tensor(side, side), tensor(side))
        yield "bmm", count, 0.8, torch.bmm, (tensor(count // 1024, 32, 32), tensor(count // 1024, 32, 32))
        yield "conv2d", count, 0.6, lambda a, w: F.conv2d(a, w, padding=1), (
            tensor(max(count >> 14, 1), 16, 32, 32)[..., :32 if count > 1024 else 4, :32 if count > 1024 else 16],
            tensor(16, 16, 3, 3))
        yield "max_pool2d", count, 1.0, lambda a: F.max_pool2d(a, 2), (x.view(1, 1, side, -1),)
        yield "attention", count, 0.8, F.scaled_dot_product_attention, (
            *(tensor(max(count >> 16, 1), 4, 256 if count > 1024 else 16, 64 if count > 1024 else 16) for _ in range(3)),)


def operators():
    print("operator          elements  torch us  Belay us  torch / Belay  goal")
    missed = []
    for name, count, goal, function, arguments in rows():
        if not fnmatch.fnmatch(name, options.only):
            continue
        own = {device: tuple(argument.to(device) for argument in arguments) for device in DEVICES}
        try:
            cpu, npu = in_turns(lambda device: function(*own[device]), 200 if count == 1024 else 10)
        except RuntimeError as error:
            print(f"{name:17} {count:8}  {str(error).splitlines()[0][:80]}")
            missed.append(name)
            continue
        if cpu / npu < goal:
            missed.append(f"{name} {count}")
        print(f"{name:17} {count:8} {cpu * 1e6:9.1f} {npu * 1e6:9.1f} {cpu / npu:14.2f} {goal:5.1f}", flush=True)
    print(f"{len(missed)} below their goal: {', '.join(missed)}")


print(f"torch {torch.__version__}, {options.threads} threads each, medians of {options.rounds} rounds in turns")
training_steps()
if options.only == "*":
    small_operator()
operators()
