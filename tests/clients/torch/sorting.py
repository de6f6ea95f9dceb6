# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Sorting, the greatest ones, and counting."""

import torch

from support.table import FLOATS, INTEGERS, Case, contiguous, distinct, run, sliced, small, transposed

A = (4, 5, 11)
DISTINCT = distinct(*A)
KINDS = FLOATS + INTEGERS
CASES = [
    Case("torch.sort", lambda x: tuple(torch.sort(x)), DISTINCT),
    Case("torch.sort(dim=, descending=True)", lambda x: tuple(torch.sort(x, 1, True)), DISTINCT),
    Case(
        "torch.sort(stable=True)",
        lambda x: tuple(torch.sort(x, dim=0, stable=True)),
        small(*A),
        grad=False,
        dtypes=KINDS,
    ),
    Case("torch.argsort", torch.argsort, DISTINCT, grad=False),
    Case("torch.argsort(dim=, descending=True)", lambda x: torch.argsort(x, 1, True), DISTINCT, grad=False),
    Case("torch.topk", lambda x: tuple(torch.topk(x, 3)), DISTINCT),
    Case("torch.topk(dim=, largest=False)", lambda x: tuple(torch.topk(x, 2, 1, False)), DISTINCT),
    Case("torch.msort", torch.msort, DISTINCT),
    Case("torch.unique", torch.unique, small(*A), grad=False, dtypes=KINDS),
    Case(
        "torch.unique(return_inverse=, return_counts=)",
        lambda x: torch.unique(x, return_inverse=True, return_counts=True),
        small(*A),
        grad=False,
        dtypes=KINDS,
    ),
    Case(
        "torch.unique_consecutive",
        lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True),
        small(40),
        grad=False,
        dtypes=KINDS,
    ),
    Case("torch.unique(dim=)", lambda x: torch.unique(x, dim=0), small(20, 2), grad=False, dtypes=FLOATS[:1]),
    Case("torch._unique", lambda x: torch._unique(x, True, True), small(40), grad=False, dtypes=KINDS),
    Case("torch.bincount", torch.bincount, small(40), grad=False, dtypes=INTEGERS[:2]),
    Case("torch.histc", lambda x: torch.histc(x, 8, 0, 4), small(*A), grad=False, dtypes=FLOATS[:1]),
    Case("torch.quantile", lambda x: torch.quantile(x, 0.3, dim=1), DISTINCT, dtypes=FLOATS[:1], grad=False),
    Case("torch.mode", lambda x: torch.mode(x, 1).values, small(*A), grad=False),
]
for case in CASES:
    case.layouts = (contiguous, transposed, sliced)
run(CASES)
