# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Arithmetic of two tensors, or of a tensor and a number, broadcast, and in place."""

import torch

from support.table import FLOATS, INTEGERS, SINGLE, Case, between, fixed, normal, run, truth, whole

A, B = (7, 33), (33,)
POSITIVE, OTHER = between(0.5, 4, *A), between(0.5, 4, *B)
Tensor = torch.Tensor


def pair(name, a=POSITIVE, b=OTHER, **how):
    function = getattr(torch, name)
    return Case(f"torch.{name}", function, a, b, **how)


def in_place(name, *rest, **how):
    return Case(f"torch.Tensor.{name}", getattr(Tensor, name), POSITIVE, *rest, writes=True, **how)


CASES = [
    pair("add"),
    pair("sub"),
    pair("mul"),
    pair("div"),
    pair("true_divide"),
    pair("rsub"),
    pair("maximum", normal(*A), normal(*A)),
    pair("minimum", normal(*A), normal(*A)),
    pair("atan2"),
    pair("pow", loose=3),
    pair("logaddexp"),
    pair("logaddexp2"),
    pair("hypot"),
    pair("xlogy", loose=2),
    Case("torch.xlogy of a number", lambda b: torch.xlogy(2.5, b), OTHER, loose=2),
    Case("torch.xlogy with a number", lambda a: torch.xlogy(a, 2.5), A, loose=2),
    pair("fmod", b=fixed(*B), grad=False, dtypes=SINGLE),
    pair("remainder", b=fixed(*B), grad=False, dtypes=SINGLE),
    pair("floor_divide", grad=False, same=True),
    Case("torch.linalg.cross", torch.linalg.cross, (7, 3), (1, 3), loose=4),
    Case("torch.linalg.cross(dim=0)", lambda a, b: torch.linalg.cross(a, b, dim=0), (3, 33), (3, 33), loose=4),
    Case("torch.polar", torch.polar, POSITIVE, A, dtypes=SINGLE, grad=False, same=True),
    pair("heaviside", grad=False),
    pair("copysign"),
    Case("torch.add(alpha=)", lambda a, b: torch.add(a, b, alpha=2.5), A, B),
    Case("torch.sub(alpha=)", lambda a, b: torch.sub(a, b, alpha=-0.5), A, B),
    Case("torch.rsub(alpha=)", lambda a, b: torch.rsub(a, b, alpha=3), A, B),
    Case("torch.add of a number", lambda a: a + 1.5, A),
    Case("torch.sub of a number", lambda a: a - 1.5, A),
    Case("torch.rsub of a number", lambda a: 1.5 - a, A),
    Case("torch.mul of a number", lambda a: a * 1.5, A),
    Case("torch.div of a number", lambda a: a / 1.5, A),
    Case("torch.Tensor.__rtruediv__", lambda a: 1.5 / a, POSITIVE),
    Case(
        "torch.div(rounding_mode='floor')",
        lambda a, b: torch.div(a, b, rounding_mode="floor"),
        POSITIVE,
        OTHER,
        grad=False,
        same=True,
    ),
    Case(
        "torch.div(rounding_mode='trunc')",
        lambda a, b: torch.div(a, b, rounding_mode="trunc"),
        POSITIVE,
        OTHER,
        grad=False,
    ),
    Case(
        "torch.div(rounding_mode='floor') of a number",
        lambda a: torch.div(a, 0.75, rounding_mode="floor"),
        A,
        grad=False,
        dtypes=SINGLE,
    ),
    Case(
        "torch.div(rounding_mode='trunc') of a number",
        lambda a: torch.div(a, 0.75, rounding_mode="trunc"),
        A,
        grad=False,
        dtypes=SINGLE,
    ),
    Case("torch.floor_divide of a number", lambda a: torch.floor_divide(a, 0.75), A, grad=False, dtypes=SINGLE),
    Case("torch.pow of a number", lambda a: torch.pow(a, 2.5), POSITIVE, loose=3),
    Case("torch.pow(., 2)", lambda a: a**2, A),
    Case("torch.pow(., 3)", lambda a: a**3, A, loose=2),
    Case("torch.pow(., 0.5)", lambda a: a**0.5, POSITIVE),
    Case("torch.pow(., -1)", lambda a: a**-1, POSITIVE),
    Case("torch.pow(number, .)", lambda a: 2.5**a, between(-2, 2, *A), loose=3),
    Case("torch.fmod of a number", lambda a: torch.fmod(a, 0.75), A, dtypes=SINGLE, loose=4),
    Case("torch.remainder of a number", lambda a: torch.remainder(a, 0.75), A, dtypes=SINGLE, loose=4),
    Case("torch.remainder(number, .)", lambda a: torch.remainder(3.0, a), POSITIVE, grad=False, dtypes=SINGLE),
    Case("torch.lerp", torch.lerp, A, A, between(0, 1, *A)),
    Case("torch.lerp of a number", lambda a, b: torch.lerp(a, b, 0.3), A, B),
    Case("torch.addcmul", lambda a, b, c: torch.addcmul(a, b, c, value=0.5), A, A, B, loose=2),
    Case("torch.addcdiv", lambda a, b, c: torch.addcdiv(a, b, c, value=0.5), A, A, OTHER, loose=2),
    Case("torch.clamp", lambda a: torch.clamp(a, -1, 1.5), A),
    Case("torch.clamp(min=)", lambda a: a.clamp(min=0.1), A),
    Case("torch.clamp(max=)", lambda a: a.clamp(max=0.1), A),
    Case("torch.clip", lambda a: torch.clip(a, 0, 1), A),
    Case("torch.clamp(min=tensor)", lambda a, b: a.clamp(min=b), A, B),
    Case("torch.clamp(max=tensor)", lambda a, b: a.clamp(max=b), A, B),
    Case("torch.clamp_min of a tensor", torch.clamp_min, A, B),
    Case("torch.clamp_max of a tensor", torch.clamp_max, A, B),
    Case("torch.clamp of tensors", torch.clamp, A, between(-2, 0, *A), between(1, 2, *A)),
    Case("torch.where", lambda c, a, b: torch.where(c, a, b), truth(*A), A, B),
    Case("torch.where of a number", lambda c, a: torch.where(c, a, 0.0), truth(*A), A),
    in_place("xlogy_", OTHER, loose=2),
    Case("torch.Tensor.xlogy_ with a number", lambda a: a.xlogy_(2.5), A, writes=True, loose=2),
    in_place("add_", OTHER),
    in_place("sub_", OTHER),
    in_place("mul_", OTHER),
    in_place("div_", OTHER),
    in_place("pow_", OTHER, loose=3),
    in_place("atan2_", OTHER),
    in_place("floor_divide_", OTHER, same=True),
    in_place("fmod_", OTHER, dtypes=SINGLE),
    in_place("remainder_", OTHER, dtypes=SINGLE),
    in_place("lerp_", POSITIVE, between(0, 1, *A)),
    in_place("addcmul_", POSITIVE, OTHER, loose=2),
    in_place("addcdiv_", POSITIVE, OTHER, loose=2),
    in_place("copy_", OTHER),
    Case("torch.Tensor.add_ of a number", lambda a: a.add_(1.5), A, writes=True),
    Case("torch.Tensor.sub_ of a number", lambda a: a.sub_(1.5), A, writes=True),
    Case("torch.Tensor.mul_ of a number", lambda a: a.mul_(1.5), A, writes=True),
    Case("torch.Tensor.div_ of a number", lambda a: a.div_(1.5), A, writes=True),
    Case("torch.Tensor.pow_ of a number", lambda a: a.pow_(1.5), POSITIVE, writes=True, loose=3),
    Case("torch.Tensor.fmod_ of a number", lambda a: a.fmod_(0.75), A, writes=True, dtypes=SINGLE, loose=4),
    Case("torch.Tensor.remainder_ of a number", lambda a: a.remainder_(0.75), A, writes=True, dtypes=SINGLE, loose=4),
    Case("torch.Tensor.floor_divide_ of a number", lambda a: a.floor_divide_(0.75), A, writes=True, dtypes=SINGLE),
    Case(
        "torch.Tensor.div_(rounding_mode='floor')",
        lambda a, b: a.div_(b, rounding_mode="floor"),
        POSITIVE,
        OTHER,
        writes=True,
        same=True,
    ),
    Case(
        "torch.Tensor.div_(rounding_mode='trunc')",
        lambda a, b: a.div_(b, rounding_mode="trunc"),
        POSITIVE,
        OTHER,
        writes=True,
    ),
    Case(
        "torch.Tensor.div_(rounding_mode=) of a number",
        lambda a: a.div_(0.75, rounding_mode="trunc"),
        A,
        writes=True,
        dtypes=SINGLE,
    ),
    Case("torch.Tensor.lerp_ of a number", lambda a, b: a.lerp_(b, 0.3), A, B, writes=True),
    Case("torch.Tensor.clamp_", lambda a: a.clamp_(-1, 1), A, writes=True),
    Case("torch.Tensor.clamp_(min=)", lambda a: a.clamp_(min=0.1), A, writes=True),
    Case("torch.Tensor.clamp_(max=)", lambda a: a.clamp_(max=0.1), A, writes=True),
    Case("torch.Tensor.clamp_(min=tensor)", lambda a, b: a.clamp_(min=b), A, B, writes=True),
    Case("torch.Tensor.clamp_min_", lambda a, b: a.clamp_min_(b), A, B, writes=True),
    Case("torch.Tensor.clamp_max_", lambda a, b: a.clamp_max_(b), A, B, writes=True),
    Case("torch.Tensor.clamp_(max=tensor)", lambda a, b: a.clamp_(max=b), A, B, writes=True),
]
# Integers: exact, and they wrap.
for name in ("add", "sub", "mul", "maximum", "minimum"):
    CASES.append(
        Case(
            f"torch.{name} (integers)",
            getattr(torch, name),
            whole(-50, 50, *A, dtype=None),
            whole(1, 9, *B, dtype=None),
            dtypes=INTEGERS[:4],
            grad=False,
        )
    )
