#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""PyTorch for Ascend on Belay beside PyTorch on the CPU: training steps, small calls, convolutions, operators, parts of
large models.

    scripts/bench.sh --torch-npu

Both use as many threads, which OMP_NUM_THREADS and BELAY_THREADS say, and take turns; times are medians. What this
release cannot compute is told in its row. Of operators on 1024 elements a call of torch_npu takes more than its work:
with --own-time, the library that is made of bench/own_time.c, Belay's part is printed, and judged.
"""
import argparse
import copy
import ctypes
import os
import statistics
import subprocess
import sys
import time

import torch
from torch import nn
from torch.nn import functional

import torch_large_models
from resident_memory import resident


clock = time.perf_counter

# For how many seconds OpenMP's threads may poll for the next loop of PyTorch's, on processors that they take from whoever is
# next: GNU's look 300,000 times before they sleep, each time with a pause of some 10 to 50 ns.
OPENMP_POLLS = 0.03


def synchronize():
    torch.npu.synchronize()


def seconds(work, repetitions, device):
    """One measurement of so many repetitions, for one, begun once the threads of the other have gone to sleep."""
    if torch.get_num_threads() > 1:
        time.sleep(OPENMP_POLLS)
        work()
    if device == "npu":
        synchronize()
    start = clock()
    for _ in range(repetitions):
        work()
    if device == "npu":
        synchronize()
    return (clock() - start) / repetitions


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


def row(name, works, turns, least, unit, own=None):
    """Prints both times and how many times as long the device takes, which it returns, or its own part of that."""
    scale = {"ms": 1e3, "us": 1e6}[unit]
    try:
        found = together(works, turns, least)
    except RuntimeError as error:
        print(f"{name:28} {str(error).splitlines()[0][:80]}", flush=True)
        return None
    cpu, npu = found["cpu"] * scale, found["npu"] * scale
    part = "" if own is None else f" {own[0] * scale:9.2f} {own[1]:7.2f}"
    print(f"{name:28} {cpu:9.2f} {npu:9.2f} {npu / cpu:7.2f}{part}", flush=True)
    return npu / cpu if own is None else own[1]


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


def convolutional():
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64 * 64, 16))


def perceptron():
    return nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.SiLU(), nn.Linear(1024, 16))


MODELS = {
    "MLP 512-1024-1024-16": (perceptron, (512, 512)),
    "LSTM 256, 64 steps of 32": (Recurrent, (64, 32, 256)),
    "CNN 32-64, 64 of 32 x 32": (convolutional, (64, 3, 32, 32)),
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


def peak(device, name):
    """Prints what three steps of a model hold at their most beyond what the process held before there was a model."""
    torch.ones(16, 16, device=device).mm(torch.ones(16, 16, device=device)).sum().item()
    make, shape = MODELS[name]
    before = resident("VmRSS")
    step = step_of(make().to(device), torch.randn((PEAK_BATCHES * shape[0],) + shape[1:]).to(device))
    for _ in range(3):
        step()
    torch.npu.synchronize()
    print(resident("VmHWM") - before)


PEAK_BATCHES = 8  # times the batch whose step is timed, so that it is the tensors that count


def memory(_):
    print(f"{'memory of a step, MiB':28} {'cpu':>9} {'npu':>9} {'times':>7}")
    for name in MODELS:
        found = [int(subprocess.run([sys.executable, __file__, "--peak", device, name], stdout=subprocess.PIPE, text=True,
                                    check=True).stdout.split()[-1]) for device in ("cpu", "npu")]
        print(f"{name:28} {found[0] / 2**20:9.1f} {found[1] / 2**20:9.1f} {found[1] / found[0]:7.2f}", flush=True)


# The layers of the CNN above and of ResNet-18: images, channels of the input and the output, kernel, stride, side.
LAYERS = ((64, 3, 32, 3, 1, 32), (64, 32, 64, 3, 1, 16), (1, 3, 64, 7, 2, 224), (1, 64, 64, 3, 1, 56),
          (1, 64, 128, 3, 2, 56), (1, 64, 128, 1, 2, 56), (1, 128, 128, 3, 1, 28), (1, 128, 256, 3, 2, 28),
          (1, 256, 256, 3, 1, 14), (1, 256, 512, 3, 2, 14), (1, 512, 512, 3, 1, 7))


def convolution_works(layer, device, images, weight, gradient):
    """The layer's output, and the gradients of its input and of its weight."""
    *_, kernel, stride, _ = layer
    padding = kernel // 2
    images, weight, gradient = (one.to(device) for one in (images, weight, gradient))

    def gradient_of(first):
        return lambda: torch.ops.aten.convolution_backward(
            gradient, images, weight, None, [stride] * 2, [padding] * 2, [1, 1], False, [0, 0], 1, [first, not first, False])

    return {"forward": lambda: functional.conv2d(images, weight, None, stride, padding),
            "of the input": gradient_of(True), "of the weight": gradient_of(False)}


