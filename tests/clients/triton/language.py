# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""More of Triton's language, a kernel for each part of it, compared with torch on the CPU.

    belay run python tests/clients/triton/language.py [NAME...]
"""
import sys

import torch
import triton
import triton.language as tl
from triton.language.extra.ascend import libdevice

from cases import DEVICE, case, drawn, main, near


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


for number, (name, dtype, start, step) in enumerate([
        ("add", torch.float32, 0, torch.add), ("max", torch.int32, -100, torch.maximum),
        ("min", torch.float32, 100, torch.minimum), ("and", torch.int32, -1, torch.bitwise_and),
        ("or", torch.int32, 0, torch.bitwise_or), ("xor", torch.int32, 0, torch.bitwise_xor)]):
    run = atomic(number, dtype, start, step)
    run.__name__ = "atomic_" + name
    case(run)


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
def integers_kernel(x, y, out, N: tl.constexpr):
    at = tl.arange(0, N)
    a, b = tl.load(x + at), tl.load(y + at)
    tl.store(out + at, tl.where(a > b, a - b, a + b) * 3 // 2)


@case
def integers():
    for dtype in (torch.int8, torch.int16, torch.int32, torch.int64):
        x, y = (drawn(64, dtype=dtype) // 3).to(dtype), (drawn(64, dtype=dtype) // 3).to(dtype)
        out = torch.empty(64, dtype=dtype, device=DEVICE)
        integers_kernel[(1,)](x.to(DEVICE), y.to(DEVICE), out, 64)
        v = torch.where(x > y, x - y, x + y).to(dtype) * 3
        near(out, torch.div(v, 2, rounding_mode="trunc").to(dtype))


@triton.jit
def unsigned_kernel(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at).to(tl.uint32, bitcast=True)
    tl.store(out + at, ((v >> 3) % 1000 + v // 7).to(tl.int32, bitcast=True))


@case
def unsigned():
    x = torch.randint(-2**31, 2**31 - 1, (64,), dtype=torch.int32)
    out = torch.empty(64, dtype=torch.int32, device=DEVICE)
    unsigned_kernel[(1,)](x.to(DEVICE), out, 64)
    v = x.long() & 0xffffffff
    near(out, ((v >> 3) % 1000 + v // 7).to(torch.int32))


@triton.jit
def bools_kernel(x, y, out, N: tl.constexpr):
    at = tl.arange(0, N)
    a, b = tl.load(x + at), tl.load(y + at)
    tl.store(out + at, (a & ~b) | (a == b))


@case
def booleans():
    x, y = torch.rand(64) > 0.5, torch.rand(64) > 0.5
    out = torch.empty(64, dtype=torch.bool, device=DEVICE)
    bools_kernel[(1,)](x.to(DEVICE), y.to(DEVICE), out, 64)
    near(out, (x & ~y) | (x == y))


@triton.jit
def scalars_kernel(x, out, count, factor, shift, flag, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at, mask=at < count, other=0.0)
    if flag:
        v = v * factor
    tl.store(out + at, v + shift, mask=at < count)


@case
def scalars():
    x = drawn(60)
    for factor, shift, flag in ((2.5, 3, True), (1.0, 1 << 40, False)):
        out = torch.empty(60, device=DEVICE)
        scalars_kernel[(1,)](x.to(DEVICE), out, 60, factor, shift, flag, 64)
        near(out, (x * factor if flag else x) + float(shift), 1e-6)


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


for number, (name, count, function, bound) in enumerate([
        ("reshape", 128, lambda x: x, 0), ("permute", 128, lambda x: x.view(2, 4, 16).permute(2, 0, 1), 0),
        ("split", 128, lambda x: torch.cat([x[:, 0::2], x[:, 1::2]]), 0),
        ("join", 256, lambda x: torch.stack([x, x * 2], -1), 0), ("flip", 128, lambda x: x.flip(1), 0),
        ("cat", 32, lambda x: torch.cat([x.sum(0), x.sum(0) * 2]), 1e-5),
        ("broadcast", 128, lambda x: x.sum(1, keepdim=True).expand(8, 16), 1e-5), ("ravel", 128, lambda x: x, 0)]):
    run = shape(number, count, function, bound)
    run.__name__ = "shape_" + name
    case(run)


@triton.jit
def device_kernel(x, out, N: tl.constexpr, WHICH: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    if WHICH == 0:
        v = libdevice.tanh(v)
    elif WHICH == 1:
        v = libdevice.atan(v)
    elif WHICH == 2:
        v = libdevice.tan(v)
    elif WHICH == 3:
        v = libdevice.log1p(tl.abs(v))
    elif WHICH == 4:
        v = libdevice.reciprocal(v)
    elif WHICH == 5:
        v = libdevice.relu(v)
    elif WHICH == 6:
        v = libdevice.pow(tl.abs(v), v)
    elif WHICH == 7:
        v = libdevice.round(v * 3)
    elif WHICH == 8:
        v = tl.where(libdevice.isnan(v / 0.0 * 0.0), 1.0, 0.0)
    elif WHICH == 9:
        v = tl.where(libdevice.isinf(v / 0.0), 1.0, 0.0)
    elif WHICH == 10:
        v = libdevice.expm1(v) + libdevice.sinh(v) + libdevice.cosh(v)
    elif WHICH == 11:
        v = libdevice.hypot(v, v + 1)
    elif WHICH == 12:
        v = libdevice.ldexp(v, tl.full((N,), 3.0, tl.float32))
    tl.store(out + tl.arange(0, N), v)


def device(which, function, bound):
    def run():
        x = drawn(64)
        out = torch.empty(64, device=DEVICE)
        device_kernel[(1,)](x.to(DEVICE), out, 64, WHICH=which)
        near(out, function(x), bound)
    return run


for number, (name, function, bound) in enumerate([
        ("tanh", torch.tanh, 1e-6), ("atan", torch.atan, 1e-6), ("tan", torch.tan, 1e-3),
        ("log1p", lambda v: v.abs().log1p(), 1e-6), ("reciprocal", lambda v: 1 / v, 1e-3), ("relu", torch.relu, 0),
        ("pow", lambda v: v.abs() ** v, 1e-2), ("round", lambda v: (v * 3).round(), 0), ("isnan", torch.ones_like, 0),
        ("isinf", torch.ones_like, 0), ("expm1_sinh_cosh", lambda v: v.expm1() + v.sinh() + v.cosh(), 1e-5),
        ("hypot", lambda v: torch.hypot(v, v + 1), 1e-6), ("ldexp", lambda v: v * 8, 0)]):
    run = device(number, function, bound)
    run.__name__ = "libdevice_" + name
    case(run)


@triton.jit
def philox_kernel(out, normal, whole, seed, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.rand(seed, at))
    tl.store(normal + at, tl.randn(seed, at))
    tl.store(whole + at, tl.randint(seed, at).to(tl.int32, bitcast=True))


@case
def philox():
    out, normal = torch.empty(1024, device=DEVICE), torch.empty(1024, device=DEVICE)
    whole = torch.empty(1024, dtype=torch.int32, device=DEVICE)
    philox_kernel[(1,)](out, normal, whole, 5, 1024)
    key, counter, mask = [5, 0], torch.arange(1024), 0xffffffff
    c = [counter, torch.zeros_like(counter), torch.zeros_like(counter), torch.zeros_like(counter)]

    def product(a, b):  # triton-ascend takes both for signed
        whole = torch.where(a >= 1 << 31, a - (1 << 32), a) * (b - (1 << 32))
        return (whole >> 32) & mask, whole & mask
    for _ in range(10):
        high_a, low_a = product(c[0], 0xD2511F53)
        high_b, low_b = product(c[2], 0xCD9E8D57)
        c = [high_b ^ c[1] ^ key[0], low_b, high_a ^ c[3] ^ key[1], low_a]
        key = [(key[0] + 0x9E3779B9) & mask, (key[1] + 0xBB67AE85) & mask]
    near(whole, c[0].to(torch.int32))
    assert abs(out.mean().item() - 0.5) < 0.03 and abs(normal.std().item() - 1) < 0.1


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
def halves_kernel(x, y, out, N: tl.constexpr):
    at = tl.arange(0, N)
    a, b = tl.load(x + at), tl.load(y + at)
    tl.store(out + at, tl.maximum(a * b + a, b) / 2)


@case
def halves():
    for dtype in (torch.float16, torch.bfloat16):
        x, y = drawn(64, dtype=dtype), drawn(64, dtype=dtype)
        out = torch.empty(64, dtype=dtype, device=DEVICE)
        halves_kernel[(1,)](x.to(DEVICE), y.to(DEVICE), out, 64)
        near(out, torch.maximum(x * y + x, y) / 2, 0.0)


@triton.jit
def extremes_kernel(x, y, out, N: tl.constexpr):
    at = tl.arange(0, N)
    a, b = tl.load(x + at), tl.load(y + at)
    tl.store(out + at, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + N + at, tl.minimum(a, b))


@case
def extremes_of_nan():
    x, y = drawn(64), drawn(64)
    x[::5], y[::7] = float("nan"), float("nan")
    out = torch.empty(128, device=DEVICE)
    extremes_kernel[(1,)](x.to(DEVICE), y.to(DEVICE), out, 64)
    near(out, torch.cat([torch.maximum(x, y), torch.fmin(x, y)]))


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