for name in ("fmod", "remainder", "floor_divide", "div", "pow"):
    CASES.append(
        Case(
            f"torch.{name} (integers)",
            getattr(torch, name),
            whole(0, 50, *A, dtype=None),
            whole(1, 4, *B, dtype=None),
            dtypes=INTEGERS[:2],
            grad=False,
        )
    )
for name in ("gcd", "bitwise_left_shift", "bitwise_right_shift"):
    CASES.append(
        Case(
            f"torch.{name}",
            getattr(torch, name),
            whole(0, 100, *A, dtype=None),
            whole(0, 9, *B, dtype=None),
            dtypes=INTEGERS,
            grad=False,
        )
    )
CASES += [
    Case(
        f"torch.{name} of a number",
        lambda a, f=getattr(torch, name): f(a, 3),
        whole(-50, 50, *A, dtype=None),
        dtypes=INTEGERS[:4],
        grad=False,
    )
    for name in ("bitwise_left_shift", "bitwise_right_shift")
]
for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    function = getattr(torch, name)
    CASES += [
        Case(
            f"torch.{name}",
            function,
            whole(0, 100, *A, dtype=None),
            whole(0, 100, *B, dtype=None),
            dtypes=INTEGERS,
            grad=False,
        ),
        Case(
            f"torch.{name} of a number",
            lambda a, f=function: f(a, 37),
            whole(0, 100, *A, dtype=None),
            dtypes=INTEGERS,
            grad=False,
        ),
        Case(f"torch.{name} (bool)", function, truth(*A), truth(*B), dtypes=(torch.bool,), grad=False),
        Case(
            f"torch.Tensor.{name}_",
            getattr(Tensor, name + "_"),
            whole(0, 100, *A, dtype=None),
            whole(0, 100, *B, dtype=None),
            dtypes=INTEGERS[:2],
            writes=True,
        ),
        Case(
            f"torch.Tensor.{name}_ of a number",
            lambda a, f=getattr(Tensor, name + "_"): f(a, 37),
            whole(0, 100, *A, dtype=None),
            dtypes=INTEGERS[:2],
            writes=True,
        ),
    ]
# Of two dtypes the wider one.
CASES += [
    Case(
        f"torch.{name} of two dtypes",
        lambda a, b, f=getattr(torch, name): f(a, b),
        A,
        whole(1, 9, *B, dtype=torch.int32),
        dtypes=FLOATS,
        grad=False,
    )
    for name in ("add", "sub", "mul", "div")
]
run(CASES)
