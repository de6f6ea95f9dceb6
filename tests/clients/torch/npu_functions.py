# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Functions of torch_npu itself, beside what they stand for in PyTorch."""

import torch
import torch.nn.functional as F
import torch_npu

from support.table import FLOATS, Case, Input, between, contiguous, distinct, run, sliced, transposed, truth, values
from support.table import whole


def either(on_npu, on_cpu):
    return lambda x, *rest: (on_npu if x.device.type == "npu" else on_cpu)(x, *rest)


def case(name, function, on_cpu, *inputs, **how):
    how = {"layouts": (contiguous, sliced), "loose": 2, **how}
    return Case(name, either(function, on_cpu), *inputs, **how)


def halves(x, dim=-1):
    return x.chunk(2, dim)


def rms(x, weight, eps=1e-6):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * weight


def turned(x):
    first, second = halves(x)
    return torch.cat([-second, first], -1)


def channels(x):
    """Numbers of channels beside a tensor of which dim 1 counts them."""
    return lambda c: c.reshape(1, -1, *[1] * (x.dim() - 2))


def batch_stats(x):
    dims = (0, *range(2, x.dim()))
    return x.mean(dims), torch.rsqrt(x.var(dims, correction=0) + 1e-3)


def batch_elements(x, weight, bias, mean, invstd):
    of = channels(x)
    return (x - of(mean)) * of(invstd) * of(weight) + of(bias)


def batch_sums_backward(g, x, mean, invstd):
    dims = (0, *range(2, x.dim()))
    away = (g * (x - channels(x)(mean))).sum(dims)
    return g.sum(dims), away, away * invstd, g.sum(dims)


def batch_elements_backward(g, x, mean, invstd, weight, sum_dy, sum_dy_xmu, count):
    of, n = channels(x), count.sum()
    rest = g - of(sum_dy / n) - (x - of(mean)) * of(invstd**2 * sum_dy_xmu / n)
    return rest * of(invstd * weight)


def batch_gathered(mean, invstd, counts):
    n = counts.sum()
    total = (mean * counts[:, None]).sum(0) / n
    variance = ((invstd**-2 - 1e-3 + (mean - total) ** 2) * counts[:, None]).sum(0) / n
    return total, torch.rsqrt(variance + 1e-3)


def batch_gathered_sums(sums, squares, counts):
    mean = sums.sum(0) / counts.sum()
    return mean, torch.rsqrt(squares.sum(0) / counts.sum() - mean**2 + 1e-3)


