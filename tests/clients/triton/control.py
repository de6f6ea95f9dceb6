# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Triton's language of programs, a kernel for each part of it, compared with torch on the CPU: loops, calls, what is
printed, grids, streams.

    belay run python tests/clients/triton/control.py [NAME...]
"""
import sys

import torch
import triton
import triton.language as tl

from cases import DEVICE, case, drawn, main, near


@triton.jit
def print_kernel(x, N: tl.constexpr):
    value = tl.load(x + tl.arange(0, N))
    tl.device_print("the value is ", value)
    tl.device_print("the program is ", tl.program_id(0))


@case
def device_print():
    print_kernel[(2,)](drawn(4, dtype=torch.int32).to(DEVICE), 4)
    print_kernel[(1,)](drawn(4).to(DEVICE), 4)


@triton.jit
def assert_kernel(x, out, N: tl.constexpr):
    value = tl.load(x + tl.arange(0, N))
    tl.device_assert(value < 100, "less than 100 is expected")
    tl.static_assert(N == 32)
    tl.static_print("N is", N)
    tl.store(out + tl.arange(0, N), value)


@case
def asserts():
    x = drawn(32)
    out = torch.empty(32, device=DEVICE)
    assert_kernel[(1,)](x.to(DEVICE), out, 32)
    near(out, x)


@triton.jit
def while_kernel(x, out, bound):
    row = tl.program_id(0)
    at, total = 0, 0.0
    while (total < bound) & (at < 32):
        total += tl.load(x + row * 32 + at)
        at += 1
    tl.store(out + row, at)


@case
def while_loops():
    x = torch.rand(4, 32)
    out = torch.empty(4, dtype=torch.int32, device=DEVICE)
    while_kernel[(4,)](x.to(DEVICE), out, 5.0)
    wanted = []
    for row in x:
        at, total = 0, torch.tensor(0.0)
        while total < 5 and at < 32:
            total = total + row[at]
            at += 1
        wanted.append(at)
    near(out, torch.tensor(wanted, dtype=torch.int32))


@triton.jit
def hints_kernel(x, out, stride, N: tl.constexpr):
    stride = tl.multiple_of(stride, 16)
    at = tl.max_contiguous(tl.multiple_of(tl.program_id(0) * stride + tl.arange(0, N), N), N)
    tl.assume(stride > 0)
    v = tl.load(x + at, eviction_policy="evict_first", cache_modifier=".cg")
    tl.debug_barrier()
    tl.store(out + at, tl.cdiv(v, 3))


@case
def hints():
    x = torch.randint(0, 100, (128,), dtype=torch.int32)
    out = torch.empty(128, dtype=torch.int32, device=DEVICE)
    hints_kernel[(4,)](x.to(DEVICE), out, 32, 32)
    near(out, (x + 2) // 3)


@triton.jit
def range_kernel(x, out, N: tl.constexpr):
    total = tl.zeros((N,), tl.float32)
    for i in tl.static_range(4):
        total += tl.load(x + i * N + tl.arange(0, N)) * (i + 1)
    for i in tl.range(0, 4, 2, num_stages=2):
        total -= tl.load(x + i * N + tl.arange(0, N))
    tl.store(out + tl.arange(0, N), total)


@case
def ranges():
    x = drawn(4, 32)
    out = torch.empty(32, device=DEVICE)
    range_kernel[(1,)](x.to(DEVICE), out, 32)
    near(out, x[1] * 2 + x[2] * 2 + x[3] * 4, 1e-5)


@triton.jit
def many_kernel(x, out, sizes, N: tl.constexpr):
    x_id, y_id, z_id = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    program = (z_id * tl.num_programs(1) + y_id) * tl.num_programs(0) + x_id
    tl.store(out + program * N + tl.arange(0, N), tl.load(x + program * N + tl.arange(0, N)) + z_id)
    if program == 0:
        tl.store(sizes, tl.num_programs(0) * 100 + tl.num_programs(1) * 10 + tl.num_programs(2))


@case
def grids_of_three():
    x = drawn(24, 16)
    out, sizes = torch.empty(24, 16, device=DEVICE), torch.empty(1, dtype=torch.int32, device=DEVICE)
    many_kernel[(2, 3, 4)](x.to(DEVICE), out, sizes, 16)
    near(out, x + (torch.arange(24) // 6)[:, None])
    near(sizes, torch.tensor([234], dtype=torch.int32))


@triton.jit
def two_results(v, LOW: tl.constexpr):
    if LOW:
        return v - 1, v * 2
    return v + 1, v * 4


@triton.jit(noinline=False)
def calls_kernel(x, out, N: tl.constexpr):
    a, b = two_results(tl.load(x + tl.arange(0, N)), True)
    c, d = two_results(a, LOW=False)
    tl.store(out + tl.arange(0, N), a + b + c + d)


@case
def calls():
    x = drawn(32)
    out = torch.empty(32, device=DEVICE)
    calls_kernel[(1,)](x.to(DEVICE), out, 32)
    near(out, (x - 1) + x * 2 + x + (x - 1) * 4, 1e-5)


@triton.jit
def early_kernel(x, out, count, N: tl.constexpr):
    program = tl.program_id(0)
    if program >= count:
        return
    tl.store(out + program * N + tl.arange(0, N), tl.load(x + program * N + tl.arange(0, N)))


@case
def early_returns():
    x = drawn(4, 16)
    out = torch.zeros(4, 16, device=DEVICE)
    early_kernel[(4,)](x.to(DEVICE), out, 3, 16)
    wanted = x.clone()
    wanted[3] = 0
    near(out, wanted)


@case
def streams():
    tensors, outs = [drawn(4096) for _ in range(4)], []
    streams = [torch.npu.Stream() for _ in range(4)]
    given = [t.to(DEVICE) for t in tensors]
    torch.npu.synchronize()
    for stream, x in zip(streams, given):
        with torch.npu.stream(stream):
            out = torch.zeros(4096, device=DEVICE)
            given_to = x
            for _ in range(5):
                halves_of_streams[(16,)](given_to, out, 256)
                given_to = out
            outs.append(out)
    torch.npu.synchronize()
    for out, x in zip(outs, tensors):
        near(out, x * 0.5 ** 5, 0)


@triton.jit
def halves_of_streams(x, out, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + at, tl.load(x + at) * 0.5)


if __name__ == "__main__":
    sys.exit(main())
