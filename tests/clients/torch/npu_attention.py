# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Attention by the functions of torch_npu itself, beside PyTorch's."""

import torch
import torch.nn.functional as F
import torch_npu as NPU

from support.table import FLOATS, Case, Input, between, contiguous, run, sliced

HEADS, SCALE = 4, 0.25
Q, K = between(-1.5, 1.5, 2, 8, HEADS, 16), between(-1.5, 1.5, 2, 12, HEADS, 16)
ONE, GROUPS = between(-1.5, 1.5, 2, 1, HEADS, 16), between(-1.5, 1.5, 2, 12, 2, 16)
SINK = Input((HEADS,), lambda s: torch.randn(s, dtype=torch.float64), torch.float32)
ENDS_Q, ENDS_K = [3, 8, 10], [5, 11, 12]
PACKED_Q, PACKED_K = between(-1.5, 1.5, 10, HEADS, 16), between(-1.5, 1.5, 12, HEADS, 16)


def plain(q, k, v, **how):
    """Of BSND, as torch_npu calls it: batch, sequence, heads, elements."""
    q, k, v = (t.transpose(1, 2) for t in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, scale=SCALE, enable_gqa=True, **how).transpose(1, 2)


def packed(q, k, v):
    """Of TND: several sequences behind one another, which end at these places."""
    begins = zip([0, *ENDS_Q], ENDS_Q, [0, *ENDS_K], ENDS_K)
    return torch.cat([plain(q[None, a:b], k[None, c:d], v[None, c:d])[0] for a, b, c, d in begins])


def with_sink(q, k, v, sink):
    """As if each head had one key more, of such a score, without a value."""
    scores = torch.einsum("bqhe,bkhe->bhqk", q, k) * SCALE
    most = torch.maximum(scores.amax(-1, keepdim=True), sink[:, None, None])
    powers = torch.exp(scores - most)
    total = powers.sum(-1, keepdim=True) + torch.exp(sink[:, None, None] - most)
    return torch.einsum("bhqk,bkhe->bqhe", powers / total, v)


def later(q, k):
    """True where a key comes after the query."""
    return torch.ones(q.shape[1], k.shape[1], dtype=torch.bool, device=q.device).triu(1)


def case(name, on_npu, on_cpu, *inputs, **how):
    return Case(
        name,
        lambda q, *rest: (on_npu if q.device.type == "npu" else on_cpu)(q, *rest),
        *inputs,
        **{"loose": 4, "layouts": (contiguous, sliced), **how},
    )


