# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Functions of torch_npu itself, beside what they stand for in PyTorch."""

import torch
import torch.nn.functional as F
import torch_npu

from support.table import FLOATS, Case, between, contiguous, run, sliced


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


A, Q = (6, 34), between(-1.5, 1.5, 2, 8, 4, 16)
NPU = torch_npu
CASES = [
    case("torch_npu.fast_gelu", NPU.fast_gelu, lambda x: x * torch.sigmoid(1.702 * x), A),
    case("torch_npu.npu_swiglu", NPU.npu_swiglu, lambda x: F.silu(halves(x)[0]) * halves(x)[1], A),
    case("torch_npu.npu_rms_norm", lambda x, w: NPU.npu_rms_norm(x, w)[0], rms, A, (34,), loose=4),
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
        "torch_npu.npu_group_norm_silu",
        lambda x, w, b: NPU.npu_group_norm_silu(x, w, b, 3)[0],
        lambda x, w, b: F.silu(F.group_norm(x, 3, w, b)),
        (4, 6, 5, 3),
        (6,),
        (6,),
        grad=False,
        loose=4,
    ),
]
run(CASES)
