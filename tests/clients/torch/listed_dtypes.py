# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Dtypes that few programs have: masks and pictures of bytes, DOUBLE, unsigned and complex numbers."""

import torch
import torch.nn.functional as F

from support.table import INTEGERS, Case, Input, contiguous, distinct, run, sliced, small, transposed

DOUBLE, BYTES, TRUTH = (torch.float64,), (torch.uint8,), (torch.bool,)
UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)
LAYOUTS = {"layouts": (contiguous, transposed, sliced)}


def bits(*shape):
    return Input(shape, lambda s: torch.rand(s) < 0.5)


def naturals(high, *shape):
    """Whole numbers of the case's dtype."""
    return Input(shape, lambda s: torch.randint(0, high, s))


CASES = []
for dims, shape in ((1, (2, 3, 7)), (2, (2, 3, 5, 6)), (3, (2, 3, 4, 5, 3))):
    for mode in ("nearest", "nearest-exact"):
        for factor in (2.0, 1.5, 0.7):
            name = f"F.interpolate(mode='{mode}', scale_factor={factor}) of {dims} dims"
            resize = lambda x, m=mode, f=factor: F.interpolate(x, scale_factor=f, mode=m)
            CASES.append(Case(f"{name}, bytes", resize, naturals(256, *shape), dtypes=BYTES, grad=False, **LAYOUTS))
            CASES.append(Case(f"{name}, DOUBLE", resize, shape, dtypes=DOUBLE, **LAYOUTS))
for mode, shape in (("linear", (2, 3, 7)), ("trilinear", (2, 3, 4, 5, 3))):
    for align in (False, True):
        CASES.append(
            Case(
                f"F.interpolate(mode='{mode}', align_corners={align}), DOUBLE",
                lambda x, m=mode, a=align: F.interpolate(x, scale_factor=1.7, mode=m, align_corners=a),
                shape,
                dtypes=DOUBLE,
                **LAYOUTS,
            )
        )
CASES += [
    Case(
        "F.adaptive_max_pool2d, DOUBLE",
        lambda x: F.adaptive_max_pool2d(x, (3, 4), return_indices=True),
        distinct(1, 3, 8, 9),
        dtypes=DOUBLE,
        grad=False,
        **LAYOUTS,
    ),
    Case("torch._add_relu", torch._VF._add_relu, small(7, 5), small(5), dtypes=INTEGERS[:-1], grad=False, same=True),
    Case(
        "torch.addr, BOOL",
        lambda a, x, y: (torch.addr(a, x, y), torch.addr(a, x, y, beta=0), torch.addr(a, x, y, alpha=0)),
        bits(7, 5),
        bits(7),
        bits(5),
        dtypes=TRUTH,
        grad=False,
    ),
    Case("torch.ones, UINT16", lambda a: torch.ones(9, dtype=a.dtype, device=a.device), naturals(9, 7, 5), dtypes=UNSIGNED[:1], grad=False),
    Case("torch.isin, UINT16", lambda a: torch.isin(a, 3), naturals(5, 7, 5), dtypes=UNSIGNED[:1], grad=False),
    Case(
        "F.pad(mode='replicate'), BOOL",
        lambda a: F.pad(a if a.is_npu else a.byte(), (1, 2, 1, 0), mode="replicate").bool(),
        bits(2, 3, 5),
        dtypes=TRUTH,
        grad=False,
        only="950",
    ),
    Case("torch.clamp, BOOL", lambda a: torch.clamp(a, 0, 3), bits(7, 5), dtypes=TRUTH, grad=False, only="950"),
]
run(CASES)
