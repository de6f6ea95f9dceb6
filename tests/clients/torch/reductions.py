# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-022 aclnnDiv; gradients of norms divide by 0 on the CPU as well
"""Sums, means, extremes, norms, variances: of all elements and along dims."""

import torch
import torch.nn.functional as F

from support.table import INTEGERS, SINGLE, Case, between, contiguous, distinct, run, small, truth

A = (4, 5, 11)
DISTINCT = distinct(*A)
CASES = []
for name in ("sum", "mean", "amax", "amin"):
    function = getattr(torch, name)
    for dims in ((), 1, (0, 2), -1):
        for keepdim in (False, True):
            CASES.append(
                Case(
                    f"torch.{name}(dim={dims}, keepdim={keepdim})",
                    lambda x, f=function, d=dims, k=keepdim: f(x, d, k),
                    DISTINCT,
                )
            )
for name in ("var", "std", "var_mean", "std_mean"):
    function = getattr(torch, name)
    CASES += [
        Case(f"torch.{name}", function, A, loose=2),
        Case(f"torch.{name}(dim=)", lambda x, f=function: f(x, 1), A, loose=2),
        Case(
            f"torch.{name}(dim=, correction=0, keepdim=)",
            lambda x, f=function: f(x, (0, 2), correction=0, keepdim=True),
            A,
            loose=2,
        ),
    ]
for order in (0, 1, 2, 3, 0.5, float("inf"), -float("inf")):
    only = "950" if order == 0.5 else None  # elsewhere torch_npu wants an operator compiled, and stops
    CASES += [
        Case(
            f"torch.linalg.vector_norm(ord={order})",
            lambda x, o=order: torch.linalg.vector_norm(x, o, 1),
            between(1, 3, *A),
            loose=3,
            only=only,
        ),
        Case(
            f"torch.norm(p={order})", lambda x, o=order: torch.norm(x, o, (0, 2)), between(1, 3, *A), loose=3, only=only
        ),
    ]
for name in ("max", "min", "median", "nanmedian"):
    function = getattr(torch, name)
    CASES += [
        Case(f"torch.{name}", function, DISTINCT, grad=False),
        Case(f"torch.{name}(dim=)", lambda x, f=function: tuple(f(x, 1)), DISTINCT),
        Case(f"torch.{name}(dim=, keepdim=)", lambda x, f=function: tuple(f(x, -1, True)), DISTINCT),
    ]
CASES += [
    Case("torch.sum", torch.sum, A),
    Case("torch.mean", torch.mean, A),
    Case("torch.norm", torch.norm, A, loose=2),
    Case("torch.max, its gradient", torch.max, DISTINCT, dtypes=SINGLE),
    Case("torch.nansum", lambda x: torch.nansum(x / (x > 0)), A, grad=False, same=True, dtypes=SINGLE),
    Case("torch.sum(dtype=)", lambda x: torch.sum(x, 1, dtype=torch.float32), A),
    Case("torch.prod", torch.prod, between(0.7, 1.4, 3, 5)),
    Case("torch.prod(dim=)", lambda x: torch.prod(x, 1), between(0.7, 1.4, *A), loose=2),
    Case("torch.logsumexp", lambda x: torch.logsumexp(x, 1), A),
    Case("torch.logsumexp(dim=, keepdim=)", lambda x: torch.logsumexp(x, (0, 2), keepdim=True), A),
    Case("torch.aminmax", lambda x: tuple(torch.aminmax(x)), DISTINCT, grad=False),
    Case("torch._aminmax", torch._aminmax, DISTINCT, grad=False),
    Case("torch._aminmax(dim=)", lambda x: torch._aminmax(x, 1), DISTINCT, grad=False),
    Case("torch.aminmax(dim=)", lambda x: tuple(torch.aminmax(x, dim=1)), DISTINCT, grad=False),
    Case("torch.argmax", torch.argmax, DISTINCT, grad=False),
    Case("torch.argmax(dim=)", lambda x: torch.argmax(x, 1), DISTINCT, grad=False),
    Case("torch.argmin", torch.argmin, DISTINCT, grad=False),
    Case("torch.argmin(dim=, keepdim=)", lambda x: torch.argmin(x, -1, True), DISTINCT, grad=False),
    Case("torch.all", torch.all, truth(*A), dtypes=(torch.bool,), grad=False),
    Case("torch.any", torch.any, truth(*A), dtypes=(torch.bool,), grad=False),
    Case("torch.all(dim=)", lambda x: torch.all(x, 1), truth(*A), dtypes=(torch.bool,), grad=False),
    Case("torch.any(dim=, keepdim=)", lambda x: torch.any(x, -1, True), truth(*A), dtypes=(torch.bool,), grad=False),
    Case("torch.all of numbers", lambda x: torch.all(x, 1), small(*A), grad=False),
    Case("torch.any of numbers", lambda x: torch.any(x), small(*A), grad=False),
    Case("torch.kthvalue", lambda x: tuple(torch.kthvalue(x, 3, 1)), DISTINCT),
    Case("torch.count_nonzero", torch.count_nonzero, small(*A), grad=False),
    Case("torch.count_nonzero(dim=)", lambda x: torch.count_nonzero(x, 1), small(*A), grad=False),
    Case("torch.dist", torch.dist, A, A, loose=3),
    *[
        Case(
            f"torch.cdist(p={p})",
            lambda x, y, p=p: torch.cdist(x, y, p),
            (2, 4, 6),
            (2, 5, 6),
            grad=False,
            dtypes=SINGLE,
        )
        for p in (0.0, 1.0, 1.5, 2.0, float("inf"))
    ],
    *[
        Case(f"F.pdist(p={p})", lambda x, p=p: F.pdist(x, p), (6, 5), grad=False)
        for p in (0.0, 1.0, 1.5, 2.0, float("inf"))
    ],
    # The gradient is the CPU's, which takes nothing else.
    Case("F.pdist with its gradient", F.pdist, (6, 5), dtypes=SINGLE, layouts=(contiguous,)),
    # PyTorch for Ascend refuses the gradient of other layouts under Ascend910.
    *[
        Case(
            f"torch.cdist(p={p}) with its gradient",
            lambda x, y, p=p: torch.cdist(x, y, p),
            (2, 4, 6),
            (2, 5, 6),
            dtypes=SINGLE,
            layouts=(contiguous,),
        )
        for p in (1.0, 1.5, 2.0, float("inf"))
    ],
    Case(
        "torch.sum (integers)",
        lambda x: (torch.sum(x), torch.sum(x, 1)),
        small(*A),
        dtypes=INTEGERS[:2] + (torch.bool,),
        grad=False,
    ),
    Case("torch.prod (integers)", lambda x: torch.prod(x, 1), small(*A), dtypes=INTEGERS[:2], grad=False),
    Case(
        "torch.max (integers)",
        lambda x: (x.max(), x.min(), x.amax(1), x.amin(1)),
        small(*A),
        dtypes=INTEGERS[:2],
        grad=False,
    ),
    Case("torch.sum of nothing", lambda x: torch.sum(x[:0], 0), A),
    Case("torch.mean of nothing", lambda x: x[:0].mean(0), A),
]
for case in CASES:  # where rows repeat elements are equal, and which one counts is left open
    if any(name in case.name for name in ("max", "min", "median", "kthvalue")):
        case.layouts = case.layouts[:3]
run(CASES)
