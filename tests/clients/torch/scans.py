# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Running sums, products and extremes."""

import torch

from support.table import INTEGERS, Case, between, contiguous, distinct, run, sliced, small, transposed, truth

A = (4, 5, 11)
CASES = [
    Case("torch.cumsum", lambda x: torch.cumsum(x, 1), A, loose=2),
    Case("torch.cumsum(dim=-1)", lambda x: torch.cumsum(x, -1), A, loose=2),
    Case("torch.cumsum(dtype=)", lambda x: torch.cumsum(x, 0, dtype=torch.float32), A, loose=2),
    Case("torch.cumsum (integers)", lambda x: torch.cumsum(x, 1), small(*A), dtypes=INTEGERS, grad=False),
    Case("torch.cumsum (bool)", lambda x: torch.cumsum(x, 1), truth(*A), dtypes=(torch.bool,), grad=False),
    Case("torch.Tensor.cumsum_", lambda x: x.cumsum_(1), A, writes=True, loose=2),
    Case("torch.cumprod", lambda x: torch.cumprod(x, 1), between(0.7, 1.4, *A), loose=4),
    Case("torch.cumprod (integers)", lambda x: torch.cumprod(x, 1), small(*A), dtypes=INTEGERS[:2], grad=False),
    Case("torch.cummax", lambda x: tuple(torch.cummax(x, 1)), distinct(*A)),
    Case("torch.cummin", lambda x: tuple(torch.cummin(x, -1)), distinct(*A)),
    Case("torch.cummax of equal ones", lambda x: tuple(torch.cummax(x, 1)), small(*A), grad=False, dtypes=INTEGERS[:2]),
    Case("torch.diff", lambda x: torch.diff(x, dim=1), A),
    Case("torch.trapz", lambda x: torch.trapz(x, dim=1), A, loose=2),
]
for case in CASES:
    case.layouts = (contiguous, transposed, sliced)
run(CASES)
