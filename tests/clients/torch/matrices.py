# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Products of matrices, and what is built of them."""

import torch
import torch.nn.functional as F

from support.table import FLOATS, INTEGERS, Case, run

M, N = (9, 17), (17, 5)
CASES = [
    Case("torch.mm", torch.mm, M, N),
    Case("torch.matmul", torch.matmul, M, N),
    Case("torch.mm, transposed", lambda a, b: a.t() @ b.t(), (17, 9), (5, 17)),
    Case("torch.matmul of batches", torch.matmul, (3, 9, 17), (3, 17, 5)),
    Case("torch.matmul, broadcast", torch.matmul, (2, 3, 9, 17), (17, 5)),
    Case("torch.matmul, broadcast batches", torch.matmul, (2, 1, 9, 17), (3, 17, 5)),
    Case("torch.matmul of a vector", torch.matmul, M, (17,)),
    Case("torch.matmul from a vector", torch.matmul, (9,), M),
    Case("torch.matmul of vectors", torch.matmul, (17,), (17,)),
    Case("torch.bmm", torch.bmm, (3, 9, 17), (3, 17, 5)),
    Case("torch.mv", torch.mv, M, (17,)),
    Case("torch.dot", torch.dot, (17,), (17,)),
    Case("torch.outer", torch.outer, (9,), (17,)),
    Case("torch.inner", torch.inner, (9, 17), (5, 17)),
    Case("torch.addmm", torch.addmm, (9, 5), M, N),
    Case("torch.addmm(beta=, alpha=)", lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2), (5,), M, N),
    Case("torch.baddbmm", torch.baddbmm, (3, 9, 5), (3, 9, 17), (3, 17, 5)),
    Case(
        "torch.baddbmm(beta=, alpha=)",
        lambda c, a, b: torch.baddbmm(c, a, b, beta=0.5, alpha=2),
        (9, 5),
        (3, 9, 17),
        (3, 17, 5),
    ),
    Case("torch.addbmm", torch.addbmm, (9, 5), (3, 9, 17), (3, 17, 5)),
    Case(
        "torch.addbmm(beta=, alpha=)",
        lambda c, a, b: torch.addbmm(c, a, b, beta=0.5, alpha=2),
        (5,),
        (3, 9, 17),
        (3, 17, 5),
    ),
    Case("torch.Tensor.addbmm_", lambda c, a, b: c.addbmm_(a, b), (9, 5), (3, 9, 17), (3, 17, 5), writes=True),
    Case("torch.addr", lambda a, x, y: torch.addr(a, x, y, beta=0.5, alpha=2), (7, 5), (7,), (5,), loose=2),
    Case("torch.addr of a row", torch.addr, (5,), (7,), (5,), loose=2),
    Case("torch.Tensor.addr_", lambda a, x, y: a.addr_(x, y, alpha=-1), (7, 5), (7,), (5,), writes=True, loose=2),
    Case("torch.addmv", torch.addmv, (9,), M, (17,)),
    Case("torch.addmv(beta=, alpha=)", lambda c, a, b: torch.addmv(c, a, b, beta=0.5, alpha=-2), (9,), M, (17,)),
    Case("torch.Tensor.addmv_", lambda c, a, b: c.addmv_(a, b), (9,), M, (17,), writes=True),
    Case("torch.trace", torch.trace, M),
    Case("torch.trace (integers)", torch.trace, M, dtypes=INTEGERS[:2], grad=False),
    Case(
        "torch.linalg.solve_triangular",
        lambda a, b: torch.linalg.solve_triangular(a.triu(1) + torch.eye(5).to(a), b, upper=True),
        (5, 5),
        (5, 3),
        dtypes=FLOATS[:1],
        loose=20,
    ),
    Case("torch.ger", torch.ger, (9,), (5,)),
    Case("torch.Tensor.addmm_", lambda c, a, b: c.addmm_(a, b), (9, 5), M, N, writes=True),
    Case("torch.Tensor.baddbmm_", lambda c, a, b: c.baddbmm_(a, b), (3, 9, 5), (3, 9, 17), (3, 17, 5), writes=True),
    Case("F.linear", F.linear, (4, 17), (9, 17), (9,)),
    Case("F.linear without bias", F.linear, (2, 4, 17), (9, 17)),
    Case("F.linear of three dims", F.linear, (2, 4, 17), (9, 17), (9,)),
    Case("F.bilinear", F.bilinear, (4, 5), (4, 6), (3, 5, 6), (3,), loose=2),
    Case("torch.einsum", lambda a, b: torch.einsum("bij,bjk->bik", a, b), (3, 9, 17), (3, 17, 5)),
    Case("torch.einsum of a trace", lambda a, b: torch.einsum("ij,kj->ik", a, b), (9, 17), (5, 17)),
    Case("torch.tensordot", lambda a, b: torch.tensordot(a, b, dims=([1, 2], [0, 1])), (3, 4, 5), (4, 5, 6)),
    Case("torch.chain_matmul", lambda a, b, c: torch.linalg.multi_dot([a, b, c]), (3, 4), (4, 5), (5, 6), loose=3),
    Case("torch.kron", torch.kron, (3, 4), (2, 5)),
    Case("torch.matrix_power", lambda a: torch.matrix_power(a / 4, 3), (4, 4), loose=4),
    Case(
        "torch.inverse",
        lambda a: torch.inverse(a + 9 * torch.eye(4, dtype=a.dtype, device=a.device)),
        (3, 4, 4),
        dtypes=FLOATS[:1],
        loose=4,
    ),
    Case(
        "torch.complex",
        lambda a, b: torch.view_as_real(torch.complex(a, b)),
        (5, 6),
        (5, 6),
        dtypes=FLOATS[:1],
        grad=False,
    ),
    Case("torch.mm of nothing between", lambda a, b: torch.mm(a[:, :0], b[:0]), M, N),
    Case("torch.mm of no rows", lambda a, b: torch.mm(a[:0], b), M, N),
]
run(CASES)
