# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Convolutions of one to three dims, and their gradients."""

import torch
import torch.nn.functional as F

from support.table import Case, contiguous, run, sliced

CASES = []
for dims in (1, 2, 3):
    size = (9, 8, 7)[:dims]
    conv, back = getattr(F, f"conv{dims}d"), getattr(F, f"conv_transpose{dims}d")
    x, w, t = (2, 4, *size), (6, 4, *(3,) * dims), (4, 6, *(3,) * dims)
    group = (6, 2, *(3,) * dims)
    for how in ({}, {"padding": 1}, {"stride": 2}, {"dilation": 2}, {"padding": 2, "stride": 2, "dilation": 2}):
        text = ", ".join(f"{k}={v}" for k, v in how.items())
        CASES.append(
            Case(f"F.conv{dims}d({text})", lambda x, w, b, f=conv, h=how: f(x, w, b, **h), x, w, (6,), loose=2)
        )
    CASES += [
        Case(f"F.conv{dims}d without bias", conv, x, w, loose=2),
        Case(f"F.conv{dims}d(padding='same')", lambda x, w, f=conv: f(x, w, padding="same"), x, w, loose=2),
        Case(f"F.conv{dims}d(groups=2)", lambda x, w, b, f=conv: f(x, w, b, groups=2), x, group, (6,), loose=2),
        Case(
            f"F.conv{dims}d of each channel", lambda x, w, f=conv: f(x, w, groups=4), x, (4, 1, *(3,) * dims), loose=2
        ),
        Case(f"F.conv{dims}d of points", conv, x, (6, 4, *(1,) * dims), (6,), loose=2),
        Case(f"F.conv_transpose{dims}d", back, x, t, (6,), loose=2),
        Case(
            f"F.conv_transpose{dims}d(stride=, padding=, output_padding=)",
            lambda x, w, b, f=back: f(x, w, b, stride=2, padding=1, output_padding=1),
            x,
            t,
            (6,),
            loose=2,
        ),
        Case(
            f"F.conv_transpose{dims}d(groups=2)",
            lambda x, w, f=back: f(x, w, groups=2),
            x,
            (4, 3, *(3,) * dims),
            loose=2,
        ),
    ]
CASES += [
    Case("F.conv2d without a batch", F.conv2d, (4, 9, 8), (6, 4, 3, 3), (6,), loose=2),
    Case("torch.conv_tbc", lambda x, w, b: torch.conv_tbc(x, w, b, 1), (9, 2, 4), (3, 4, 6), (6,), loose=2),
]
# One plane of the kernel for each plane: torch_npu's own function for it, which nothing of PyTorch's calls.
CASES += [
    Case(
        "torch.ops.aten._conv_depthwise2d",
        lambda x, w, b: (
            torch.ops.aten._conv_depthwise2d(x, w, [3, 3], b, [2, 1], [1, 1], [1, 2])
            if x.device.type == "npu"
            else F.conv2d(x, w, b, (2, 1), (1, 1), (1, 2), 4)
        ),
        (2, 4, 9, 8),
        (4, 1, 3, 3),
        (4,),
        loose=2,
        grad=False,
    )
]
for case in CASES:
    case.layouts = (contiguous, sliced)
run(CASES)
