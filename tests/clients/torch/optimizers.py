# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-022 aclnnForeachDivScalarList; RAdam divides by 0 in its first steps, whatever the device
"""Optimizers of all kinds, one tensor at a time and in lists, clipping, scaling, and the functions of lists."""

import torch

from support.table import FLOATS, SINGLE, Case, between, contiguous, fixed, run

SHAPES = ((7, 5), (11,), (3, 2, 4))
STEPS = 4


def training(make):
    """A function of parameters that makes an optimizer and takes some steps of it."""

    def steps(*tensors):
        half = len(tensors) // 2
        parameters = [t.detach().clone().requires_grad_() for t in tensors[:half]]
        optimizer = make(parameters)
        for step in range(STEPS):
            for parameter, gradient in zip(parameters, tensors[half:]):
                parameter.grad = gradient.detach().clone() * (1 + step)
            optimizer.step()
        return [p.detach() for p in parameters]

    return steps


O = torch.optim
KINDS = {
    "SGD": lambda p, **k: O.SGD(p, lr=0.1, **k),
    "SGD(momentum=)": lambda p, **k: O.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01, **k),
    "SGD(nesterov=True)": lambda p, **k: O.SGD(p, lr=0.1, momentum=0.9, nesterov=True, **k),
    "SGD(maximize=True)": lambda p, **k: O.SGD(p, lr=0.1, maximize=True, **k),
    "Adam": lambda p, **k: O.Adam(p, lr=0.1, **k),
    "Adam(weight_decay=)": lambda p, **k: O.Adam(p, lr=0.1, weight_decay=0.01, **k),
    "Adam(amsgrad=True)": lambda p, **k: O.Adam(p, lr=0.1, amsgrad=True, **k),
    "AdamW": lambda p, **k: O.AdamW(p, lr=0.1, **k),
    "AdamW(amsgrad=True)": lambda p, **k: O.AdamW(p, lr=0.1, amsgrad=True, **k),
    "AdamW(capturable=True)": lambda p, **k: O.AdamW(p, lr=0.1, capturable=p[0].device.type == "npu", **k),
    "NAdam": lambda p, **k: O.NAdam(p, lr=0.1, **k),
    "RAdam": lambda p, **k: O.RAdam(p, lr=0.1, **k),
    "RMSprop": lambda p, **k: O.RMSprop(p, lr=0.1, **k),
    "RMSprop(centered=True, momentum=)": lambda p, **k: O.RMSprop(p, lr=0.1, centered=True, momentum=0.5, **k),
    "Adagrad": lambda p, **k: O.Adagrad(p, lr=0.1, **k),
    "Adadelta": lambda p, **k: O.Adadelta(p, lr=0.5, **k),
    "Adamax": lambda p, **k: O.Adamax(p, lr=0.1, **k),
    "Rprop": lambda p, **k: O.Rprop(p, lr=0.1, **k),
    "ASGD": lambda p, **k: O.ASGD(p, lr=0.1, **k),
}
# Gradients stay away from 0, where quotients by their size would change sign.
GRADIENTS = [between(0.5, 2, *shape) for shape in SHAPES]
INPUTS = [fixed(*shape) for shape in SHAPES] + GRADIENTS


def in_lists(name, function, lists, dtypes=FLOATS, domain=(0.5, 2), loose=2):
    """A function of lists; torch._foreach_name and its form in place are two cases."""
    inputs = [between(*domain, *shape) for _ in range(lists) for shape in SHAPES]

    def parts(tensors):
        return [list(tensors[i : i + 3]) for i in range(0, len(tensors), 3)]

    return Case(
        name,
        lambda *t: function(*parts([x.clone() for x in t])),
        *inputs,
        dtypes=dtypes,
        grad=False,
        loose=loose,
        layouts=(contiguous,),
    )


def written(function):
    def call(first, *rest, **how):
        function(first, *rest, **how)
        return first

    return call


CASES = [
    Case(
        f"torch.optim.{name}, foreach={foreach}",
        training(lambda p, m=make, f=foreach: m(p, foreach=f)),
        *INPUTS,
        dtypes=SINGLE,
        grad=False,
        loose=5,
        layouts=(contiguous,),
    )
    for name, make in KINDS.items()
    for foreach in (False, True)
]
CASES += [
    Case(
        f"torch.optim.{kind.__name__}(fused=True{text})",
        training(lambda p, o=kind, k=arguments: o(p, lr=0.1, fused=True, **k)),
        *INPUTS,
        dtypes=SINGLE,
        grad=False,
        loose=5,
        layouts=(contiguous,),
    )
    for kind, text, arguments in (
        (O.AdamW, "", {}),
        (O.AdamW, ", amsgrad=True, maximize=True", {"amsgrad": True, "maximize": True}),
        (O.Adam, "", {}),
        (O.Adam, ", amsgrad=True, weight_decay=", {"amsgrad": True, "weight_decay": 0.125}),
        (O.SGD, ", momentum=", {"momentum": 0.5, "weight_decay": 0.125, "maximize": True}),
        (O.SGD, ", nesterov=True", {"momentum": 0.5, "nesterov": True}),
    )
]
UNARY = {
    "abs": (-2, 2),
    "acos": (-0.9, 0.9),
    "asin": (-0.9, 0.9),
    "atan": (-2, 2),
    "cos": (-2, 2),
    "cosh": (-2, 2),
    "erf": (-2, 2),
    "erfc": (-2, 2),
    "exp": (-2, 2),
    "expm1": (-2, 2),
    "log": (0.5, 2),
    "log10": (0.5, 2),
    "log1p": (0.5, 2),
    "log2": (0.5, 2),
    "neg": (-2, 2),
    "reciprocal": (0.5, 2),
    "rsqrt": (0.5, 2),
    "sigmoid": (-2, 2),
    "sign": (-2, 2),
    "sin": (-2, 2),
    "sinh": (-2, 2),
    "sqrt": (0.5, 2),
    "tan": (-1, 1),
    "tanh": (-2, 2),
    "zero": (-2, 2),
}
for name, domain in UNARY.items():
    if name != "zero":
        CASES.append(in_lists(f"torch._foreach_{name}", getattr(torch, "_foreach_" + name), 1, domain=domain))
    CASES.append(in_lists(f"torch._foreach_{name}_", written(getattr(torch, f"_foreach_{name}_")), 1, domain=domain))
