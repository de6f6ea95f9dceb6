# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Triton kernels over the language, each compared with torch on the CPU: one line per kernel, "right" or what is wrong.

    belay run python tests/clients/triton/kernels.py [NAME...]

The exit status is 1 when one is not right.
"""
import sys

import torch
import triton
import triton.language as tl

from cases import DEVICE, case, drawn, each_case, main, near


@triton.jit
def add_kernel(x, y, out, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    tl.store(out + index, tl.load(x + index, mask=inside) + tl.load(y + index, mask=inside), mask=inside)


@case
def add():
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int8, torch.int64):
        x, y = drawn(1000, dtype=dtype), drawn(1000, dtype=dtype)
        out = torch.empty(1000, dtype=dtype, device=DEVICE)
        add_kernel[(triton.cdiv(1000, 128),)](x.to(DEVICE), y.to(DEVICE), out, 1000, BLOCK=128)
        near(out, x + y)


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    index = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + index, mask=index < columns, other=-float("inf"))
    value = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * columns + index, value / tl.sum(value, axis=0), mask=index < columns)


@case
def softmax():
    x = drawn(7, 100)
    out = torch.empty(7, 100, device=DEVICE)
    softmax_kernel[(7,)](x.to(DEVICE), out, 100, BLOCK=128)
    near(out, torch.softmax(x, 1), 1e-6)


@triton.jit
def maths_kernel(x, out, count, WHICH: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.arange(0, BLOCK)
    v = tl.load(x + index, mask=index < count, other=1.0)
    if WHICH == 0:
        v = tl.exp(v)
    elif WHICH == 1:
        v = tl.log(tl.abs(v) + 0.5)
    elif WHICH == 2:
        v = tl.sin(v) + tl.cos(v)
    elif WHICH == 3:
        v = tl.sqrt(tl.abs(v))
    elif WHICH == 4:
        v = tl.sigmoid(v)
    elif WHICH == 5:
        v = tl.exp2(v) + tl.log2(tl.abs(v) + 1.0)
    elif WHICH == 6:
        v = tl.rsqrt(tl.abs(v) + 1.0)
    elif WHICH == 7:
        v = tl.math.erf(v)
    elif WHICH == 8:
        v = tl.floor(v) + tl.ceil(v)
    elif WHICH == 9:
        v = tl.maximum(v, 0.25) + tl.minimum(v, -0.25)
    elif WHICH == 10:
        v = tl.where(v > 0, v, v * 0.1)
    elif WHICH == 11:
        v = tl.fma(v, v, v)
    elif WHICH == 12:
        v = tl.clamp(v, -0.5, 0.5)
    tl.store(out + index, v, mask=index < count)


def maths(which, function, bound=1e-5):
    def run():
        x = drawn(200)
        out = torch.empty(200, device=DEVICE)
        maths_kernel[(1,)](x.to(DEVICE), out, 200, WHICH=which, BLOCK=256)
        near(out, function(x), bound)
    return run


each_case("maths", maths, [
    ("exp", torch.exp), ("log", lambda v: torch.log(v.abs() + 0.5)), ("sin_cos", lambda v: v.sin() + v.cos()),
    ("sqrt", lambda v: v.abs().sqrt()), ("sigmoid", torch.sigmoid),
    ("exp2_log2", lambda v: v.exp2() + (v.abs() + 1).log2()), ("rsqrt", lambda v: (v.abs() + 1).rsqrt()),
    ("erf", torch.erf), ("floor_ceil", lambda v: v.floor() + v.ceil()),
    ("least_greatest", lambda v: v.clamp(min=0.25) + v.clamp(max=-0.25)),
    ("where", lambda v: torch.where(v > 0, v, v * 0.1)), ("fma", lambda v: v * v + v),
    ("clamp", lambda v: v.clamp(-0.5, 0.5))])


@triton.jit
def product_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (start + k)[None, :], mask=(m[:, None] < M) & ((start + k)[None, :] < K), other=0.0)
        right = tl.load(b + (start + k)[:, None] * N + n[None, :], mask=((start + k)[:, None] < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(out + m[:, None] * N + n[None, :], total.to(out.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@case
def product():
    for dtype, bound in ((torch.float32, 2e-5), (torch.float16, 2e-2), (torch.bfloat16, 2e-1)):
        a, b = drawn(50, 70, dtype=dtype), drawn(70, 40, dtype=dtype)
        out = torch.empty(50, 40, dtype=dtype, device=DEVICE)
        product_kernel[(2, 2)](a.to(DEVICE), b.to(DEVICE), out, 50, 40, 70, BM=32, BN=32, BK=16)
        near(out, (a.double() @ b.double()).to(dtype), bound)


@triton.jit
def whole_product_kernel(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    value = tl.dot(tl.load(a + m[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + n[None, :]))
    tl.store(out + m[:, None] * N + n[None, :], value)


@case
def product_of_integers():
    a, b = drawn(16, 32, dtype=torch.int8), drawn(32, 16, dtype=torch.int8)
    out = torch.empty(16, 16, dtype=torch.int32, device=DEVICE)
    whole_product_kernel[(1,)](a.to(DEVICE), b.to(DEVICE), out, M=16, N=16, K=32)
    near(out, a.int() @ b.int())


@triton.jit
def norm_kernel(x, weight, bias, out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    index = tl.arange(0, BLOCK)
    inside = index < columns
    value = tl.load(x + row * columns + index, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(value, axis=0) / columns
    centred = tl.where(inside, value - mean, 0.0)
    deviation = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    w = tl.load(weight + index, mask=inside)
    b = tl.load(bias + index, mask=inside)
    tl.store(out + row * columns + index, centred * deviation * w + b, mask=inside)


@case
def layer_norm():
    x, w, b = drawn(5, 90), drawn(90), drawn(90)
    out = torch.empty(5, 90, device=DEVICE)
    norm_kernel[(5,)](x.to(DEVICE), w.to(DEVICE), b.to(DEVICE), out, 90, 1e-5, BLOCK=128)
    near(out, torch.nn.functional.layer_norm(x, (90,), w, b, 1e-5), 1e-5)


@triton.jit
def dropout_kernel(x, out, count, p, seed, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    keep = tl.rand(seed, index) > p
    value = tl.load(x + index, mask=inside)
    tl.store(out + index, tl.where(keep, value / (1 - p), 0.0), mask=inside)


@case
def dropout():
    x = torch.ones(1000)
    outs = []
    for seed in (1, 1, 2):
        out = torch.empty(1000, device=DEVICE)
        dropout_kernel[(4,)](x.to(DEVICE), out, 1000, 0.25, seed, BLOCK=256)
        outs.append(out.cpu())
    assert torch.equal(outs[0], outs[1]) and not torch.equal(outs[0], outs[2])
    kept = (outs[0] != 0).float().mean().item()
    assert 0.70 < kept < 0.80, kept


@triton.jit
def gather_kernel(x, index, out, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at < count
    place = tl.load(index + at, mask=inside, other=0)
    tl.store(out + at, tl.load(x + place, mask=inside), mask=inside)


@case
def gathers():
    x, index = drawn(300), torch.randint(0, 300, (100,))
    for dtype in (torch.int32, torch.int64):
        out = torch.empty(100, device=DEVICE)
        gather_kernel[(1,)](x.to(DEVICE), index.to(dtype).to(DEVICE), out, 100, BLOCK=128)
        near(out, x[index])


@triton.jit
def scatter_kernel(x, index, out, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + tl.load(index + at, mask=inside, other=0), tl.load(x + at, mask=inside), mask=inside)


@case
def scatters():
    x, index = drawn(100), torch.randperm(300)[:100]
    out = torch.zeros(300, device=DEVICE)
    scatter_kernel[(1,)](x.to(DEVICE), index.to(torch.int32).to(DEVICE), out, 100, BLOCK=128)
    wanted = torch.zeros(300)
    wanted[index] = x
    near(out, wanted)


@triton.jit
def scan_kernel(x, out, rows: tl.constexpr, columns: tl.constexpr, WHICH: tl.constexpr):
    at = tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :]
    value = tl.load(x + at)
    value = tl.cumsum(value, axis=1) if WHICH == 0 else tl.cumprod(value, axis=1)
    tl.store(out + at, value)


@case
def cumsum():
    x = drawn(4, 16)
    out = torch.empty(4, 16, device=DEVICE)
    scan_kernel[(1,)](x.to(DEVICE), out, 4, 16, WHICH=0)
    near(out, x.cumsum(1), 1e-5)


@case
def cumprod():
    x = drawn(4, 16)
    out = torch.empty(4, 16, device=DEVICE)
    scan_kernel[(1,)](x.to(DEVICE), out, 4, 16, WHICH=1)
    near(out, x.cumprod(1), 1e-4)


@triton.jit
def sort_kernel(x, out, count: tl.constexpr):
    at = tl.arange(0, count)
    tl.store(out + at, tl.sort(tl.load(x + at)))


@case
def sorts():
    x = drawn(64)
    out = torch.empty(64, device=DEVICE)
    sort_kernel[(1,)](x.to(DEVICE), out, 64)
    near(out, x.sort().values)


@triton.jit
def atomics_kernel(x, total, most, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + index, mask=index < count, other=0)
    tl.atomic_add(total + tl.arange(0, BLOCK), value)
    tl.atomic_max(most + tl.arange(0, BLOCK), value)


@case
def atomics():
    x = drawn(512, dtype=torch.int32)
    total = torch.zeros(64, dtype=torch.int32, device=DEVICE)
    most = torch.full((64,), -1000, dtype=torch.int32, device=DEVICE)
    atomics_kernel[(8,)](x.to(DEVICE), total, most, 512, BLOCK=64)
    near(total, x.view(8, 64).sum(0).int())
    near(most, x.view(8, 64).max(0).values)


@triton.jit
def reduce_kernel(x, out, rows: tl.constexpr, columns: tl.constexpr, WHICH: tl.constexpr):
    at = tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :]
    value = tl.load(x + at)
    if WHICH == 0:
        result = tl.sum(value, axis=1)
    elif WHICH == 1:
        result = tl.max(value, axis=1)
    elif WHICH == 2:
        result = tl.min(value, axis=1)
    elif WHICH == 3:
        result = tl.argmax(value, axis=1)
    else:
        result = tl.argmin(value, axis=1)
    tl.store(out + tl.arange(0, rows), result)


@case
def reductions():
    x = drawn(8, 32)
    wanted = [x.sum(1), x.max(1).values, x.min(1).values, x.argmax(1).int(), x.argmin(1).int()]
    for which, value in enumerate(wanted):
        out = torch.empty(8, dtype=value.dtype, device=DEVICE)
        reduce_kernel[(1,)](x.to(DEVICE), out, 8, 32, WHICH=which)
        near(out, value, 1e-5)


@triton.jit
def turn_kernel(x, out, rows: tl.constexpr, columns: tl.constexpr):
    value = tl.load(x + tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :])
    tl.store(out + tl.arange(0, columns)[:, None] * rows + tl.arange(0, rows)[None, :], tl.trans(value))


@case
def transposes():
    x = drawn(8, 32)
    out = torch.empty(32, 8, device=DEVICE)
    turn_kernel[(1,)](x.to(DEVICE), out, 8, 32)
    near(out, x.t().contiguous())


@triton.jit
def carried_kernel(x, out, steps, BLOCK: tl.constexpr):
    index = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    least = tl.full((BLOCK,), 1e30, dtype=tl.float32)
    for step in range(steps):
        value = tl.load(x + step * BLOCK + index)
        total += value
        least = tl.minimum(least, value)
    tl.store(out + index, total + least)


@case
def loops_carry_tensors():
    x = drawn(6, 64)
    out = torch.empty(64, device=DEVICE)
    carried_kernel[(1,)](x.to(DEVICE), out, 6, BLOCK=64)
    near(out, x.sum(0) + x.min(0).values, 1e-5)


@triton.jit
def attention_kernel(q, k, v, out, length, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1) * length * D
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    query = tl.load(q + head + m[:, None] * D + d[None, :], mask=m[:, None] < length, other=0.0)
    most = tl.full((BM,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    value = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, length, BN):
        n = start + tl.arange(0, BN)
        key = tl.load(k + head + n[:, None] * D + d[None, :], mask=n[:, None] < length, other=0.0)
        score = tl.dot(query, tl.trans(key)) * scale
        score = tl.where((n[None, :] < length) & (n[None, :] <= m[:, None]), score, -1e30)
        greatest = tl.maximum(most, tl.max(score, 1))
        weight = tl.exp(score - greatest[:, None])
        factor = tl.exp(most - greatest)
        total = total * factor + tl.sum(weight, 1)
        part = tl.load(v + head + n[:, None] * D + d[None, :], mask=n[:, None] < length, other=0.0)
        value = value * factor[:, None] + tl.dot(weight.to(part.dtype), part)
        most = greatest
    tl.store(out + head + m[:, None] * D + d[None, :], value / total[:, None], mask=m[:, None] < length)


@case
def attention():
    q, k, v = drawn(2, 50, 32), drawn(2, 50, 32), drawn(2, 50, 32)
    out = torch.empty(2, 50, 32, device=DEVICE)
    attention_kernel[(4, 2)](q.to(DEVICE), k.to(DEVICE), v.to(DEVICE), out, 50, 32 ** -0.5, D=32, BM=16, BN=16)
    near(out, torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True), 1e-5)


@triton.jit
def twice(value):
    return value * 2


@triton.jit
def branches_kernel(x, out, flag, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + index, mask=index < count)
    if flag > 0:
        value = twice(value)
    else:
        value = value - 1
    at = 0
    while at < flag:
        value += 1
        at += 1
    tl.store(out + index, value, mask=index < count)


@case
def branches():
    x = drawn(60)
    for flag in (0, 3):
        out = torch.empty(60, device=DEVICE)
        branches_kernel[(1,)](x.to(DEVICE), out, flag, 60, BLOCK=64)
        near(out, x * 2 + 3 if flag else x - 1, 1e-6)


@triton.jit
def casts_kernel(x, out, BLOCK: tl.constexpr):
    index = tl.arange(0, BLOCK)
    tl.store(out + index, tl.load(x + index).to(out.dtype.element_ty))


@case
def casts():
    x = drawn(64) * 20
    for dtype in (torch.float16, torch.bfloat16, torch.int32, torch.int8):
        out = torch.empty(64, dtype=dtype, device=DEVICE)
        casts_kernel[(1,)](x.to(DEVICE), out, BLOCK=64)
        near(out, x.to(dtype))
        back = torch.empty(64, device=DEVICE)
        casts_kernel[(1,)](out, back, BLOCK=64)
        near(back, x.to(dtype).float())


@triton.jit
def bits_kernel(x, y, out, BLOCK: tl.constexpr):
    index = tl.arange(0, BLOCK)
    a, b = tl.load(x + index), tl.load(y + index)
    tl.store(out + index, ((a & b) | (a ^ 5)) + (a << 2) - (b >> 1) + a // 3 + b % 7)


@case
def bits():
    x, y = torch.randint(0, 1000, (64,), dtype=torch.int32), torch.randint(0, 1000, (64,), dtype=torch.int32)
    out = torch.empty(64, dtype=torch.int32, device=DEVICE)
    bits_kernel[(1,)](x.to(DEVICE), y.to(DEVICE), out, BLOCK=64)
    near(out, ((x & y) | (x ^ 5)) + (x << 2) - (y >> 1) + x // 3 + y % 7)


@triton.jit
def pointers_kernel(x, out, rows, columns, row_stride, column_stride, R: tl.constexpr, C: tl.constexpr):
    block = tl.make_block_ptr(x, shape=(rows, columns), strides=(row_stride, column_stride), offsets=(0, 0),
                              block_shape=(R, C), order=(1, 0))
    value = tl.load(block, boundary_check=(0, 1), padding_option="zero")
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out + at, value)


@case
def block_pointers():
    x = drawn(6, 13)
    out = torch.empty(8, 16, device=DEVICE)
    pointers_kernel[(1,)](x.to(DEVICE), out, 6, 13, 13, 1, R=8, C=16)
    wanted = torch.zeros(8, 16)
    wanted[:6, :13] = x
    near(out, wanted)


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 256})], key=["count"])
@triton.jit
def tuned_kernel(x, out, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + index, tl.load(x + index, mask=index < count) * 2, mask=index < count)


@case
def autotuned():
    x = drawn(1000)
    out = torch.empty(1000, device=DEVICE)
    tuned_kernel[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x.to(DEVICE), out, 1000)
    near(out, x * 2)


@case
def replayed():
    x = torch.ones(256, device=DEVICE)
    out = torch.zeros(256, device=DEVICE)
    add_kernel[(2,)](x, x, out, 256, BLOCK=128)
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        add_kernel[(2,)](x, x, out, 256, BLOCK=128)
    x.fill_(3)
    graph.replay()
    near(out, torch.full((256,), 6.0))


if __name__ == "__main__":
    sys.exit(main())
