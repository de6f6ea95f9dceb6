# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Matrices taken apart, and what PyTorch builds of that. What a decomposition leaves open, the signs of
singular vectors, is not compared."""

import torch

from support.table import SINGLE, Case, contiguous, run, transposed


def case(name, function, *inputs, loose=20, **more):
    return Case(name, function, *inputs, dtypes=SINGLE, loose=loose, **more)


def square(a):
    """Positive definite, and far from singular."""
    return a @ a.mT + 3 * torch.eye(a.shape[-1], dtype=a.dtype, device=a.device)


def product(a, full):
    u, s, v = torch.linalg.svd(a, full_matrices=full)
    k = s.shape[-1]
    return (u[..., :k] * s.unsqueeze(-2)) @ v[..., :k, :], s


HIGH, WIDE, SIDE = (2, 6, 4), (2, 4, 6), (2, 5, 5)
PLAIN = {"layouts": (contiguous, transposed)}
CASES = [
    case("torch.linalg.qr", torch.linalg.qr, HIGH, **PLAIN),
    case("torch.linalg.qr of more columns", torch.linalg.qr, WIDE, grad=False, **PLAIN),
    case("torch.linalg.qr(complete)", lambda a: torch.linalg.qr(a, mode="complete"), HIGH, grad=False, **PLAIN),
    case("torch.linalg.qr(complete) of squares", lambda a: torch.linalg.qr(a, mode="complete"), SIDE, **PLAIN),
    case("torch.linalg.qr(r)", lambda a: torch.linalg.qr(a, mode="r")[1], HIGH, grad=False, **PLAIN),
    case("torch.linalg.qr of nothing", lambda a: torch.linalg.qr(a[:, :0])[1].shape, (4, 3), grad=False),
    case("torch.linalg.cholesky", lambda a: torch.linalg.cholesky(square(a)), SIDE),
    case("torch.linalg.cholesky(upper=)", lambda a: torch.linalg.cholesky(square(a), upper=True), SIDE),
    case("torch.linalg.svd", lambda a: product(a, False), HIGH, **PLAIN),
    case("torch.linalg.svd of more columns", lambda a: product(a, False), WIDE, **PLAIN),
    case("torch.linalg.svd(full_matrices=)", lambda a: product(a, True), HIGH, grad=False, **PLAIN),
    case("torch.linalg.svdvals", torch.linalg.svdvals, WIDE, **PLAIN),
    case("torch.svd(compute_uv=)", lambda a: torch.svd(a, compute_uv=False)[1], HIGH, grad=False, **PLAIN),
    case("torch.linalg.norm(nuc)", lambda a: torch.linalg.norm(a, ord="nuc", dim=(1, 2)), HIGH, **PLAIN),
    case("torch.linalg.norm(2)", lambda a: torch.linalg.norm(a, ord=2, dim=(1, 2)), HIGH, **PLAIN),
    case("torch.linalg.pinv", torch.linalg.pinv, HIGH, loose=100, **PLAIN),
    case("torch.linalg.cond", lambda a: torch.linalg.cond(square(a)), SIDE, loose=100),
    case("torch.linalg.matrix_rank", lambda a: torch.linalg.matrix_rank(a[..., :2] @ a[..., :2].mT), SIDE, grad=False),
    case("torch.slogdet", torch.slogdet, SIDE, grad=False, **PLAIN),
    case("torch.linalg.slogdet", lambda a: torch.linalg.slogdet(square(a))[1], SIDE),
    case("torch.linalg.det", lambda a: torch.linalg.det(square(a)), SIDE),
    case("torch.linalg.solve", lambda a, b: torch.linalg.solve(square(a), b), SIDE, (2, 5, 3)),
    case("torch.linalg.lstsq", lambda a, b: torch.linalg.lstsq(a, b).solution, HIGH, (2, 6, 3), loose=200, **PLAIN),
    case("torch.linalg.eigvalsh", lambda a: torch.linalg.eigvalsh(square(a)), SIDE),
]
run(CASES)
