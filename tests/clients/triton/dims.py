# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Triton's language of tensors, a kernel for each part of it, compared with torch on the CPU: what goes along a dim,
shapes, products in batches.

    belay run python tests/clients/triton/dims.py [NAME...]
"""
import sys

import torch
import triton
import triton.language as tl

from cases import DEVICE, case, drawn, each_case, main, near


@triton.jit
def histogram_kernel(x, out, N: tl.constexpr, BINS: tl.constexpr):
    tl.store(out + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, N)), BINS))


@case
def histogram():
    x = torch.randint(0, 16, (256,), dtype=torch.int32)
    out = torch.empty(16, dtype=torch.int32, device=DEVICE)
    histogram_kernel[(1,)](x.to(DEVICE), out, N=256, BINS=16)
    near(out, torch.bincount(x, minlength=16).int())


@triton.jit
def lines_kernel(x, index, out, R: tl.constexpr, C: tl.constexpr, K: tl.constexpr):
    value = tl.load(x + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])
    at = tl.arange(0, R)[:, None] * K + tl.arange(0, K)[None, :]
    tl.store(out + at, tl.gather(value, tl.load(index + at), 1))


@case
def gather_along():
    x, index = drawn(8, 32), torch.randint(0, 32, (8, 16), dtype=torch.int32)
    out = torch.empty(8, 16, device=DEVICE)
    lines_kernel[(1,)](x.to(DEVICE), index.to(DEVICE), out, 8, 32, 16)
    near(out, torch.gather(x, 1, index.long()))


@triton.jit
def greatest(a, b):
    return tl.maximum(a, b)


@triton.jit
def first_order(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def scan_kernel(x, out, R: tl.constexpr, C: tl.constexpr, REVERSED: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out + at, tl.associative_scan(tl.load(x + at), 1, greatest, reverse=REVERSED))


@case
def associative_scan():
    x = drawn(4, 16)
    out = torch.empty(4, 16, device=DEVICE)
    scan_kernel[(1,)](x.to(DEVICE), out, 4, 16, REVERSED=False)
    near(out, x.cummax(1).values)


@case
def associative_scan_reversed():
    x = drawn(4, 16)
    out = torch.empty(4, 16, device=DEVICE)
    scan_kernel[(1,)](x.to(DEVICE), out, 4, 16, REVERSED=True)
    near(out, x.flip(1).cummax(1).values.flip(1))


@triton.jit
def recurrence_kernel(a, b, out, N: tl.constexpr):
    at = tl.arange(0, N)
    _, state = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 0, first_order)
    tl.store(out + at, state)


@case
def associative_scan_of_pairs():
    a, b = torch.rand(32), drawn(32)
    out = torch.empty(32, device=DEVICE)
    recurrence_kernel[(1,)](a.to(DEVICE), b.to(DEVICE), out, 32)
    wanted, state = [], torch.tensor(0.0)
    for i in range(32):
        state = a[i] * state + b[i]
        wanted.append(state)
    near(out, torch.stack(wanted), 1e-5)


@triton.jit
def sums_kernel(x, out, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr, REVERSED: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out + at, tl.cumsum(tl.load(x + at), axis=AXIS, reverse=REVERSED))


@case
def cumsum_of_dtypes():
    for dtype, bound in ((torch.float32, 1e-5), (torch.float16, 2e-2), (torch.bfloat16, 2e-1), (torch.int32, 0),
                         (torch.int64, 0)):
        x = drawn(8, 16, dtype=dtype)
        for axis in (0, 1):
            out = torch.empty(8, 16, dtype=dtype, device=DEVICE)
            sums_kernel[(1,)](x.to(DEVICE), out, 8, 16, AXIS=axis, REVERSED=axis == 1)
            wanted = (x.double().flip(1).cumsum(1).flip(1) if axis == 1 else x.double().cumsum(0)).to(dtype)
            near(out, wanted, bound)


@triton.jit
def sort_kernel(x, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out + at, tl.sort(tl.load(x + at), 1, True))


@case
def sort_of_rows():
    for dtype in (torch.float32, torch.float16, torch.int32, torch.int8):
        x = drawn(4, 32, dtype=dtype)
        out = torch.empty(4, 32, dtype=dtype, device=DEVICE)
        sort_kernel[(1,)](x.to(DEVICE), out, 4, 32)
        near(out, x.sort(1, descending=True).values)


@triton.jit
def places_kernel(x, values, places, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    v = tl.load(x + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])
    value, place = tl.max(v, axis=AXIS, return_indices=True)
    n: tl.constexpr = C if AXIS == 0 else R
    tl.store(values + tl.arange(0, n), value)
    tl.store(places + tl.arange(0, n), place)


@case
def extremes_with_places():
    x = drawn(8, 16)
    for axis, n in ((0, 16), (1, 8)):
        values, places = torch.empty(n, device=DEVICE), torch.empty(n, dtype=torch.int32, device=DEVICE)
        places_kernel[(1,)](x.to(DEVICE), values, places, 8, 16, AXIS=axis)
        near(values, x.max(axis).values)
        near(places, x.max(axis).indices.int())


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def folds_kernel(x, out, R: tl.constexpr, C: tl.constexpr, WHICH: tl.constexpr):
    v = tl.load(x + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])
    if WHICH == 0:
        result = tl.reduce(v, 1, times)
    elif WHICH == 1:
        result = tl.xor_sum(v.to(tl.int32, bitcast=True), 1).to(tl.float32, bitcast=True)
    else:
        result = tl.sum(tl.sum(v, 0), 0) + tl.zeros((R,), tl.float32)
    tl.store(out + tl.arange(0, R), result)


@case
def reduce_by_a_function():
    x = drawn(8, 16)
    out = torch.empty(8, device=DEVICE)
    folds_kernel[(1,)](x.to(DEVICE), out, 8, 16, WHICH=0)
    near(out, x.prod(1), 1e-4)


@case
def reduce_by_xor():
    x = torch.rand(8, 16)
    out = torch.empty(8, device=DEVICE)
    folds_kernel[(1,)](x.to(DEVICE), out, 8, 16, WHICH=1)
    bits = x.view(torch.int32)
    wanted = bits[:, 0].clone()
    for k in range(1, 16):
        wanted ^= bits[:, k]
    near(out.view(torch.int32), wanted)


@case
def reduce_to_a_scalar():
    x = drawn(8, 16)
    out = torch.empty(8, device=DEVICE)
    folds_kernel[(1,)](x.to(DEVICE), out, 8, 16, WHICH=2)
    near(out, x.sum().expand(8).clone(), 1e-4)


@triton.jit
def shapes_kernel(x, out, WHICH: tl.constexpr):
    v = tl.load(x + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :])
    if WHICH == 0:
        v = tl.reshape(v, (16, 8))
        tl.store(out + tl.arange(0, 16)[:, None] * 8 + tl.arange(0, 8)[None, :], v)
    elif WHICH == 1:
        v = tl.permute(tl.reshape(v, (2, 4, 16)), (2, 0, 1))
        tl.store(out + tl.arange(0, 128), tl.reshape(v, (128,)))
    elif WHICH == 2:
        left, right = tl.split(tl.reshape(v, (8, 8, 2)))
        tl.store(out + tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :], left)
        tl.store(out + 64 + tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :], right)
    elif WHICH == 3:
        joined = tl.join(v, v * 2)
        tl.store(out + tl.arange(0, 256), tl.reshape(joined, (256,)))
    elif WHICH == 4:
        tl.store(out + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :], tl.flip(v, 1))
    elif WHICH == 5:
        row = tl.sum(v, 0)
        both = tl.cat(row, row * 2, can_reorder=True)
        tl.store(out + tl.arange(0, 32), both)
    elif WHICH == 6:
        row = tl.expand_dims(tl.sum(v, 1), 1)
        tl.store(out + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :], tl.broadcast_to(row, (8, 16)))
    elif WHICH == 7:
        tl.store(out + tl.arange(0, 128), tl.ravel(v))


def shape(which, count, function, bound=0.0):
    def run():
        x = drawn(8, 16)
        out = torch.zeros(count, device=DEVICE)
        shapes_kernel[(1,)](x.to(DEVICE), out, WHICH=which)
        near(out, function(x).reshape(-1), bound)
    return run


each_case("shape", shape, [
    ("reshape", 128, lambda x: x, 0), ("permute", 128, lambda x: x.view(2, 4, 16).permute(2, 0, 1), 0),
    ("split", 128, lambda x: torch.cat([x[:, 0::2], x[:, 1::2]]), 0),
    ("join", 256, lambda x: torch.stack([x, x * 2], -1), 0), ("flip", 128, lambda x: x.flip(1), 0),
    ("cat", 32, lambda x: torch.cat([x.sum(0), x.sum(0) * 2]), 1e-5),
    ("broadcast", 128, lambda x: x.sum(1, keepdim=True).expand(8, 16), 1e-5), ("ravel", 128, lambda x: x, 0)])


@triton.jit
def batch_kernel(a, b, out, B: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, B)[:, None, None] * N * N + tl.arange(0, N)[None, :, None] * N + tl.arange(0, N)[None, None, :]
    tl.store(out + at, tl.dot(tl.load(a + at), tl.load(b + at)))


@case
def dot_in_batches():
    a, b = drawn(4, 16, 16), drawn(4, 16, 16)
    out = torch.empty(4, 16, 16, device=DEVICE)
    batch_kernel[(1,)](a.to(DEVICE), b.to(DEVICE), out, 4, 16)
    near(out, a @ b, 1e-4)


@triton.jit
def slices_kernel(x, out):
    v = tl.load(x + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :])
    part = tl.extract_slice(v, (2, 4), (4, 8), (1, 1))
    v = tl.insert_slice(v, part * 2, (0, 0), (4, 8), (1, 1))
    tl.store(out + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :], v)


@case
def slices():
    x = drawn(8, 16)
    out = torch.empty(8, 16, device=DEVICE)
    slices_kernel[(1,)](x.to(DEVICE), out)
    wanted = x.clone()
    wanted[:4, :8] = x[2:6, 4:12] * 2
    near(out, wanted)


@triton.jit
def element_kernel(x, out):
    v = tl.load(x + tl.arange(0, 16))
    tl.store(out, tl.get_element(v, (3,)) + tl.get_element(v, (5,)))


@case
def elements():
    x = drawn(16)
    out = torch.empty(1, device=DEVICE)
    element_kernel[(1,)](x.to(DEVICE), out)
    near(out, (x[3] + x[5]).reshape(1))


if __name__ == "__main__":
    sys.exit(main())
