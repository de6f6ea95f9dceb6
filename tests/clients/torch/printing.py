# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-022 aclnnDiv
"""What print, repr, item and tolist say of tensors on the device."""

import torch

from support.table import FLOATS, INTEGERS, Case, between, contiguous, run, small, truth, values

ALL = FLOATS + INTEGERS


def text(x):
    """What repr says, but for the device, the dtype and where lines end."""
    said = "".join(repr(x).split())
    for word in (f",device='{x.device}'", f",dtype={x.dtype}"):
        said = said.replace(word, "")
    return list(said.encode())


def case(name, function, *inputs, dtypes=ALL):
    return Case(name, function, *inputs, dtypes=dtypes, grad=False, same=True, layouts=(contiguous,))


CASES = [
    case("print", lambda x: text(x), small(3, 4)),
    case("print of fractions", lambda x: text(x), between(-3, 3, 5, 6), dtypes=FLOATS),
    case("print of many", lambda x: text(x), small(60, 50)),
    case("print of large ones", lambda x: text(x * 1e4), between(1, 3, 4, 3), dtypes=FLOATS[:1]),
    case(
        "print of NaN and infinities", lambda x: text(x / (x - x.floor() - 0.5).trunc()), small(3, 3), dtypes=FLOATS[:1]
    ),
    case("print of nothing", lambda x: text(x[:0]), small(3, 4)),
    case("print of one", lambda x: text(x[0, 0]), small(3, 4)),
    case("print of bool", lambda x: text(x), truth(3, 4), dtypes=(torch.bool,)),
    case("format", lambda x: list(f"{x[1, 2].item():.3f}".encode()), small(3, 4)),
    case("torch.Tensor.item", lambda x: x.sum().item(), small(3, 4), dtypes=FLOATS[:1] + INTEGERS[:2]),
    case("torch.Tensor.tolist", lambda x: x.tolist(), small(3, 4)),
    case("bool(tensor)", lambda x: bool((x >= 0).all()), small(3, 4)),
    case("float(tensor)", lambda x: float(x), values(2.5), dtypes=FLOATS),
    case("torch.Tensor.numpy", lambda x: torch.from_numpy(x.cpu().numpy()), small(3, 4), dtypes=FLOATS[:2] + INTEGERS),
]
run(CASES)