A, Q = (6, 34), between(-1.5, 1.5, 2, 8, 4, 16)
PICTURES, STATISTIC = (3, 5, 4, 6), between(0.5, 1.5, 5)
SYNC = {"grad": False, "dtypes": FLOATS[:1]}
NPU = torch_npu
CASES = [
    case("torch_npu.fast_gelu", NPU.fast_gelu, lambda x: x * torch.sigmoid(1.702 * x), A),
    case("torch_npu.npu_swiglu", NPU.npu_swiglu, lambda x: F.silu(halves(x)[0]) * halves(x)[1], A),
    case("torch_npu.npu_rms_norm", lambda x, w: NPU.npu_rms_norm(x, w)[0], rms, A, (34,), loose=4),
    case(
        "torch_npu.npu_gemma_rms_norm",
        lambda x, w: NPU.npu_gemma_rms_norm(x, w)[0],
        lambda x, w: rms(x, 1 + w),
        A,
        (34,),
        grad=False,
        loose=4,
    ),
    *[
        case(
            f"torch_npu.npu_cross_entropy_loss({reduction})",
            lambda x, y, r=reduction: NPU.npu_cross_entropy_loss(x, y, reduction=r)[0],
            lambda x, y, r=reduction: F.cross_entropy(x, y, reduction=r).reshape(-1),
            (12, 7),
            whole(0, 7, 12),
        )
        for reduction in ("none", "mean", "sum")
    ],
    case(
        "torch_npu.npu_cross_entropy_loss(weight=, ignore_index=, label_smoothing=)",
        lambda x, y, w: NPU.npu_cross_entropy_loss(x, y, w.float(), "mean", 2, 0.125)[:2],
        lambda x, y, w: (F.cross_entropy(x, y, w, None, 2, None, "mean", 0.125).reshape(1), x.log_softmax(1)),
        (12, 7),
        whole(0, 7, 12),
        between(0.25, 1, 7),
        grad=False,
    ),
    case("torch._add_relu", torch._VF._add_relu, lambda x, y: F.relu(x + y), A, A, grad=False),
    case(
        "torch._add_relu_",
        lambda x, y: torch._VF._add_relu_(x, y, alpha=-2),
        lambda x, y: x.copy_(F.relu(x - 2 * y)),
        A,
        A,
        writes=True,
    ),
    case(
        "torch._masked_scale",
        lambda x, m: torch._masked_scale(x, m.to(torch.uint8), 1.25),
        lambda x, m: x * m * 1.25,
        A,
        truth(*A),
        grad=False,
    ),
    case(
        "torch_npu.npu_add_rms_norm",
        lambda x, y, w: NPU.npu_add_rms_norm(x, y, w)[0::2],
        lambda x, y, w: (rms(x + y, w), x + y),
        A,
        A,
        (34,),
        grad=False,
        loose=4,
    ),
    case(
        "torch_npu.npu_geglu",
        lambda x: NPU.npu_geglu(x, -1, 1)[0],
        lambda x: halves(x)[0] * F.gelu(halves(x)[1], approximate="tanh"),
        A,
        dtypes=FLOATS[1:],
    ),
    case(
        "torch_npu.npu_gelu", lambda x: NPU.npu_gelu(x, approximate="tanh"), lambda x: F.gelu(x, approximate="tanh"), A
    ),
    case(
        "torch_npu.npu_dtype_cast",
        lambda x: NPU.npu_dtype_cast(x, torch.float16),
        lambda x: x.half(),
        A,
        dtypes=FLOATS[:1],
        grad=False,
        loose=300,
    ),
    case(
        "torch_npu.npu_fusion_attention",
        lambda q, k, v: NPU.npu_fusion_attention(q, k, v, 4, "BSND", scale=0.25)[0],
        lambda q, k, v: F.scaled_dot_product_attention(*(t.transpose(1, 2) for t in (q, k, v)), scale=0.25).transpose(
            1, 2
        ),
        Q,
        Q,
        Q,
        loose=4,
    ),
    case(
        "torch_npu.npu_rotary_mul",
        NPU.npu_rotary_mul,
        lambda x, c, s: x * c + turned(x) * s,
        Q,
        between(-1, 1, 1, 8, 1, 16),
        between(-1, 1, 1, 8, 1, 16),
        loose=4,
        only="910",
        grad=False,
    ),
    case(
        "torch_npu.npu_rotary_mul of gradients",
        NPU.npu_rotary_mul,
        lambda x, c, s: x * c + turned(x) * s,
        between(-1, 1, 2, 8, 4, 64),
        between(-1, 1, 1, 8, 1, 64),
        between(-1, 1, 1, 8, 1, 64),
        loose=4,
    ),
    case(
        "torch_npu.npu_group_norm_silu",
        lambda x, w, b: NPU.npu_group_norm_silu(x, w, b, 3)[0],
        lambda x, w, b: F.silu(F.group_norm(x, 3, w, b)),
        (4, 6, 5, 3),
        (6,),
        (6,),
        grad=False,
        loose=4,
    ),
    case(
        "torch_npu.npu_group_norm_swish",
        lambda x, w, b: NPU.npu_group_norm_swish(x, 3, w, b, swish_scale=1.5)[0],
        lambda x, w, b: F.group_norm(x, 3, w, b) * torch.sigmoid(1.5 * F.group_norm(x, 3, w, b)),
        (4, 6, 5, 3),
        (6,),
        (6,),
        loose=4,
    ),
    case(
        "torch_npu.npu_scaled_masked_softmax",
        lambda x, m: NPU.npu_scaled_masked_softmax(x, m, 0.5, False),
        lambda x, m: torch.softmax(torch.where(m, -10000.0, x * 0.5), -1),
        (2, 3, 32, 64),
        truth(2, 1, 32, 64),
        layouts=(contiguous,),
        only="950",
    ),
    case(
        "torch_npu.npu_add_layer_norm",
        lambda x, y, w, b: NPU.npu_add_layer_norm(x, y, w, b, 1e-5, True)[0::3],
        lambda x, y, w, b: (F.layer_norm(x + y, (34,), w, b), x + y),
        A,
        A,
        (34,),
        (34,),
        grad=False,
        loose=4,
    ),
    case(
        "torch_npu.npu_scatter_nd_update",
        lambda x, i, y: NPU.npu_scatter_nd_update(x, i[:, None], y),
        lambda x, i, y: x.index_put((i,), y),
        (7, 5),
        values(5, 0, 3, dtype=torch.int64),
        (3, 5),
        grad=False,
        layouts=(contiguous,),
    ),
    case(
        "torch_npu.npu_scatter_nd_update_",
        lambda x, i, y: NPU.npu_scatter_nd_update_(x, i[:, None], y),
        lambda x, i, y: x.index_put_((i,), y),
        (7, 5),
        values(5, 0, 3, dtype=torch.int64),
        (3, 5),
        writes=True,
        layouts=(contiguous,),
    ),
    case(
        "torch_npu.npu_indexing",
        lambda x: NPU.npu_indexing(x, [1, 2], [6, 30], [2, 3]),
        lambda x: x[1:6:2, 2:30:3],
        A,
        grad=False,
        only="950",
    ),
    case(
        "torch_npu.npu_apply_rotary_pos_emb",
        NPU.npu_apply_rotary_pos_emb,
        lambda q, k, c, s: (q * c + turned(q) * s, k * c + turned(k) * s),
        between(-1.5, 1.5, 2, 8, 4, 128),
        between(-1.5, 1.5, 2, 8, 4, 128),
        between(-1, 1, 2, 8, 1, 128),
        between(-1, 1, 2, 8, 1, 128),
        loose=4,
        grad=False,
    ),
    case(
        "torch_npu.npu_weight_quant_batchmatmul",
        NPU.npu_weight_quant_batchmatmul,
        lambda x, weight, scale, offset: x @ ((weight + offset) * scale),
        A,
        whole(-128, 128, 34, 7, dtype=torch.int8),
        between(0.01, 0.1, 7),
        (7,),
        dtypes=FLOATS[1:],
        grad=False,
        layouts=(contiguous,),
    ),
    case("torch.batch_norm_stats", lambda x: torch.batch_norm_stats(x, 1e-3), batch_stats, PICTURES, **SYNC),
    case(
        "torch.batch_norm_elemt",
        lambda x, *rest: torch.batch_norm_elemt(x, *rest, 1e-3),
        batch_elements,
        PICTURES,
        *[(5,)] * 3,
        STATISTIC,
        **SYNC,
    ),
    case(
        "torch.batch_norm_backward_reduce",
        lambda g, x, mean, invstd: torch.batch_norm_backward_reduce(g, x, mean, invstd, mean, True, True, True),
        batch_sums_backward,
        PICTURES,
        PICTURES,
        (5,),
        STATISTIC,
        **SYNC,
    ),
    case(
        "torch.batch_norm_backward_elemt",
        torch.batch_norm_backward_elemt,
        batch_elements_backward,
        PICTURES,
        PICTURES,
        (5,),
        STATISTIC,
        *[(5,)] * 3,
        whole(5, 9, 2, dtype=torch.int32),
        **SYNC,
    ),
    case(
        "torch.batch_norm_gather_stats_with_counts",
        lambda m, s, n: torch.batch_norm_gather_stats_with_counts(m, m, s, None, None, 0.1, 1e-3, n),
        batch_gathered,
        (4, 5),
        between(0.5, 1.5, 4, 5),
        between(3, 9, 4),
        **SYNC,
    ),
    case(
        "torch_npu.batch_norm_reduce",
        lambda x: NPU.batch_norm_reduce(x, 1e-3),
        lambda x: (x.sum((0, 2, 3)), (x * x).sum((0, 2, 3))),
        PICTURES,
        **SYNC,
    ),
    case(
        "torch_npu.batch_norm_gather_stats_update",
        lambda s, q, n: NPU.batch_norm_gather_stats_update(s, s, q, s[0] * 0, s[0] * 0, 0.1, 1e-3, n),
        batch_gathered_sums,
        (4, 5),
        between(30, 50, 4, 5),
        whole(3, 9, 4, dtype=torch.float32),
        **SYNC,
    ),
]


