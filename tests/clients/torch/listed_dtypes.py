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
    Case(
        "torch.addmv, integers",
        lambda c, a, b: torch.addmv(c, a, b),
        small(9),
        small(9, 7),
        small(7),
        dtypes=INTEGERS,
        grad=False,
        same=True,
    ),
    Case("torch.addmv, DOUBLE", torch.addmv, (9,), (9, 7), (7,), dtypes=DOUBLE, grad=False),
]


def pair(a, b):
    return torch.complex(a, b)


A = (5, 5)
COMPLEX = (
    ("z ** 2", lambda z, w: z**2, A),
    ("z ** 3", lambda z, w: z**3, A),
    ("z ** -1", lambda z, w: z**-1, A),
    ("z ** 0.5", lambda z, w: z**0.5, A),
    ("z ** (1 + 2j)", lambda z, w: z ** (1 + 2j), A),
    ("2 ** z", lambda z, w: 2**z, A),
    ("z ** w", lambda z, w: z**w, A),
    ("z ** real", lambda z, w: z**w.real, A),
    ("1 - z", lambda z, w: 1 - z, A),
    ("1j - real", lambda z, w: 1j - z.real, A),
    ("torch.rsub(alpha=)", lambda z, w: torch.rsub(z, w, alpha=2), A),
    ("torch.tanh", lambda z, w: torch.tanh(z), A),
    ("torch.matmul", lambda z, w: z @ w, A),
    ("torch.matmul of batches", lambda z, w: torch.matmul(torch.stack([z, w]), torch.stack([w, z]).mH), A),
    ("torch.matmul with nn.functional.linear", lambda z, w: torch.nn.functional.linear(z, w.conj()), A),
    ("torch.mv", lambda z, w: z @ w[0], A),
    ("torch.matmul of conjugates", lambda z, w: (z @ w.mH, z.conj() @ w), A),
    ("torch.mv of conjugates", lambda z, w: torch.mv(z.mH, w[0].conj()), A),
    ("torch.linalg.qr", lambda z, w: torch.linalg.qr(z), A),
    ("torch.linalg.qr of conjugates", lambda z, w: torch.linalg.qr(z[:3].mH, mode="complete"), A),
    ("torch.linalg.cross", lambda z, w: torch.linalg.cross(z[:3], w[:3], dim=0), A),
    ("z[index]", lambda z, w: z[torch.tensor([4, 0, 4]).to(z.device)], A),
    ("z[:, index]", lambda z, w: z[:, torch.tensor([4, 0, 4]).to(z.device)], A),
    ("z[mask]", lambda z, w: z[z.real > 0], A),
)
for name, function, shape in COMPLEX:
    CASES.append(
        Case(
            f"{name}, COMPLEX64",
            lambda a, b, c, d, f=function: f(pair(a, b), pair(c, d)),
            shape,
            shape,
            shape,
            shape,
            dtypes=(torch.float32,),
            same=True,
            loose=20,
            # PyTorch differentiates no complex product here, that of QR is wrong (docs/pytorch.md), and
            # there is none of an index.
            grad=not name.startswith(("torch.m", "torch.linalg.qr", "z[")),
            **LAYOUTS,
        )
    )
run(CASES)

# torch_npu hands views of conjugates to these as if they were none, and asks for complex variances: they raise.
z = torch.complex(torch.randn(2, 3, 3), torch.randn(2, 3, 3)).npu()
REFUSED = {
    "mm": lambda: torch.mm(z[0].conj(), z[1]),
    "bmm": lambda: torch.bmm(z, z.mH),
    "addmm": lambda: torch.addmm(z[0], z[0], z[1]),
    "baddbmm": lambda: torch.baddbmm(z, z, z),
    "dot": lambda: torch.dot(z[0, 0], z[0, 1]),
    "vdot": lambda: torch.vdot(z[0, 0], z[0, 1]),
    "var": lambda: z.var(),
    "std": lambda: z.std(0),
}
for name, call in REFUSED.items():
    try:
        call().cpu()
    except RuntimeError as error:
        assert "COMPLEX64" in str(error) or "synchronize" in str(error), (name, error)
    else:
        raise AssertionError(f"{name} of complex numbers is not refused")
difference = torch.view_as_real(z).var(0).sum(-1).cpu() - z.cpu().var(0)
assert difference.abs().max() < 1e-5, difference
