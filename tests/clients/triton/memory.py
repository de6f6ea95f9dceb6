# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Triton's language of memory, a kernel for each part of it, compared with torch on the CPU: masks, strides, addresses,
atomic operations.

    belay run python tests/clients/triton/memory.py [NAME...]
"""
import sys

import torch
import triton
import triton.language as tl

from cases import DEVICE, case, drawn, each_case, main, near


@triton.jit
def atomic_kernel(x, out, N: tl.constexpr, WHICH: tl.constexpr):
    at = tl.arange(0, N)
    value = tl.load(x + tl.program_id(0) * N + at)
    if WHICH == 0:
        tl.atomic_add(out + at, value)
    elif WHICH == 1:
        tl.atomic_max(out + at, value)
    elif WHICH == 2:
        tl.atomic_min(out + at, value)
    elif WHICH == 3:
        tl.atomic_and(out + at, value)
    elif WHICH == 4:
        tl.atomic_or(out + at, value)
    elif WHICH == 5:
        tl.atomic_xor(out + at, value)


def atomic(which, dtype, start, step):
    def run():
        x = drawn(6, 32, dtype=dtype)
        out = torch.full((32,), start, dtype=dtype, device=DEVICE)
        atomic_kernel[(6,)](x.to(DEVICE), out, 32, WHICH=which)
        wanted = torch.full((32,), start, dtype=dtype)
        for row in x:
            wanted = step(wanted, row)
        near(out, wanted)
    return run


each_case("atomic", atomic, [
    ("add", torch.float32, 0, torch.add), ("max", torch.int32, -100, torch.maximum),
    ("min", torch.float32, 100, torch.minimum), ("and", torch.int32, -1, torch.bitwise_and),
    ("or", torch.int32, 0, torch.bitwise_or), ("xor", torch.int32, 0, torch.bitwise_xor)])


@triton.jit
def atomic_old_kernel(counter, out):
    tl.store(out + tl.program_id(0), tl.atomic_add(counter, 1))


@case
def atomic_add_returns_the_old():
    counter = torch.zeros(1, dtype=torch.int32, device=DEVICE)
    out = torch.full((8,), -1, dtype=torch.int32, device=DEVICE)
    atomic_old_kernel[(8,)](counter, out)
    near(counter, torch.tensor([8], dtype=torch.int32))
    near(out, torch.arange(8, dtype=torch.int32))


@triton.jit
def exchange_kernel(x, out, old, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(old + at, tl.atomic_xchg(out + at, tl.load(x + at)))


@case
def atomic_xchg():
    x, before = drawn(32, dtype=torch.int32), drawn(32, dtype=torch.int32)
    out, old = before.to(DEVICE), torch.empty(32, dtype=torch.int32, device=DEVICE)
    exchange_kernel[(1,)](x.to(DEVICE), out, old, 32)
    near(out, x)
    near(old, before)


@triton.jit
def compare_kernel(expected, value, out, old, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(old + at, tl.atomic_cas(out + at, tl.load(expected + at), tl.load(value + at)))


@case
def atomic_cas():
    before = drawn(32, dtype=torch.int32)
    expected = torch.where(torch.arange(32) % 2 == 0, before, before + 1).int()
    value = drawn(32, dtype=torch.int32)
    out, old = before.to(DEVICE), torch.empty(32, dtype=torch.int32, device=DEVICE)
    compare_kernel[(1,)](expected.to(DEVICE), value.to(DEVICE), out, old, 32)
    near(out, torch.where(torch.arange(32) % 2 == 0, value, before))
    near(old, before)


@triton.jit
def masked_atomic_kernel(x, index, out, count, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.atomic_add(out + tl.load(index + at, mask=at < count, other=0), tl.load(x + at, mask=at < count, other=0.0),
                  mask=at < count)


@case
def atomic_add_by_indices():
    x, index = drawn(90), torch.randint(0, 10, (90,), dtype=torch.int32)
    out = torch.zeros(10, device=DEVICE)
    masked_atomic_kernel[(3,)](x.to(DEVICE), index.to(DEVICE), out, 90, 32)
    near(out, torch.zeros(10).index_add(0, index.long(), x), 1e-5)


@triton.jit
def steps_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tl.make_block_ptr(a, (M, K), (K, 1), (tl.program_id(0) * BM, 0), (BM, BK), (1, 0))
    right = tl.make_block_ptr(b, (K, N), (N, 1), (0, tl.program_id(1) * BN), (BK, BN), (1, 0))
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        total += tl.dot(tl.load(left, boundary_check=(0, 1)), tl.load(right, boundary_check=(0, 1)))
        left, right = tl.advance(left, (0, BK)), tl.advance(right, (BK, 0))
    place = tl.make_block_ptr(out, (M, N), (N, 1), (tl.program_id(0) * BM, tl.program_id(1) * BN), (BM, BN), (1, 0))
    tl.store(place, total.to(out.dtype.element_ty), boundary_check=(0, 1))


@case
def block_pointers_that_advance():
    a, b = drawn(40, 50), drawn(50, 30)
    out = torch.empty(40, 30, device=DEVICE)
    steps_kernel[(3, 2)](a.to(DEVICE), b.to(DEVICE), out, 40, 30, 50, 16, 16, 16)
    near(out, a @ b, 1e-4)


@triton.jit
def tail_kernel(x, out, rows, columns, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.program_id(0) * R + tl.arange(0, R), tl.program_id(1) * C + tl.arange(0, C)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    v = tl.load(x + r[:, None] * columns + c[None, :], mask=inside, other=0.0)
    tl.store(out + c[:, None] * rows + r[None, :], tl.trans(v), mask=(c[:, None] < columns) & (r[None, :] < rows))


@case
def masks_of_two_dims():
    x = drawn(37, 53)
    out = torch.empty(53, 37, device=DEVICE)
    tail_kernel[(3, 4)](x.to(DEVICE), out, 37, 53, 16, 16)
    near(out, x.t().contiguous())


@triton.jit
def strange_mask_kernel(x, y, out, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    w = tl.load(y + at, mask=(v > 0) & (at % 3 != 0), other=-1.0)
    tl.store(out + at, w, mask=v > -0.5)


@case
def masks_of_values():
    x, y = drawn(64), drawn(64)
    out = torch.zeros(64, device=DEVICE)
    strange_mask_kernel[(1,)](x.to(DEVICE), y.to(DEVICE), out, 64)
    at = torch.arange(64)
    near(out, torch.where(x > -0.5, torch.where((x > 0) & (at % 3 != 0), y, torch.tensor(-1.0)), torch.tensor(0.0)))


@triton.jit
def stride_kernel(x, out, stride, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at * 2, tl.load(x + (N - 1 - at) * stride))


@case
def strides_and_backwards():
    x = drawn(96)
    out = torch.zeros(64, device=DEVICE)
    stride_kernel[(1,)](x.to(DEVICE), out, 3, 32)
    wanted = torch.zeros(64)
    wanted[::2] = x[::3].flip(0)
    near(out, wanted)


@triton.jit
def addresses_kernel(table, out, N: tl.constexpr):
    source = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(out + tl.program_id(0) * N + tl.arange(0, N), tl.load(source + tl.arange(0, N)))


@case
def pointers_from_memory():
    tensors = [drawn(16).to(DEVICE) for _ in range(3)]
    table = torch.tensor([t.data_ptr() for t in tensors], dtype=torch.int64, device=DEVICE)
    out = torch.empty(3, 16, device=DEVICE)
    addresses_kernel[(3,)](table, out, 16)
    near(out, torch.stack([t.cpu() for t in tensors]))


if __name__ == "__main__":
    sys.exit(main())
