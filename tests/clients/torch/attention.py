# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Attention, with and without masks, and its gradients."""

import torch
import torch.nn.functional as F

from support.table import Case, between, contiguous, run, sliced, truth

Q, K = between(-1.5, 1.5, 2, 4, 16, 32), between(-1.5, 1.5, 2, 4, 24, 32)
GROUPS = between(-1.5, 1.5, 2, 2, 24, 32)


def mask_of(mask):
    """No row without any key."""
    return mask | torch.eye(*mask.shape[-2:], dtype=torch.bool, device=mask.device)


CASES = [
    Case("F.scaled_dot_product_attention", F.scaled_dot_product_attention, Q, K, K),
    Case(
        "F.scaled_dot_product_attention(is_causal=True)",
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        Q,
        Q,
        Q,
    ),
    Case(
        "F.scaled_dot_product_attention(scale=)",
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.3),
        Q,
        K,
        K,
    ),
    Case(
        "F.scaled_dot_product_attention(attn_mask=)",
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, mask_of(m)),
        Q,
        K,
        K,
        truth(2, 1, 16, 24),
    ),
    Case(
        "F.scaled_dot_product_attention(attn_mask=) of floats",
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, torch.where(m, 0.5, -0.5).to(q.dtype)),
        Q,
        K,
        K,
        truth(16, 24),
    ),
    Case(
        "F.scaled_dot_product_attention(enable_gqa=True)",
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True),
        Q,
        GROUPS,
        GROUPS,
    ),
    Case(
        "F.multi_head_attention_forward",
        lambda x, w, b, o, p: F.multi_head_attention_forward(x, x, x, 16, 4, w, b, None, None, False, 0.0, o, p)[0],
        between(-1, 1, 5, 2, 16),
        between(-0.3, 0.3, 48, 16),
        (48,),
        between(-0.3, 0.3, 16, 16),
        (16,),
    ),
]
for case in CASES:
    case.loose = max(case.loose, 4)
    case.layouts = (contiguous, sliced)
run(CASES)
