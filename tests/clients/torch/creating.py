# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Functions that make tensors of numbers alone."""

import torch

from support.table import FLOATS, INTEGERS, Case, contiguous, run

ALL = FLOATS + INTEGERS
NUMBERS = (3,)  # whose device and dtype are taken


def case(name, function, dtypes=ALL, **how):
    return Case(
        name,
        lambda x: function(device=x.device, dtype=x.dtype),
        NUMBERS,
        dtypes=dtypes,
        grad=False,
        same=True,
        layouts=(contiguous,),
        **how,
    )


CASES = [
    case("torch.zeros", lambda **k: torch.zeros(3, 4, **k)),
    case("torch.ones", lambda **k: torch.ones(3, 4, **k)),
    case("torch.full", lambda **k: torch.full((3, 4), 7, **k)),
    case("torch.full of bool", lambda device, dtype: torch.full((3,), True, device=device)),
    case("torch.zeros_like", lambda **k: torch.zeros_like(torch.ones(3, 4, **k))),
    case("torch.ones_like", lambda **k: torch.ones_like(torch.zeros(3, 4, **k))),
    case("torch.full_like", lambda **k: torch.full_like(torch.zeros(3, 4, **k), 5)),
    case("torch.Tensor.new_full", lambda **k: torch.zeros(2, **k).new_full((3, 2), 6)),
    case("torch.arange", lambda **k: torch.arange(17, **k), FLOATS + INTEGERS[:2]),
    case("torch.arange(start, end, step)", lambda **k: torch.arange(2, 60, 7, **k), FLOATS + INTEGERS[:2]),
    case("torch.arange, downwards", lambda **k: torch.arange(9, -5, -2, **k), FLOATS + INTEGERS[:2]),
    case("torch.arange of fractions", lambda **k: torch.arange(0.5, 3, 0.25, **k), FLOATS),
    case("torch.range", lambda **k: torch.range(1, 9, 2, **k), FLOATS),
    case("torch.linspace", lambda **k: torch.linspace(-1, 2, 9, **k), FLOATS),
    case("torch.linspace of integers", lambda **k: torch.linspace(0, 30, 7, **k), INTEGERS[:2]),
    case("torch.logspace", lambda **k: torch.logspace(-1, 2, 9, **k), FLOATS),
    case("torch.logspace(base=)", lambda **k: torch.logspace(0, 10, 11, base=2, **k), FLOATS + INTEGERS[:2]),
    case("torch.eye", lambda **k: torch.eye(5, **k)),
    case("torch.eye(n, m)", lambda **k: torch.eye(3, 5, **k)),
    case("torch.tensor", lambda **k: torch.tensor([1, 2, 3], **k)),
    case("torch.scalar_tensor", lambda **k: torch.scalar_tensor(3, **k)),
    case("torch.vander", lambda **k: torch.vander(torch.arange(1, 5, **k), 3), FLOATS[:1]),
]
run(CASES)