def adam_by_tensors(nesterov):
    """A step by powers of 0.75 and 0.625, beside the formula."""

    def on_npu(var, m, v, grad):
        out = var.clone(), m.clone(), v.clone()
        torch_npu.npu_apply_adam(0.5, 0.25, 0.125, 0.75, 0.625, 1e-3, grad, False, nesterov, out=out)
        return out

    def on_cpu(var, m, v, grad):
        m, v = m + (grad - m) * 0.25, v + (grad * grad - v) * 0.375
        move = m * 0.75 + grad * 0.25 if nesterov else m
        return var - 0.125 * 0.75**0.5 / 0.5 * move / (1e-3 + v.sqrt()), m, v

    return on_npu, on_cpu


def adam_w_by_tensors(amsgrad):
    def on_npu(var, m, v, grad):
        out = var.clone(), m.clone(), v.clone()
        most = v + 0.125 if amsgrad else None
        torch_npu.npu_apply_adam_w(
            0.5, 0.25, 0.125, 0.0625, 0.75, 0.625, 1e-3, grad, most, amsgrad, amsgrad, out=out
        )
        return out

    def on_cpu(var, m, v, grad):
        grad, most = -grad if amsgrad else grad, v + 0.125
        m, v = m + (grad - m) * 0.25, 0.625 * v + 0.375 * grad * grad
        v = torch.maximum(v, most) if amsgrad else v
        slope = m / (v.sqrt() / (1 - 0.25 * 0.625) ** 0.5 + 1e-3)
        return var * (1 - 0.125 * 0.0625) - 0.125 / (1 - 0.5 * 0.75) * slope, m, v

    return on_npu, on_cpu


