# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Comparisons and logic, of tensors and with numbers, and in place."""

import torch

from support.table import FLOATS, INTEGERS, Case, normal, run, small, truth

A, B = (7, 33), (33,)
KINDS = FLOATS + INTEGERS[:2]
CASES = []
for name in ("eq", "ne", "lt", "le", "gt", "ge"):
    function, in_place = getattr(torch, name), getattr(torch.Tensor, name + "_")
    CASES += [
        Case(f"torch.{name}", function, small(*A), small(*B), dtypes=KINDS, grad=False),
        Case(f"torch.{name} of a number", lambda a, f=function: f(a, 2), small(*A), dtypes=KINDS, grad=False),
        Case(f"torch.Tensor.{name}_", in_place, small(*A), small(*B), dtypes=KINDS, writes=True),
        Case(f"torch.Tensor.{name}_ of a number", lambda a, f=in_place: f(a, 2), small(*A), dtypes=KINDS, writes=True),
    ]
for name in ("logical_and", "logical_or", "logical_xor"):
    CASES += [
        Case(f"torch.{name}", getattr(torch, name), truth(*A), truth(*B), dtypes=(torch.bool,), grad=False),
        Case(f"torch.{name} of numbers", getattr(torch, name), small(*A), small(*B), dtypes=KINDS, grad=False),
        Case(
            f"torch.Tensor.{name}_",
            getattr(torch.Tensor, name + "_"),
            truth(*A),
            truth(*B),
            dtypes=(torch.bool,),
            writes=True,
        ),
    ]
CASES += [
    Case("torch.logical_not", torch.logical_not, truth(*A), dtypes=(torch.bool,), grad=False),
    Case(
        "torch.equal",
        lambda a, b: (torch.equal(a, b), torch.equal(a, a.clone())),
        small(*A),
        small(*A),
        dtypes=KINDS,
        grad=False,
    ),
    Case("torch.isclose", lambda a, b: torch.isclose(a, b, rtol=0.5), normal(*A), normal(*A), grad=False, same=True),
    Case("torch.allclose", lambda a: torch.allclose(a, a + 1), normal(*A), grad=False),
    Case("torch.isin", lambda a: torch.isin(a, a[:2, :2].flatten()), small(*A), grad=False),
    Case("torch.isin(tensor, number)", lambda a: torch.isin(a, 2), small(*A), dtypes=KINDS[:-1], grad=False),
    Case("torch.isin(tensor, number, invert=)", lambda a: torch.isin(a, 2.5, invert=True), small(*A), grad=False),
    Case("torch.isin(number, tensor)", lambda a: (torch.isin(2, a), torch.isin(99, a)), small(*A), grad=False),
    Case("torch.isin(number, tensor, invert=)", lambda a: torch.isin(3, a, invert=True), small(*A), grad=False),
]
run(CASES)
