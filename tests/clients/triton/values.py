# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Triton's language of numbers, a kernel for each part of it, compared with torch on the CPU: dtypes, maths, random
numbers.

    belay run python tests/clients/triton/values.py [NAME...]
"""
import sys

import torch
import triton
import triton.language as tl
from triton.language.extra.ascend import libdevice

from cases import DEVICE, case, drawn, each_case, main, near


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


each_case("libdevice", device, [
    ("tanh", torch.tanh, 1e-6), ("atan", torch.atan, 1e-6), ("tan", torch.tan, 1e-3),
    ("log1p", lambda v: v.abs().log1p(), 1e-6), ("reciprocal", lambda v: 1 / v, 1e-3), ("relu", torch.relu, 0),
    ("pow", lambda v: v.abs() ** v, 1e-2), ("round", lambda v: (v * 3).round(), 0), ("isnan", torch.ones_like, 0),
    ("isinf", torch.ones_like, 0), ("expm1_sinh_cosh", lambda v: v.expm1() + v.sinh() + v.cosh(), 1e-5),
    ("hypot", lambda v: torch.hypot(v, v + 1), 1e-6), ("ldexp", lambda v: v * 8, 0)])


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


if __name__ == "__main__":
    sys.exit(main())