CASES += [
    case(
        name,
        *functions,
        (5, 7),
        (5, 7),
        between(0.5, 1.5, 5, 7),
        (5, 7),
        dtypes=FLOATS[:1],
        grad=False,
        loose=5,
        only="950",
    )
    for name, functions in (
        ("torch_npu.npu_apply_adam", adam_by_tensors(False)),
        ("torch_npu.npu_apply_adam(use_nesterov=)", adam_by_tensors(True)),
        ("torch_npu.npu_apply_adam_w", adam_w_by_tensors(False)),
        ("torch_npu.npu_apply_adam_w(amsgrad=)", adam_w_by_tensors(True)),
    )
]


def in_order(tokens, indices, count=None):
    """Tokens in the order of their experts, and the places of all numbers."""
    order = torch.sort(indices.flatten(), stable=True)[1]
    places = torch.argsort(order).int()
    return tokens.index_select(0, order[:count] // (indices.shape[1] if indices.dim() == 2 else 1)), places


def shuffled(count):
    """Numbers 0 to count - 1 in an order of their own."""
    return Input((count,), lambda s: torch.arange(count) * 7 % count, torch.int32)


def summed(rows, places, probs):
    return (rows.index_select(0, places.long()).reshape(*probs.shape, -1) * probs[..., None]).sum(1)


def greatest(x, k=2, renorm=False):
    value, place = torch.sort(x, dim=-1, descending=True, stable=True)
    value, place = value[..., :k], place[..., :k].int()
    return F.softmax(value, -1) if renorm else F.softmax(x, -1).gather(-1, place.long()), place


def numbered(x, k=2):
    rows = x.shape[0]
    return *greatest(x, k), torch.arange(rows * k, dtype=torch.int32).reshape(k, rows).t()


CASES += [
    case("torch_npu.npu_moe_token_permute", NPU.npu_moe_token_permute, in_order, (13, 20), whole(0, 5, 13, 3)),
    case("torch_npu.npu_moe_token_permute of one", NPU.npu_moe_token_permute, in_order, (13, 20), whole(0, 5, 13)),
    case(
        "torch_npu.npu_moe_token_permute(num_out_tokens=)",
        lambda t, i: NPU.npu_moe_token_permute(t, i, num_out_tokens=25),
        lambda t, i: in_order(t, i, 25),
        (13, 20),
        whole(0, 5, 13, 3, dtype=torch.int32),
    ),
    case(
        "torch_npu.npu_moe_token_unpermute",
        NPU.npu_moe_token_unpermute,
        summed,
        (24, 9),
        shuffled(24),
        (8, 3),
        layouts=(contiguous, transposed),
    ),
    case(
        "torch_npu.npu_moe_token_unpermute without probs",
        NPU.npu_moe_token_unpermute,
        lambda rows, places: rows.index_select(0, places.long()),
        (24, 9),
        shuffled(24),
        layouts=(contiguous, transposed),
    ),
    case(
        "torch_npu.npu_moe_gating_top_k_softmax",
        lambda x: NPU.npu_moe_gating_top_k_softmax(x, k=2),
        numbered,
        distinct(9, 12),
        grad=False,
    ),
    case(
        "torch_npu.npu_moe_gating_top_k_softmax_v2",
        lambda x: NPU.npu_moe_gating_top_k_softmax_v2(x, k=3, output_softmax=True),
        lambda x: (*greatest(x, 3), F.softmax(x, -1).float()),
        distinct(9, 12),
        grad=False,
    ),
    case(
        "torch_npu.npu_moe_gating_top_k_softmax_v2(renorm=1)",
        lambda x: NPU.npu_moe_gating_top_k_softmax_v2(x, k=3, renorm=1)[:2],
        lambda x: greatest(x, 3, True),
        distinct(3, 5, 12),
        grad=False,
    ),
]


ENDS = (3, 3, 8, 13)  # of groups: one is empty


def ranges():
    return list(zip((0, *ENDS[:-1]), ENDS))


def by_rows(counts, apart):
    """Groups of the rows of x: their ends or counts, weights of one tensor or apart."""
    numbers = [end - begin for begin, end in ranges()] if counts else list(ENDS)

    def on_npu(x, weight):
        groups = torch.tensor(numbers, device=x.device)
        weights = list(weight) if apart else [weight]
        how = {"split_item": 3, "group_type": 0, "group_list_type": int(counts)}
        return NPU.npu_grouped_matmul([x], weights, group_list=groups, **how)[0]

    def on_cpu(x, weight):
        return torch.cat([x[begin:end] @ weight[g] for g, (begin, end) in enumerate(ranges())])

    return on_npu, on_cpu


def by_depth_on_npu(x, weight):
    groups = torch.tensor(ENDS, device=x.device)
    return NPU.npu_grouped_matmul([x.t()], [weight], group_list=groups, split_item=3, group_type=2)[0]


def by_depth_on_cpu(x, weight):
    return torch.stack([x[begin:end].t() @ weight[begin:end] for begin, end in ranges()])


CASES += [
    case(name, *functions, *inputs, grad=False)
    for name, functions, *inputs in (
        ("torch_npu.npu_grouped_matmul", by_rows(False, False), (13, 20), (4, 20, 9)),
        ("torch_npu.npu_grouped_matmul by counts", by_rows(True, True), (13, 20), (4, 20, 9)),
        ("torch_npu.npu_grouped_matmul of the depth", (by_depth_on_npu, by_depth_on_cpu), (13, 6), (13, 9)),
        (
            "torch_npu.npu_grouped_matmul of lists",
            (
                lambda a, b, c, d: NPU.npu_grouped_matmul([a, c], [b, d], split_item=0, group_type=-1),
                lambda a, b, c, d: [a @ b, c @ d],
            ),
            (5, 7),
            (7, 3),
            (2, 9),
            (9, 4),
        ),
        (
            "torch_npu.npu_grouped_matmul of lists in one tensor",
            (
                lambda a, b, c, d: NPU.npu_grouped_matmul([a, c], [b, d], split_item=3, group_type=0)[0],
                lambda a, b, c, d: torch.cat([a @ b, c @ d]),
            ),
            (5, 7),
            (7, 3),
            (2, 9),
            (9, 3),
        ),
        (
            "torch_npu.npu_grouped_matmul of one tensor into several",
            (
                lambda x, a, b: NPU.npu_grouped_matmul([x], [a, b], group_list=[3, 7], split_item=0),
                lambda x, a, b: [x[:3] @ a, x[3:] @ b],
            ),
            (7, 5),
            (5, 4),
            (5, 9),
        ),
        (
            "torch_npu.npu_grouped_matmul by a list",
            (
                lambda x, w: NPU.npu_grouped_matmul([x], list(w), group_list=list(ENDS), split_item=3, group_type=0)[0],
                by_rows(False, False)[1],
            ),
            (13, 20),
            (4, 20, 9),
        ),
    )
]


def in_8_bits(x, smooth=None):
    """What is closest to half of a step may be rounded either way: a number of steps beside the scale."""
    value = x.double() * (1 if smooth is None else smooth.double())
    scale = (value.abs().amax(-1) / 127).float()
    return (value / scale[..., None].double()).round().to(torch.int8), scale


def within(on_npu, on_cpu):
    """Whether no number is more than a step beside what is expected."""

    def check(*x):
        found = on_npu(*x)
        wanted = on_cpu(*(i.cpu() for i in x))
        steps = (found[0].cpu().int() - wanted[0].int()).abs().max()
        return bool(steps <= 1), *found[1:]

    return check, lambda *x: (True, *on_cpu(*x)[1:])


def with_offset(x):
    value = x.double()
    scale = ((value.amax(-1) - value.amin(-1)) / 255).float()
    offset = (127 - value.amax(-1) / scale.double()).float()
    return (value / scale[..., None] + offset[..., None]).round().clamp(-128, 127).to(torch.int8), scale, offset


CASES += [
    case(name, *within(function, on_cpu), *inputs, dtypes=FLOATS[1:], grad=False)
    for name, function, on_cpu, *inputs in (
        ("torch_npu.npu_dynamic_quant", NPU.npu_dynamic_quant, in_8_bits, (5, 33)),
        (
            "torch_npu.npu_dynamic_quant(smooth_scales=)",
            lambda x, s: NPU.npu_dynamic_quant(x, smooth_scales=s),
            in_8_bits,
            (2, 5, 33),
            between(0.5, 2, 33),
        ),
        ("torch_npu.npu_dynamic_quant_asymmetric", NPU.npu_dynamic_quant_asymmetric, with_offset, (5, 33)),
    )
]
run(CASES)