for name in ("round", "ceil", "floor", "trunc", "frac"):
    for text, f in (
        ("", getattr(torch, "_foreach_" + name)),
        ("_", written(getattr(torch, f"_foreach_{name}_"))),
    ):
        # 16 bits on the CPU are computed in FLOAT of the same numbers
        CASES.append(in_lists(f"torch._foreach_{name}{text}", f, 1, domain=(-9, 9)))
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "clamp_max", "clamp_min", "pow")
for name in BINARY:
    for text, one in (
        ("", lambda n: getattr(torch, "_foreach_" + n)),
        ("_", lambda n: written(getattr(torch, f"_foreach_{n}_"))),
    ):
        f = one(name)
        CASES += [
            in_lists(f"torch._foreach_{name}{text}", f, 2),
            in_lists(f"torch._foreach_{name}{text} of a number", lambda a, f=f: f(a, 1.5), 1),
            in_lists(f"torch._foreach_{name}{text} of numbers", lambda a, f=f: f(a, [1.5, 2.0, 0.5]), 1),
        ]
for text, one in (
    ("", lambda n: getattr(torch, "_foreach_" + n)),
    ("_", lambda n: written(getattr(torch, f"_foreach_{n}_"))),
):
    CASES += [
        in_lists(f"torch._foreach_add{text}(alpha=)", lambda a, b, f=one("add"): f(a, b, alpha=2), 2),
        in_lists(f"torch._foreach_sub{text}(alpha=)", lambda a, b, f=one("sub"): f(a, b, alpha=0.25), 2),
        in_lists(f"torch._foreach_addcmul{text}", lambda a, b, c, f=one("addcmul"): f(a, b, c, value=0.5), 3),
        in_lists(f"torch._foreach_addcdiv{text}", lambda a, b, c, f=one("addcdiv"): f(a, b, c, value=0.5), 3),
        in_lists(
            f"torch._foreach_addcmul{text} of numbers", lambda a, b, c, f=one("addcmul"): f(a, b, c, [0.5, 1.5, 2.0]), 3
        ),
        in_lists(
            f"torch._foreach_addcdiv{text} of numbers", lambda a, b, c, f=one("addcdiv"): f(a, b, c, [0.5, 1.5, 2.0]), 3
        ),
        in_lists(f"torch._foreach_lerp{text}", one("lerp"), 3, domain=(0.1, 0.9)),
        in_lists(f"torch._foreach_lerp{text} of a number", lambda a, b, f=one("lerp"): f(a, b, 0.3), 2),
    ]
CASES += [
    in_lists("torch._foreach_copy_", written(torch._foreach_copy_), 2),
    in_lists("torch._foreach_norm", torch._foreach_norm, 1),
    in_lists("torch._foreach_norm(ord=1)", lambda a: torch._foreach_norm(a, 1), 1),
    in_lists("torch.nn.utils.clip_grad_norm_", lambda a, g: clipped(a, g, torch.nn.utils.clip_grad_norm_), 2, SINGLE),
    in_lists("torch.nn.utils.clip_grad_value_", lambda a, g: clipped(a, g, torch.nn.utils.clip_grad_value_), 2, SINGLE),
]


def clipped(parameters, gradients, clip):
    for parameter, gradient in zip(parameters, gradients):
        parameter.requires_grad_().grad = gradient
    clip(parameters, 1.0)
    return [p.grad for p in parameters]


def scaled(x):
    """Three steps of a GradScaler, the second with an infinite gradient, which is skipped."""
    weight = torch.ones_like(x).requires_grad_()
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler(x.device.type, init_scale=16.0, growth_interval=1, enabled=True)
    scales = []
    for factor in (1.0, float("inf"), 2.0):
        optimizer.zero_grad()
        scaler.scale((weight * x * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
    return weight.detach(), scales


CASES.append(
    Case("torch.amp.GradScaler", scaled, between(0.5, 2, 9, 4), dtypes=SINGLE, grad=False, layouts=(contiguous,))
)
CASES.append(in_lists("torch._foreach_pow of a number", lambda x: torch._foreach_pow(2.5, x), 1))
run(CASES)