FUSION = {"scale": SCALE}
SERVED = {"scale_value": SCALE, "num_heads": HEADS, "input_layout": "BSND"}
INFER = {"scale": SCALE, "num_heads": HEADS, "input_layout": "BSND"}
# For inference, and on Ascend910 alone.
HALVES = {"dtypes": FLOATS[1:], "grad": False, "only": "910"}
SERVING = {"dtypes": FLOATS[1:], "grad": False}
CASES = [
    case(
        "torch_npu.npu_fusion_attention(atten_mask=)",
        lambda q, k, v: NPU.npu_fusion_attention(q, k, v, HEADS, "BSND", atten_mask=later(q, k), **FUSION)[0],
        lambda q, k, v: plain(q, k, v, attn_mask=~later(q, k)),
        Q,
        Q,
        Q,
    ),
    case(
        "torch_npu.npu_fusion_attention of TND",
        lambda q, k, v: NPU.npu_fusion_attention(
            q, k, v, HEADS, "TND", actual_seq_qlen=ENDS_Q, actual_seq_kvlen=ENDS_K, **FUSION
        )[0],
        packed,
        PACKED_Q,
        PACKED_K,
        PACKED_K,
    ),
    case(
        "torch_npu.npu_fusion_attention_v2",
        lambda q, k, v: NPU.npu_fusion_attention_v2(q, k, v, HEADS, "BSND", **FUSION)[0],
        plain,
        Q,
        K,
        K,
    ),
    case(
        "torch_npu.npu_fusion_attention_v2 of TND",
        lambda q, k, v: NPU.npu_fusion_attention_v2(
            q, k, v, HEADS, "TND", actual_seq_qlen=ENDS_Q, actual_seq_kvlen=ENDS_K, **FUSION
        )[0],
        packed,
        PACKED_Q,
        PACKED_K,
        PACKED_K,
    ),
    case(
        "torch_npu.npu_fusion_attention_v2(query_rope=)",
        lambda q, qr, k, kr, v: NPU.npu_fusion_attention_v2(
            q, k, v, HEADS, "TND", query_rope=qr, key_rope=kr, actual_seq_qlen=ENDS_Q, actual_seq_kvlen=ENDS_K, **FUSION
        )[0],
        lambda q, qr, k, kr, v: packed(torch.cat([q, qr], -1), torch.cat([k, kr], -1), v),
        PACKED_Q,
        PACKED_Q,
        PACKED_K,
        PACKED_K,
        PACKED_K,
    ),
    case(
        "torch_npu.npu_fusion_attention_v2(sink=) of TND",
        lambda q, k, v, sink: NPU.npu_fusion_attention_v2(
            q, k, v, HEADS, "TND", sink=sink, actual_seq_qlen=[10], actual_seq_kvlen=[12], **FUSION
        )[0],
        lambda q, k, v, sink: with_sink(q[None], k[None], v[None], sink)[0],
        PACKED_Q,
        PACKED_K,
        PACKED_K,
        SINK,
    ),
    case(
        "torch_npu.npu_fusion_attention_v3",
        lambda q, k, v: torch.ops.npu.npu_fusion_attention_v3(q, k, v, HEADS, "BSND", **FUSION)[0],
        plain,
        Q,
        K,
        K,
        only="910",
    ),
    *(
        case(
            f"torch_npu.npu_fusion_attention{version}(sink=)",
            lambda q, k, v, sink, f=function: f(q, k, v, HEADS, "BSND", sink=sink, **FUSION)[0],
            with_sink,
            Q,
            K,
            K,
            SINK,
            only=only,
        )
        for version, function, only in (
            ("", NPU.npu_fusion_attention, "910"),
            ("_v2", NPU.npu_fusion_attention_v2, None),
            ("_v3", torch.ops.npu.npu_fusion_attention_v3, "910"),
        )
    ),
    case(
        "torch_npu.npu_prompt_flash_attention",
        lambda q, k, v: NPU.npu_prompt_flash_attention(q, k, v, next_tokens=2147483647, **SERVED),
        plain,
        Q,
        K,
        K,
        **HALVES,
    ),
    case(
        "torch_npu.npu_prompt_flash_attention(num_key_value_heads=)",
        lambda q, k, v: NPU.npu_prompt_flash_attention(
            q, k, v, next_tokens=2147483647, num_key_value_heads=2, **SERVED
        ),
        plain,
        Q,
        GROUPS,
        GROUPS,
        **HALVES,
    ),
    case(
        "torch_npu.npu_incre_flash_attention",
        lambda q, k, v: NPU.npu_incre_flash_attention(q, k, v, **SERVED),
        plain,
        ONE,
        K,
        K,
        **HALVES,
    ),
    case(
        "torch_npu.npu_fused_infer_attention_score",
        lambda q, k, v: NPU.npu_fused_infer_attention_score(q, k, v, **INFER)[0],
        plain,
        Q,
        K,
        K,
        **SERVING,
    ),
    case(
        "torch_npu.npu_fused_infer_attention_score of one token",
        lambda q, k, v: NPU.npu_fused_infer_attention_score(q, k, v, num_key_value_heads=2, **INFER)[0],
        plain,
        ONE,
        GROUPS,
        GROUPS,
        **SERVING,
    ),
    case(
        "torch_npu.npu_fused_infer_attention_score_v2",
        lambda q, k, v: NPU.npu_fused_infer_attention_score_v2(
            q, k, v, num_query_heads=HEADS, num_key_value_heads=2, softmax_scale=SCALE, input_layout="BSND"
        )[0],
        plain,
        ONE,
        GROUPS,
        GROUPS,
        **SERVING,
    ),
]
run(CASES)