def convolutions(turns, images):
    """Of so many images at a time, or as many as the layer says."""
    print(f"\n{'a convolution, us':28} {'cpu':>9} {'npu':>9} {'times':>7}")
    found = []
    for layer in LAYERS:
        layer = (images or layer[0],) + layer[1:]
        batch, channels, kernels, kernel, stride, side = layer
        data, weight = tensor(batch, channels, side, side), tensor(kernels, channels, kernel, kernel)
        gradient = tensor(batch, kernels, side // stride, side // stride)
        works = {device: convolution_works(layer, device, data, weight, gradient) for device in ("cpu", "npu")}
        title = f"{batch}: {channels}-{kernels}, {kernel}x{kernel}" + (f" / {stride}" if stride > 1 else "") + f", {side}"
        print(title)
        found += [(row(f"  {what}", {device: of[what] for device, of in works.items()}, turns, 0.02, "us"), title, what)
                  for what in ("forward", "of the input", "of the weight")]
    missed = [f"{title} {what}" for times, title, what in found if times is None or times > 1.05]
    print(f"{len(missed)} of {len(found)} take longer than PyTorch: {'; '.join(missed)}")


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


def tensor(*shape, below=None):
    """Random numbers, or indices below a bound."""
    return torch.randn(shape) if below is None else torch.randint(0, below, shape)


def depthwise_gradients(images, weight):
    return torch.ops.aten.convolution_backward(
        images, images, weight, None, [1, 1], [1, 1], [1, 1], False, [0, 0], weight.shape[0], [True, True, False])


def operators():
    """name, elements, goal, function and tensors; a goal of 1.0 is PyTorch's time, 0.8 is 1.25 times as much."""
    for count, side in ((1 << 10, 32), (1 << 20, 1024)):
        x, y = tensor(side, count // side), tensor(side, count // side)
        flat, positive = x.flatten(), x.abs() + 0.1
        mask, index = x > 0, tensor(side, count // side, below=side)
        one = {name: (lambda a, f=getattr(torch, name): f(a)) for name in (
            "abs", "ceil", "cos", "erf", "exp", "floor", "neg", "reciprocal", "rsqrt", "sigmoid", "sign", "sin", "sqrt",
            "tanh", "tan", "asin", "atan", "log", "log1p", "log2", "log10", "exp2", "expm1", "erfc", "trunc", "isfinite",
            "bitwise_not")}
        for name, function in one.items():
            argument = mask if name == "bitwise_not" else positive if name in ("rsqrt", "sqrt", "log", "log1p", "log2", "log10") else x
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
            yield name, count, 1.0, getattr(functional, name), (x,)
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "binary_cross_entropy_with_logits"):
            yield name, count, 1.0, getattr(functional, name), (x, y)
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
        yield "layer_norm", count, 1.0, lambda a: functional.layer_norm(a, a.shape[1:]), (x,)
        yield "batch_norm", count, 1.0, lambda a: functional.batch_norm(a, None, None, training=True), (
            x.view(4, side // 4, -1),)
        yield "group_norm", count, 1.0, lambda a: functional.group_norm(a, 4), (x.view(4, side // 4, -1),)
        yield "cumsum", count, 1.0, lambda a: a.cumsum(1), (x,)
        yield "cumprod", count, 1.0, lambda a: a.cumprod(1), (x,)
        yield "cummax", count, 1.0, lambda a: a.cummax(1), (x,)
        yield "sort", count, 1.0, lambda a: a.sort(1), (x,)
        yield "topk", count, 1.0, lambda a: a.topk(8, 1), (x,)
        yield "median", count, 1.0, lambda a: a.median(1), (x,)
        yield "index_select", count, 1.0, lambda a, i: a.index_select(0, i), (x, index[:, 0].contiguous())
        yield "gather", count, 1.0, lambda a, i: a.gather(0, i), (x, index)
        yield "gather last", count, 1.0, lambda a, i: a.gather(1, i), (x, index % (count // side))
        yield "scatter", count, 1.0, lambda a, i, b: a.scatter(0, i, b), (x, index, y)
        yield "index_add", count, 1.0, lambda a, i, b: a.index_add(0, i, b), (x, index[:, 0].contiguous(), y)
        yield "index_put", count, 1.0, lambda a, i, b: a.index_put((i,), b), (x, index[:, 0].contiguous(), y)
        yield "scatter_add", count, 1.0, lambda a, i, b: a.scatter_add(0, i, b), (x, index, y)
        yield "index", count, 1.0, lambda a, i: a[i], (x, index[:, 0].contiguous())
        yield "masked_select", count, 1.0, torch.masked_select, (x, mask)
        yield "masked_fill", count, 1.0, lambda a, m: a.masked_fill(m, 0.0), (x, mask)
        yield "nonzero", count, 1.0, torch.nonzero, (mask,)
        yield "embedding", count, 1.0, functional.embedding, (index[:, 0].contiguous(), x)
        yield "unique", count, 1.0, torch.unique, (index,)
        yield "cat", count, 1.0, lambda a, b: torch.cat((a, b), 1), (x, y)
        yield "stack", count, 1.0, lambda a, b: torch.stack((a, b)), (x, y)
        yield "transpose", count, 1.0, lambda a: a.t().contiguous(), (x,)
        yield "flip", count, 1.0, lambda a: a.flip(1), (x,)
        yield "roll", count, 1.0, lambda a: a.roll(3, 1), (x,)
        yield "tril", count, 1.0, torch.tril, (x,)
        yield "repeat", count, 1.0, lambda a: a.repeat(2, 1), (x,)
        yield "pad", count, 1.0, lambda a: functional.pad(a, (1, 1)), (x,)
        yield "to half", count, 1.0, lambda a: a.half(), (x,)
        yield "dot", count, 0.8, torch.dot, (flat, y.flatten())
        yield "mm", count, 0.8, torch.mm, (tensor(side, side), tensor(side, side))
        yield "mv", count, 0.8, torch.mv, (tensor(side, side), tensor(side))
        yield "bmm", count, 0.8, torch.bmm, (tensor(count // 1024, 32, 32), tensor(count // 1024, 32, 32))
        yield "conv2d", count, 0.6, lambda a, w: functional.conv2d(a, w, padding=1), (
            tensor(max(count >> 14, 1), 16, 32, 32)[..., :32 if count > 1024 else 4, :32 if count > 1024 else 16],
            tensor(16, 16, 3, 3))
        if count > 1024:
            yield "depthwise grads", count, 0.6, depthwise_gradients, (tensor(4, 16, 128, 128), tensor(16, 1, 3, 3))
        picture = x.view(1, 1, side, -1)
        yield "erfinv", count, 1.0, torch.erfinv, (x.tanh(),)
        yield "cdist", count, 1.0, torch.cdist, (tensor(side, 64), tensor(count // side, 64))
        yield "upsample bilinear", count, 1.0, lambda a: functional.interpolate(a, scale_factor=2, mode="bilinear"), (
            tensor(1, 1, side // 2, count // side // 2),)
        yield "grid_sample", count, 1.0, lambda a, g: functional.grid_sample(a, g, align_corners=False), (
            picture, tensor(1, side, count // side, 2).tanh())
        yield "max_pool2d", count, 1.0, lambda a: functional.max_pool2d(a, 2), (picture,)
        heads = tuple(
            tensor(max(count >> 16, 1), 4, 256 if count > 1024 else 16, 64 if count > 1024 else 16) for _ in range(3))
        yield "attention", count, 0.8, functional.scaled_dot_product_attention, heads
        yield "attention bf16", count, 0.8, functional.scaled_dot_product_attention, tuple(h.bfloat16() for h in heads)


def title_of(name, count):
    return f"{name}, {count >> 20}M" if count >> 20 else f"{name}, {count >> 10}K"


def own_times(turns, wanted):
    """Prints what Belay takes of each row of 1K elements, and that by PyTorch's time; see own_times_of()."""
    taken = ctypes.CDLL(None).own_time_taken
    taken.restype = ctypes.c_double
    for name, count, _, function, tensors in operators():
        if count >> 20 or (wanted and name not in wanted):
            continue
        given, times, ratios = tuple(one.npu() for one in tensors), [], []
        try:
            for _ in range(4 * turns):
                some = []
                for _ in range(10):
                    function(*given)
                    some.append(taken())
                times.append(statistics.median(some))
                ratios.append(times[-1] / seconds(lambda: function(*tensors), 20, "cpu"))
        except RuntimeError:  # the row itself says why
            continue
        print(f"{title_of(name, count)}\t{statistics.median(times)}\t{statistics.median(ratios)}", flush=True)


def own_times_of(library, turns, wanted):
    """{title: (seconds in Belay's operators, times PyTorch's)}, from a process of one thread on one processor."""
    environment = dict(os.environ, TASK_QUEUE_ENABLE="0", LD_PRELOAD=f"{library}:{os.environ.get('LD_PRELOAD', '')}")
    found = subprocess.run([sys.executable, __file__, "--sections", "own", "--turns", str(turns),
                            "--operators", ",".join(wanted)], env=environment,
                           preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
                           stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = (line.split("\t") for line in found.splitlines() if "\t" in line)
    return {title: (float(time), float(ratio)) for title, time, ratio in rows}


def each_operator(turns, wanted, library):
    own = own_times_of(library, turns, wanted) if library else {}
    print(f"\n{'an operator, us':28} {'cpu':>9} {'npu':>9} {'times':>7} {'Belay':>9} {'times':>7}")
    missed = {"K": [], "M": []}
    count_of = {"K": 0, "M": 0}
    for name, count, goal, function, tensors in operators():
        if wanted and name not in wanted:
            continue
        title = title_of(name, count)
        given = {"cpu": tensors, "npu": tuple(one.npu() for one in tensors)}
        found = row(title, {device: lambda t=t, f=function: f(*t) for device, t in given.items()}, turns, 0.005, "us",
                    own.get(title))
        count_of[title[-1]] += 1
        if found is None or found > 1 / goal:
            missed[title[-1]].append(name)
    for size, names in missed.items():
        print(f"1{size}: {len(names)} of {count_of[size]} take longer than their goal: {'; '.join(names)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=7, help="measurements of each (7)")
    parser.add_argument("--sections", default="training,calls,operators,large")
    parser.add_argument("--processor-time", action="store_true",
                        help="of all threads of the process, for machines that other programs share")
    parser.add_argument("--images", type=int, help="of a convolution, for all layers")
    parser.add_argument("--operators", default="", help="those alone, by their names in the table")
    parser.add_argument("--own-time", metavar="LIBRARY", help="what bench/own_time.c gives")
    parser.add_argument("--peak", nargs=2, metavar=("DEVICE", "MODEL"), help="what the section memory calls")
    options = parser.parse_args()
    if options.peak:
        return peak(*options.peak)
    if options.processor_time:
        global clock
        clock = time.process_time
    threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    print(f"PyTorch {torch.__version__}, threads of both: {threads}\n")
    wanted = [name for name in options.operators.split(",") if name]
    sections = {"training": training, "memory": memory, "calls": small_calls, "own": lambda turns: own_times(turns, wanted),
                "convolutions": lambda turns: convolutions(turns, options.images),
                "operators": lambda turns: each_operator(turns, wanted, options.own_time),
                "large": lambda turns: torch_large_models.large(row, turns)}
    for name in options.sections.split(","):
        sections[name](options.turns)
    return 0


if __name__ == "__main__":
    sys.exit(main())
