# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-022 aclnnDiv, DC-022 aclnnReciprocal; some cases divide by 0, to have infinities
"""Functions of one tensor, and their forms in place."""

import torch

from support.table import FLOATS, INTEGERS, Case, between, distinct, normal, run

SHAPE = (7, 33)

# Where each is smooth enough, and defined.
ANYWHERE = (-3, 3)
DOMAINS = {
    "abs": ANYWHERE,
    "neg": ANYWHERE,
    "sign": ANYWHERE,
    "sin": ANYWHERE,
    "cos": ANYWHERE,
    "tan": (-1.2, 1.2),
    "asin": (-0.9, 0.9),
    "acos": (-0.9, 0.9),
    "atan": ANYWHERE,
    "sinh": ANYWHERE,
    "cosh": ANYWHERE,
    "tanh": ANYWHERE,
    "asinh": ANYWHERE,
    "acosh": (1.25, 4),
    "atanh": (-0.9, 0.9),
    "exp": ANYWHERE,
    "exp2": ANYWHERE,
    "expm1": ANYWHERE,
    "log": (0.1, 5),
    "log2": (0.1, 5),
    "log10": (0.1, 5),
    "log1p": (-0.8, 5),
    "sqrt": (0.1, 5),
    "rsqrt": (0.1, 5),
    "reciprocal": (0.3, 5),
    "square": ANYWHERE,
    "erf": ANYWHERE,
    "erfc": (-2, 2),
    "erfinv": (-0.95, 0.95),
    "sigmoid": ANYWHERE,
    "frac": (0.05, 0.95),
    "sinc": ANYWHERE,
}
STEPS = (
    "ceil",
    "floor",
    "round",
    "trunc",
    "sgn",
    "positive",
    "isfinite",
    "isinf",
    "isnan",
    "isposinf",
    "isneginf",
    "logical_not",
    "signbit",
)
CASES = [
    Case(f"torch.{name}", getattr(torch, name), between(*domain, *SHAPE), loose=2)
    for name, domain in DOMAINS.items()
    if name != "sinc"
]
CASES += [
    Case(f"torch.Tensor.{name}_", getattr(torch.Tensor, name + "_"), between(*domain, *SHAPE), writes=True, loose=2)
    for name, domain in DOMAINS.items()
]
CASES += [Case(f"torch.{name}", getattr(torch, name), distinct(7, 33), grad=False) for name in STEPS]
CASES += [
    Case(f"torch.Tensor.{name}_", getattr(torch.Tensor, name + "_"), distinct(7, 33), writes=True)
    for name in ("ceil", "floor", "round", "trunc", "logical_not", "sgn")
]
CASES += [
    Case(
        "torch.round(decimals=)",
        lambda x: torch.round(x, decimals=1),
        normal(*SHAPE),
        grad=False,
        same=True,
        dtypes=FLOATS[:1],
    ),
    Case(
        "torch.Tensor.round_(decimals=)",
        lambda x: x.round_(decimals=-1),
        (50, 3),
        writes=True,
        same=True,
        dtypes=FLOATS[:1],
    ),
    Case("torch.isfinite", lambda x: torch.isfinite(x / (x.floor() - x.trunc())), SHAPE, grad=False, same=True),
    Case("torch.isinf", lambda x: torch.isinf(1 / (x.floor() - x.trunc())), SHAPE, grad=False, same=True),
    Case("torch.isposinf", lambda x: torch.isposinf(x / (x.floor() - x.trunc())), SHAPE, grad=False, same=True),
    Case("torch.isneginf", lambda x: torch.isneginf(x / (x.floor() - x.trunc())), SHAPE, grad=False, same=True),
    Case("torch.nan_to_num", lambda x: torch.nan_to_num(x / (x.floor() - x.trunc())), SHAPE, grad=False, same=True),
    Case(
        "torch.nan_to_num(nan=)",
        lambda x: torch.nan_to_num(x / (x.floor() - x.trunc()), 1.5, 2.5, -3.5),
        SHAPE,
        same=True,
    ),
    Case(
        "torch.Tensor.nan_to_num_",
        lambda x: x.div_(x.floor() - x.trunc()).nan_to_num_(1.0),
        SHAPE,
        writes=True,
        same=True,
    ),
    Case("torch.nan_to_num (integers)", torch.nan_to_num, SHAPE, dtypes=INTEGERS, grad=False),
    Case("torch.sinc", torch.sinc, between(0.3, 3, *SHAPE), dtypes=FLOATS[:1], loose=2),
    Case("torch.sinc", torch.sinc, SHAPE, grad=False),
    Case("torch.angle", torch.angle, SHAPE, grad=False),
    Case("torch.angle (integers)", torch.angle, SHAPE, dtypes=INTEGERS[:2], grad=False),
    Case("torch.angle (complex)", lambda x: torch.angle(torch.complex(x, x + 1)), SHAPE, dtypes=FLOATS[:1], grad=False),
    Case("torch.logit", torch.logit, between(0.05, 0.95, *SHAPE), loose=2),
    Case("torch.logit(eps=)", lambda x: torch.logit(x, 0.1), between(0.15, 0.85, *SHAPE), loose=2),
    Case("torch.deg2rad", torch.deg2rad, SHAPE),
    Case("torch.special.xlog1py", lambda x: x * torch.log1p(x), between(0.1, 2, *SHAPE), loose=2),
    Case("torch.abs (integers)", torch.abs, SHAPE, dtypes=INTEGERS[:4], grad=False),
    Case("torch.neg (integers)", torch.neg, SHAPE, dtypes=INTEGERS[:2], grad=False),
    Case("torch.sign (integers)", torch.sign, SHAPE, dtypes=INTEGERS[:2], grad=False),
    Case("torch.bitwise_not", torch.bitwise_not, (7, 33), dtypes=INTEGERS, grad=False),
    Case("torch.exp (integers)", torch.exp, SHAPE, dtypes=(torch.int64, torch.bool), grad=False),
    Case("torch.sqrt (integers)", lambda x: torch.sqrt(x.abs()), SHAPE, dtypes=INTEGERS[:2], grad=False),
]
run(CASES)
