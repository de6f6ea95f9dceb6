#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""PyTorch for Ascend on Belay beside PyTorch on the CPU: training steps, small calls, operators.

    scripts/bench.sh --torch-npu

Both use as many threads, which OMP_NUM_THREADS and BELAY_THREADS say, and take turns; times are medians. What this
release cannot compute is told in its row.
"""
import argparse
import copy
import ctypes
import os
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional

ELEMENTS = (1 << 10, 1 << 20)


def synchronize():
    torch.npu.synchronize()


def seconds(work, repetitions, device):
    """One measurement of so many repetitions, for one."""
    if device == "npu":
        synchronize()
    start = time.perf_counter()
    for _ in range(repetitions):
        work()
    if device == "npu":
        synchronize()
    return (time.perf_counter() - start) / repetitions


def together(works, turns, least):
    """Medians for {device: work}, which take turns; repetitions last for so many seconds or more."""
    repetitions = {device: 1 for device in works}
    for device, work in works.items():
        work()
        while seconds(work, repetitions[device], device) * repetitions[device] < least:
            repetitions[device] *= 2
    times = {device: [] for device in works}
    for _ in range(turns):
        for device, work in works.items():
            times[device].append(seconds(work, repetitions[device], device))
    return {device: statistics.median(values) for device, values in times.items()}


def row(name, works, turns, least, unit):
    """Prints both times and how many times as long the device takes."""
    scale = {"ms": 1e3, "us": 1e6}[unit]
    try:
        found = together(works, turns, least)
    except RuntimeError as error:
        print(f"{name:28} {str(error).splitlines()[0][:80]}", flush=True)
        return False
    cpu, npu = found["cpu"] * scale, found["npu"] * scale
    print(f"{name:28} {cpu:9.2f} {npu:9.2f} {npu / cpu:7.2f}", flush=True)
    return True


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(256, 256)
        self.layer = nn.Linear(256, 16)

    def forward(self, inputs):
        return self.layer(self.lstm(inputs)[0])


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.TransformerEncoderLayer(256, 4, 512, dropout=0.0, batch_first=True)
        self.layer = nn.Linear(256, 16)

    def forward(self, inputs):
        return self.layer(self.block(inputs))


def convolutions():
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64 * 64, 16))


def perceptron():
    return nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.SiLU(), nn.Linear(1024, 16))


MODELS = {
    "MLP 512-1024-1024-16": (perceptron, (512, 512)),
    "LSTM 256, 64 steps of 32": (Recurrent, (64, 32, 256)),
    "CNN 32-64, 64 of 32 x 32": (convolutions, (64, 3, 32, 32)),
    "transformer 256, 128 of 8": (Transformer, (8, 128, 256)),
}


def step_of(model, inputs):
    """A training step."""
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, foreach=False)
    with torch.no_grad():
        targets = torch.zeros_like(model(inputs))

    def step():
        optimizer.zero_grad()
        functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()

    return step


def training(turns):
    print(f"{'a training step, ms':28} {'cpu':>9} {'npu':>9} {'times':>7}")
    for name, (make, shape) in MODELS.items():
        model, inputs = make(), torch.randn(shape)
        try:
            works = {"cpu": step_of(model, inputs), "npu": step_of(copy.deepcopy(model).npu(), inputs.npu())}
        except RuntimeError as error:
            print(f"{name:28} {str(error).splitlines()[0][:80]}", flush=True)
            continue
        row(name, works, turns, 0.02, "ms")


class Direct:
    """aclnnAdd as C programs call it, on 16 elements."""

    def __init__(self):
        self.opapi = ctypes.CDLL("libopapi.so")
        self.base = ctypes.CDLL("libnnopbase.so")
        self.base.aclCreateTensor.restype = self.base.aclCreateScalar.restype = ctypes.c_void_p
        self.base.aclGetRecentErrMsg.restype = ctypes.c_char_p
        self.memory = torch.ones(3, 16, device="npu")
        shape, stride = (ctypes.c_int64 * 1)(16), (ctypes.c_int64 * 1)(1)
        one, one_dim = ctypes.c_float(1), ctypes.c_uint64(1)
        tensors = [
            ctypes.c_void_p(
                self.base.aclCreateTensor(shape, one_dim, 0, stride, ctypes.c_int64(0), 2, shape, one_dim,
                                          ctypes.c_void_p(self.memory[i].data_ptr()))) for i in range(3)
        ]
        scalar = ctypes.c_void_p(self.base.aclCreateScalar(ctypes.byref(one), 0))
        self.bytes, self.executor = ctypes.c_uint64(0), ctypes.c_void_p(None)
        self.first = (tensors[0], tensors[1], scalar, tensors[2], ctypes.byref(self.bytes), ctypes.byref(self.executor))
        self.stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)

    def call(self):
        status = self.opapi.aclnnAddGetWorkspaceSize(*self.first)
        status = status or self.opapi.aclnnAdd(None, self.bytes, self.executor, self.stream)
        assert status == 0, self.base.aclGetRecentErrMsg()

    def call_nothing(self):
        """What Python itself takes for two calls with as many arguments."""
        self.nothing(*self.first)
        self.nothing(None, self.bytes, self.executor, self.stream)

    nothing = ctypes.CDLL(None).labs


def small_calls(turns):
    print(f"\n{'a call on 16 elements, us':28} {'cpu':>9} {'npu':>9} {'times':>7}")
    numbers = {"cpu": torch.ones(16), "npu": torch.ones(16, device="npu")}
    for name, function in {"add": torch.add, "mul": torch.mul, "sigmoid": lambda a, _: torch.sigmoid(a)}.items():
        row(name, {device: lambda a=a, f=function: f(a, a) for device, a in numbers.items()}, turns, 0.02, "us")
    direct = Direct()
    found = together({"npu": direct.call, "nothing": direct.call_nothing}, turns, 0.02)
    print(f"of add, Belay's share        {(found['npu'] - found['nothing']) * 1e6:20.2f}")


def operators():
    """Of an input of elements / 1024 rows, at least one."""
    unary = ("abs", "neg", "exp", "log1p", "sqrt", "rsqrt", "sin", "tanh", "sigmoid", "erf", "floor")
    table = {name: getattr(torch, name) for name in unary}
    table |= {name: getattr(functional, name) for name in ("relu", "gelu", "silu", "hardswish", "leaky_relu")}
    table |= {name: lambda a, f=getattr(torch, name): f(a, a)
              for name in ("add", "mul", "div", "maximum", "pow", "atan2", "eq", "lt")}
    table |= {
        "sum": torch.sum,
        "mean of rows": lambda a: a.mean(1),
        "max of rows": lambda a: a.amax(1),
        "softmax": lambda a: torch.softmax(a, 1),
        "layer_norm": lambda a: functional.layer_norm(a, a.shape[1:]),
        "sort": lambda a: torch.sort(a, 1),
        "cumsum": lambda a: torch.cumsum(a, 1),
        "transposed copy": lambda a: a.t().contiguous(),
        "cat": lambda a: torch.cat([a, a]),
        "where": lambda a: torch.where(a > 0, a, -a),
        "to float16": lambda a: a.half(),
        "index_select": lambda a: a.index_select(0, torch.zeros(a.shape[0], dtype=torch.int64, device=a.device)),
        "matmul": lambda a: a @ a.t()[:, :64],
    }
    return table


def each_operator(turns):
    for elements in ELEMENTS:
        title = f"{elements} elements, us"
        print(f"\n{title:28} {'cpu':>9} {'npu':>9} {'times':>7}")
        on_cpu = torch.rand(max(1, elements // 1024), 1024) + 0.1
        inputs = {"cpu": on_cpu, "npu": on_cpu.npu()}
        for name, function in operators().items():
            row(name, {device: lambda a=a, f=function: f(a) for device, a in inputs.items()}, turns, 0.005, "us")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=7, help="measurements of each (7)")
    parser.add_argument("--sections", default="training,calls,operators")
    options = parser.parse_args()
    threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    print(f"PyTorch {torch.__version__}, threads of both: {threads}\n")
    sections = {"training": training, "calls": small_calls, "operators": each_operator}
    for name in options.sections.split(","):
        sections[name](options.turns)
    return 0


if __name__ == "__main__":
    sys.exit(main())
