# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What Triton's six tutorials are about, in kernels of our own, forward and backward, as functions of autograd compared
with torch on the CPU: sums of vectors, softmax, products, dropout, layer norm, attention.

    belay run python tests/clients/triton/tutorials.py [NAME...]
"""
import sys

import torch
import triton
import triton.language as tl

from cases import DEVICE, case, drawn, main, near


def gradients(function, *inputs):
    """The result, and the gradients of its weighted sum."""
    leaves = [value.detach().clone().requires_grad_() for value in inputs]
    out = function(*leaves)
    weight = torch.arange(out.numel(), device=out.device, dtype=torch.float32).remainder(7).reshape(out.shape) - 3
    out.backward(weight.to(out.dtype))
    return [out] + [leaf.grad for leaf in leaves]


def compare(own, reference, bound, *inputs):
    got = gradients(own, *[value.to(DEVICE) for value in inputs])
    for here, there in zip(got, gradients(reference, *inputs)):
        near(here, there, bound)


# Sums of vectors.

@triton.jit
def scaled_sum_kernel(x, y, out, count, alpha, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(x + at, mask=inside) + alpha * tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def scale_kernel(x, out, count, alpha, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < count) * alpha, mask=at < count)


class ScaledSum(torch.autograd.Function):
    @staticmethod
    def forward(context, x, y, alpha):
        out = torch.empty_like(x)
        context.alpha = alpha
        scaled_sum_kernel[(triton.cdiv(x.numel(), 512),)](x, y, out, x.numel(), alpha, BLOCK=512)
        return out

    @staticmethod
    def backward(context, grad):
        scaled = torch.empty_like(grad)
        scale_kernel[(triton.cdiv(grad.numel(), 512),)](grad, scaled, grad.numel(), context.alpha, BLOCK=512)
        return grad, scaled, None


@case
def sums_of_vectors():
    compare(lambda x, y: ScaledSum.apply(x, y, 1.5), lambda x, y: x + 1.5 * y, 1e-6, drawn(5000), drawn(5000))


# Softmax, whose programs take several rows each.

@triton.jit
def softmax_kernel(x, out, x_stride, out_stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        at = tl.arange(0, BLOCK)
        value = tl.load(x + row * x_stride + at, mask=at < columns, other=-float("inf"))
        power = tl.exp(value - tl.max(value, axis=0))
        tl.store(out + row * out_stride + at, power / tl.sum(power, axis=0), mask=at < columns)


@triton.jit
def softmax_back_kernel(out, grad, given, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    y = tl.load(out + row * columns + at, mask=at < columns, other=0.0)
    g = tl.load(grad + row * columns + at, mask=at < columns, other=0.0)
    tl.store(given + row * columns + at, y * (g - tl.sum(y * g, axis=0)), mask=at < columns)


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        out = torch.empty_like(x)
        rows, columns = x.shape
        softmax_kernel[(4,)](x, out, x.stride(0), out.stride(0), rows, columns,
                             BLOCK=triton.next_power_of_2(columns), STAGES=2)
        context.save_for_backward(out)
        return out

    @staticmethod
    def backward(context, grad):
        out, = context.saved_tensors
        given = torch.empty_like(out)
        softmax_back_kernel[(out.shape[0],)](out, grad.contiguous(), given, *out.shape,
                                             BLOCK=triton.next_power_of_2(out.shape[1]))
        return given


@case
def softmax_of_rows():
    compare(Softmax.apply, lambda x: x.softmax(1), 1e-6, drawn(23, 781))


# Products: groups of tiles, an activation at the end, tuned.

@triton.jit
def leaky(value):
    return tl.where(value >= 0, value, 0.01 * value)


@triton.autotune(configs=[triton.Config({"BM": 32, "BN": 32, "BK": 16, "GROUP": 2}),
                          triton.Config({"BM": 16, "BN": 64, "BK": 32, "GROUP": 4})], key=["M", "N", "K"])
@triton.jit
def product_kernel(a, b, out, M, N, K, a_row, a_column, b_row, b_column, out_row, out_column,
                   BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
                   ACTIVATION: tl.constexpr):
    program = tl.program_id(0)
    down, along = tl.cdiv(M, BM), tl.cdiv(N, BN)
    in_group = GROUP * along
    first = program // in_group * GROUP
    height = min(down - first, GROUP)
    m = (first + program % in_group % height) * BM + tl.arange(0, BM)
    n = program % in_group // height * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    left = a + (m % M)[:, None] * a_row + k[None, :] * a_column
    right = b + k[:, None] * b_row + (n % N)[None, :] * b_column
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        x = tl.load(left, mask=k[None, :] < K - step * BK, other=0.0)
        y = tl.load(right, mask=k[:, None] < K - step * BK, other=0.0)
        total = tl.dot(x, y, total)
        left += BK * a_column
        right += BK * b_row
    if ACTIVATION == "leaky":
        total = leaky(total)
    place = out + m[:, None] * out_row + n[None, :] * out_column
    tl.store(place, total.to(out.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


def product(a, b, activation=""):
    (M, K), N = a.shape, b.shape[1]
    out = torch.empty(M, N, dtype=a.dtype, device=a.device)
    product_kernel[lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)](
        a, b, out, M, N, K, *a.stride(), *b.stride(), *out.stride(), ACTIVATION=activation)
    return out


class Product(torch.autograd.Function):
    @staticmethod
    def forward(context, a, b):
        context.save_for_backward(a, b)
        return product(a, b)

    @staticmethod
    def backward(context, grad):
        a, b = context.saved_tensors
        return product(grad, b.t()), product(a.t(), grad)


@case
def products():
    compare(Product.apply, torch.matmul, 2e-4, drawn(70, 50), drawn(50, 90))


@case
def products_of_halves():
    a, b = drawn(70, 48, dtype=torch.float16), drawn(48, 90, dtype=torch.float16)
    wanted = a.double() @ b.double()
    near(product(a.to(DEVICE), b.to(DEVICE), "leaky"), torch.where(wanted >= 0, wanted, 0.01 * wanted).half(), 2e-2)


# Dropout that keeps a seed and no mask.

@triton.jit
def dropout_kernel(x, out, count, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < count)
    tl.store(out + at, tl.where(tl.rand(seed, at) > p, value / (1 - p), 0.0), mask=at < count)


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(context, x, p, seed):
        context.p, context.seed = p, seed
        return Dropout.run(x, p, seed)

    @staticmethod
    def run(x, p, seed):
        out = torch.empty_like(x)
        dropout_kernel[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), p, seed, BLOCK=256)
        return out

    @staticmethod
    def backward(context, grad):
        return Dropout.run(grad, context.p, context.seed), None, None


@case
def dropout_with_a_seed():
    x = drawn(3000).abs() + 0.1
    out, given = gradients(lambda v: Dropout.apply(v, 0.3, 123), x.to(DEVICE))
    kept = (out != 0).cpu()
    near(out, torch.where(kept, x / 0.7, 0.0), 1e-6)
    near(given, torch.where(kept, (torch.arange(3000).float().remainder(7) - 3) / 0.7, 0.0), 1e-6)
    assert 0.66 < kept.float().mean() < 0.74


# Layer norm, whose gradients of weights are summed by programs under a lock.

@triton.jit
def norm_kernel(x, out, weight, bias, means, deviations, stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    out += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        value = tl.load(x + at, mask=at < columns, other=0.0).to(tl.float32)
        value = tl.where(at < columns, value - mean, 0.0)
        squares += value * value
    deviation = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    tl.store(means + row, mean)
    tl.store(deviations + row, deviation)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < columns
        value = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
        value = (value - mean) * deviation * tl.load(weight + at, mask=inside) + tl.load(bias + at, mask=inside)
        tl.store(out + at, value, mask=inside)


@triton.jit
def norm_back_kernel(given, grad, part_weight, part_bias, x, weight, means, deviations, locks, stride, columns,
                     GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(x + row * stride + at, mask=inside, other=0).to(tl.float32)
    g = tl.load(grad + row * stride + at, mask=inside, other=0).to(tl.float32)
    w = tl.load(weight + at, mask=inside).to(tl.float32)
    mean, deviation = tl.load(means + row), tl.load(deviations + row)
    normal = tl.where(inside, (value - mean) * deviation, 0.0)
    weighted = tl.where(inside, w * g, 0.0)
    c1 = tl.sum(normal * weighted, axis=0) / columns
    c2 = tl.sum(weighted, axis=0) / columns
    tl.store(given + row * stride + at, (weighted - (normal * c1 + c2)) * deviation, mask=inside)
    group = row % GROUPS
    lock, filled = locks + group, locks + GROUPS + group
    of_weight, of_bias = (g * normal), g
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    count = tl.load(filled)
    if count == 0:
        tl.atomic_xchg(filled, 1)
    else:
        of_weight += tl.load(part_weight + group * columns + at, mask=inside)
        of_bias += tl.load(part_bias + group * columns + at, mask=inside)
    tl.store(part_weight + group * columns + at, of_weight, mask=inside)
    tl.store(part_bias + group * columns + at, of_bias, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def norm_sum_kernel(part_weight, part_bias, of_weight, of_bias, rows, columns, R: tl.constexpr, C: tl.constexpr):
    c = tl.program_id(0) * C + tl.arange(0, C)
    weights, biases = tl.zeros((R, C), dtype=tl.float32), tl.zeros((R, C), dtype=tl.float32)
    for start in range(0, rows, R):
        r = start + tl.arange(0, R)
        inside = (r[:, None] < rows) & (c[None, :] < columns)
        weights += tl.load(part_weight + r[:, None] * columns + c[None, :], mask=inside, other=0.0)
        biases += tl.load(part_bias + r[:, None] * columns + c[None, :], mask=inside, other=0.0)
    tl.store(of_weight + c, tl.sum(weights, axis=0), mask=c < columns)
    tl.store(of_bias + c, tl.sum(biases, axis=0), mask=c < columns)


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(context, x, weight, bias, eps):
        rows, columns = x.shape
        out = torch.empty_like(x)
        means, deviations = torch.empty(rows, device=x.device), torch.empty(rows, device=x.device)
        norm_kernel[(rows,)](x, out, weight, bias, means, deviations, x.stride(0), columns, eps, BLOCK=64)
        context.save_for_backward(x, weight, means, deviations)
        return out

    @staticmethod
    def backward(context, grad):
        x, weight, means, deviations = context.saved_tensors
        rows, columns = x.shape
        groups = 4
        locks = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
        part_weight, part_bias = torch.zeros(2, groups, columns, device=x.device)
        given, of_weight, of_bias = torch.empty_like(x), torch.empty_like(weight), torch.empty_like(weight)
        norm_back_kernel[(rows,)](given, grad, part_weight, part_bias, x, weight, means, deviations, locks, x.stride(0),
                                  columns, GROUPS=groups, BLOCK=triton.next_power_of_2(columns))
        norm_sum_kernel[(triton.cdiv(columns, 64),)](part_weight, part_bias, of_weight, of_bias, groups, columns,
                                                     R=4, C=64)
        return given, of_weight, of_bias, None


@case
def layer_norm_and_its_gradients():
    compare(lambda x, w, b: LayerNorm.apply(x, w, b, 1e-5),
            lambda x, w, b: torch.nn.functional.layer_norm(x, (x.shape[1],), w, b, 1e-5), 2e-4,
            drawn(21, 150), drawn(150), drawn(150))


# Attention in tiles, which keeps the logarithms of its sums for the way back.

@triton.jit
def attention_kernel(q, k, v, out, sums, length, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                     CAUSAL: tl.constexpr):
    head = tl.program_id(1).to(tl.int64) * length * D
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    query = tl.load(q + head + m[:, None] * D + d[None, :], mask=m[:, None] < length, other=0.0)
    most = tl.full((BM,), -1e30, dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    value = tl.zeros((BM, D), dtype=tl.float32)
    stop = tl.minimum(length, (tl.program_id(0) + 1) * BM) if CAUSAL else length
    for start in range(0, stop, BN):
        n = start + tl.arange(0, BN)
        key = tl.load(k + head + n[None, :] * D + d[:, None], mask=n[None, :] < length, other=0.0)
        score = tl.dot(query, key) * scale
        allowed = n[None, :] < length
        if CAUSAL:
            allowed = allowed & (n[None, :] <= m[:, None])
        score = tl.where(allowed, score, -1e30)
        greatest = tl.maximum(most, tl.max(score, 1))
        power = tl.exp2((score - greatest[:, None]) * 1.44269504)
        factor = tl.exp2((most - greatest) * 1.44269504)
        total = total * factor + tl.sum(power, 1)
        part = tl.load(v + head + n[:, None] * D + d[None, :], mask=n[:, None] < length, other=0.0)
        value = tl.dot(power.to(part.dtype), part, value * factor[:, None])
        most = greatest
    tl.store(out + head + m[:, None] * D + d[None, :], (value / total[:, None]).to(out.dtype.element_ty),
             mask=m[:, None] < length)
    tl.store(sums + tl.program_id(1) * length + m, most + tl.log(total), mask=m < length)


@triton.jit
def attention_inner_kernel(out, grad, inner, length, D: tl.constexpr, BM: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    at = tl.program_id(1) * length * D + m[:, None] * D + tl.arange(0, D)[None, :]
    o = tl.load(out + at, mask=m[:, None] < length, other=0.0).to(tl.float32)
    g = tl.load(grad + at, mask=m[:, None] < length, other=0.0).to(tl.float32)
    tl.store(inner + tl.program_id(1) * length + m, tl.sum(o * g, axis=1), mask=m < length)


@triton.jit
def attention_kv_kernel(q, k, v, grad, sums, inner, of_k, of_v, length, scale, D: tl.constexpr, BM: tl.constexpr,
                        BN: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1) * length * D
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    at = head + n[:, None] * D + d[None, :]
    key = tl.load(k + at, mask=n[:, None] < length, other=0.0)
    value = tl.load(v + at, mask=n[:, None] < length, other=0.0)
    key_grad, value_grad = tl.zeros((BN, D), dtype=tl.float32), tl.zeros((BN, D), dtype=tl.float32)
    begin = tl.program_id(0) * BN // BM * BM if CAUSAL else 0
    for start in range(begin, length, BM):
        m = start + tl.arange(0, BM)
        place = head + m[:, None] * D + d[None, :]
        query = tl.load(q + place, mask=m[:, None] < length, other=0.0)
        g = tl.load(grad + place, mask=m[:, None] < length, other=0.0)
        sum_of = tl.load(sums + tl.program_id(1) * length + m, mask=m < length, other=0.0)
        within = tl.load(inner + tl.program_id(1) * length + m, mask=m < length, other=0.0)
        score = tl.dot(key, tl.trans(query)) * scale
        allowed = (n[:, None] < length) & (m[None, :] < length)
        if CAUSAL:
            allowed = allowed & (n[:, None] <= m[None, :])
        weight = tl.where(allowed, tl.exp(score - sum_of[None, :]), 0.0)
        value_grad += tl.dot(weight.to(g.dtype), g)
        weight_grad = tl.dot(value, tl.trans(g))
        score_grad = weight * (weight_grad - within[None, :]) * scale
        key_grad += tl.dot(score_grad.to(query.dtype), query)
    tl.store(of_k + at, key_grad.to(of_k.dtype.element_ty), mask=n[:, None] < length)
    tl.store(of_v + at, value_grad.to(of_v.dtype.element_ty), mask=n[:, None] < length)


@triton.jit
def attention_q_kernel(q, k, v, grad, sums, inner, of_q, length, scale, D: tl.constexpr, BM: tl.constexpr,
                       BN: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1) * length * D
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    at = head + m[:, None] * D + d[None, :]
    query = tl.load(q + at, mask=m[:, None] < length, other=0.0)
    g = tl.load(grad + at, mask=m[:, None] < length, other=0.0)
    sum_of = tl.load(sums + tl.program_id(1) * length + m, mask=m < length, other=0.0)
    within = tl.load(inner + tl.program_id(1) * length + m, mask=m < length, other=0.0)
    query_grad = tl.zeros((BM, D), dtype=tl.float32)
    stop = tl.minimum(length, (tl.program_id(0) + 1) * BM) if CAUSAL else length
    for start in range(0, stop, BN):
        n = start + tl.arange(0, BN)
        key = tl.load(k + head + n[:, None] * D + d[None, :], mask=n[:, None] < length, other=0.0)
        value = tl.load(v + head + n[:, None] * D + d[None, :], mask=n[:, None] < length, other=0.0)
        score = tl.dot(query, tl.trans(key)) * scale
        allowed = n[None, :] < length
        if CAUSAL:
            allowed = allowed & (n[None, :] <= m[:, None])
        weight = tl.where(allowed, tl.exp(score - sum_of[:, None]), 0.0)
        score_grad = weight * (tl.dot(g, tl.trans(value)) - within[:, None]) * scale
        query_grad += tl.dot(score_grad.to(key.dtype), key)
    tl.store(of_q + at, query_grad.to(of_q.dtype.element_ty), mask=m[:, None] < length)


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(context, q, k, v, causal):
        heads, length, D = q.shape
        out, sums = torch.empty_like(q), torch.empty(heads, length, device=q.device)
        attention_kernel[(triton.cdiv(length, 32), heads)](q, k, v, out, sums, length, D ** -0.5, D=D, BM=32, BN=16,
                                                           CAUSAL=causal)
        context.save_for_backward(q, k, v, out, sums)
        context.causal = causal
        return out

    @staticmethod
    def backward(context, grad):
        q, k, v, out, sums = context.saved_tensors
        heads, length, D = q.shape
        inner = torch.empty_like(sums)
        of_q, of_k, of_v = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        grid = (triton.cdiv(length, 32), heads)
        attention_inner_kernel[grid](out, grad, inner, length, D=D, BM=32)
        attention_kv_kernel[grid](q, k, v, grad, sums, inner, of_k, of_v, length, D ** -0.5, D=D, BM=16, BN=32,
                                  CAUSAL=context.causal)
        attention_q_kernel[grid](q, k, v, grad, sums, inner, of_q, length, D ** -0.5, D=D, BM=32, BN=16,
                                 CAUSAL=context.causal)
        return of_q, of_k, of_v, None


@case
def attention_and_its_gradients():
    for causal in (True, False):
        compare(lambda q, k, v: Attention.apply(q, k, v, causal),
                lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal), 2e-4,
                drawn(3, 70, 32), drawn(3, 70, 32), drawn(3, 70, 32))


if __name__ == "__main__":
    sys.exit(main())
