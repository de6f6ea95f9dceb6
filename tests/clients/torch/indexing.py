# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Elements that indices name: reading, writing, adding, masks, embeddings."""

import torch
import torch.nn.functional as F

from support.table import (
    FLOATS,
    INTEGERS,
    Case,
    Input,
    contiguous,
    fixed,
    run,
    sliced,
    small,
    transposed,
    truth,
    values,
    whole,
)

A = (6, 5, 4)
ALL = FLOATS + INTEGERS + (torch.bool,)
DENSE = (contiguous, transposed, sliced)
ONCE = (contiguous,)
INDEX = whole(0, 6, 9)
LIKE = whole(0, 6, 6, 5, 4)


def assigned(x, key, value):
    x[key] = value
    return x


CASES = [
    Case("torch.index_select", lambda x, i: torch.index_select(x, 0, i), A, INDEX),
    Case("torch.index_select(dim=1)", lambda x, i: x.index_select(1, i % 5), A, INDEX),
    Case("torch.gather", lambda x, i: torch.gather(x, 0, i), A, LIKE),
    Case("torch.gather(dim=2)", lambda x, i: x.gather(2, i % 4), A, LIKE),
    Case("torch.take_along_dim", lambda x, i: torch.take_along_dim(x, i % 5, 1), A, LIKE),
    Case("torch.take", torch.take, A, whole(0, 120, 9), grad=False),
    Case("torch.Tensor.__getitem__ of a list", lambda x, i: x[i], A, INDEX),
    Case("torch.Tensor.__getitem__ of two lists", lambda x, i: x[i, i % 5], A, INDEX),
    Case("torch.Tensor.__getitem__ of lists apart", lambda x, i: x[i, :, i % 4], A, INDEX),
    Case("torch.Tensor.__getitem__ of the second", lambda x, i: x[:, i % 5], A, INDEX),
    Case("torch.Tensor.__getitem__ of two dims", lambda x, i: x[i.reshape(3, 3)], A, INDEX),
    Case("torch.Tensor.__getitem__ of a mask", lambda x, m: x[m], A, truth(6)),
    Case("torch.Tensor.__getitem__ of a mask of all", lambda x, m: x[m], A, truth(*A)),
    Case("torch.Tensor.__getitem__ of int32", lambda x, i: x[i], A, whole(0, 6, 9, dtype=torch.int32)),
    Case("torch.Tensor.__setitem__ of a list", lambda x, i, v: assigned(x, i, v[:1]), A, INDEX, (6, 5, 4), writes=True),
    Case("torch.Tensor.__setitem__ of a mask", lambda x, m: assigned(x, m, 2), A, truth(*A), writes=True),
    Case(
        "torch.Tensor.__setitem__ of slices",
        lambda x, v: assigned(x, (slice(1, 3), slice(None, None, 2)), v[:2, :3]),
        A,
        A,
        writes=True,
    ),
    Case(
        "torch.Tensor.index_put_(accumulate=True)",
        lambda x, i, v: x.index_put_((i,), v, accumulate=True),
        A,
        INDEX,
        (9, 5, 4),
        writes=True,
        loose=2,
    ),
    Case("torch.index_put", lambda x, v: torch.index_put(x, (torch.tensor([4, 2], device=x.device),), v), A, (2, 5, 4)),
    Case("torch.index_add", lambda x, i, v: torch.index_add(x, 0, i, v), A, INDEX, (9, 5, 4), loose=2),
    Case(
        "torch.Tensor.index_add_(alpha=)",
        lambda x, i, v: x.index_add_(1, i % 5, v, alpha=0.5),
        A,
        INDEX,
        (6, 9, 4),
        writes=True,
        loose=2,
    ),
    Case("torch.Tensor.put_", lambda x, i, y: x.put_(i, y), A, INDEX, (9,), writes=True),
    Case("torch.Tensor.put_(accumulate=)", lambda x, i, y: x.put_(i, y, True), A, INDEX, (9,), writes=True),
    Case("torch.index_fill", lambda x, i: torch.index_fill(x, 0, i, 1.5), A, INDEX, only="910"),
    Case("torch.Tensor.index_fill_", lambda x, i: x.index_fill_(0, i, 1.5), A, INDEX, writes=True, only="910"),
    Case(
        "torch.index_fill of a tensor",
        lambda x, i: torch.index_fill(x, 0, i, torch.tensor(1.5, device=x.device)),
        A,
        INDEX,
        grad=False,
        only="950",
    ),
    Case(
        "torch.Tensor.index_fill_ of a tensor",
        lambda x, i: x.index_fill_(0, i, torch.tensor(1.5, device=x.device)),
        A,
        INDEX,
        writes=True,
        only="950",
    ),
    Case(
        "torch.index_copy",
        lambda x, v: torch.index_copy(x, 0, torch.tensor([4, 2], device=x.device), v),
        A,
        (2, 5, 4),
        only="910",
    ),
    Case(
        "torch.Tensor.index_copy_",
        lambda x, v: x.index_copy_(0, torch.tensor([4, 2], device=x.device), v),
        A,
        (2, 5, 4),
        writes=True,
    ),
    Case("torch.searchsorted of a number", lambda b: torch.searchsorted(b, 0.25), values(-1, 0, 0.5, 2), grad=False),
    Case(
        "torch.scatter",
        lambda x, v: torch.scatter(x, 0, torch.tensor([[3, 1], [0, 2]], device=x.device), v),
        (6, 5),
        (2, 2),
    ),
    Case("torch.scatter of a number", lambda x, i: torch.scatter(x, 0, i, 1.5), A, LIKE),
    Case("torch.Tensor.scatter_ of a number", lambda x, i: x.scatter_(1, i % 5, 1.5), A, LIKE, writes=True),
    Case(
        "torch.Tensor.scatter_",
        lambda x, v: x.scatter_(0, torch.tensor([[3, 1], [0, 2]], device=x.device), v),
        (6, 5),
        (2, 2),
        writes=True,
    ),
    Case(
        "torch.Tensor.scatter_(reduce='add')",
        lambda x, i: x.scatter_(0, i, 1.5, reduce="add"),
        A,
        LIKE,
        writes=True,
        loose=2,
    ),
    Case("torch.scatter_add", lambda x, i, v: torch.scatter_add(x, 0, i, v), A, LIKE, A, loose=2),
    Case("torch.Tensor.scatter_add_", lambda x, i, v: x.scatter_add_(2, i % 4, v), A, LIKE, A, writes=True, loose=3),
    Case("torch.masked_fill", lambda x, m: torch.masked_fill(x, m, 1.5), A, truth(*A)),
    Case("torch.Tensor.masked_fill_", lambda x, m: x.masked_fill_(m, -1), A, truth(5, 4), writes=True),
    Case(
        "torch.Tensor.masked_fill_ of a tensor",
        lambda x, m, v: x.masked_fill_(m, v.sum()),
        A,
        truth(*A),
        fixed(1),
        writes=True,
        loose=2,
    ),
    Case("torch.masked_select", torch.masked_select, A, truth(*A)),
    *(
        Case(
            f"torch.scatter_reduce(reduce='{reduce}', include_self={takes})",
            lambda x, i, v, r=reduce, t=takes: torch.scatter_reduce(x, 0, i, v, r, include_self=t),
            A,
            LIKE,
            A,
            grad=False,
            loose=4,
        )
        for reduce in ("sum", "prod", "mean", "amax", "amin")
        for takes in (False, True)
    ),
    Case(
        "torch.Tensor.scatter_reduce_",
        lambda x, i, v: x.scatter_reduce_(1, i % 5, v, "amax", include_self=False),
        A,
        LIKE,
        A,
        writes=True,
    ),
    Case("torch.masked_scatter", torch.masked_scatter, A, truth(*A), A),
    Case("torch.nonzero", torch.nonzero, small(*A), grad=False, dtypes=ALL),
    Case("torch.nonzero(as_tuple=True)", lambda x: torch.nonzero(x, as_tuple=True), small(*A), grad=False),
    Case("torch.where of a condition", lambda x: torch.where(x > 0), A, grad=False),
    Case("torch.argwhere", torch.argwhere, small(*A), grad=False),
    *[
        Case(
            f"F.embedding_bag(mode='{mode}')",
            lambda w, i, b, mode=mode: F.embedding_bag(i, w, b, mode=mode),
            (9, 5),
            whole(0, 9, 7),
            Input((3,), lambda s: torch.tensor([0, 2, 5]), torch.int64),
            grad=False,
            layouts=ONCE,
        )
        for mode in ("sum", "mean", "max")
    ],
    Case(
        "F.embedding_bag(per_sample_weights=)",
        lambda w, i, b, f: F.embedding_bag(i, w, b, mode="sum", per_sample_weights=f),
        (9, 5),
        whole(0, 9, 7),
        Input((3,), lambda s: torch.tensor([0, 2, 5]), torch.int64),
        (7,),
        grad=False,
        layouts=ONCE,
    ),
    Case("torch.Tensor.fill_", lambda x: x.fill_(2.5), A, writes=True),
    Case("torch.Tensor.fill_ of a tensor", lambda x, y: x.fill_(y), A, fixed(), writes=True),
    Case("torch.Tensor.zero_", lambda x: x.zero_(), A, writes=True),
    Case("torch.Tensor.fill_diagonal_", lambda x: x.fill_diagonal_(2.5), (6, 6), writes=True, layouts=ONCE),
    Case(
        "F.embedding(max_norm=)", lambda i, w: F.embedding(i, w.clone(), max_norm=1.5), whole(0, 7, 3, 5), (7, 8), loose=2
    ),
    Case(
        "F.embedding(norm_type=)",
        lambda i, w: F.embedding(i, w.clone(), max_norm=0.5, norm_type=float("inf")),
        whole(0, 7, 3, 5),
        (7, 8),
        loose=2,
    ),
    Case("F.embedding", lambda i, w: F.embedding(i, w), whole(0, 7, 3, 5), (7, 8), loose=2),
    Case(
        "F.embedding(padding_idx=)", lambda i, w: F.embedding(i, w, padding_idx=2), whole(0, 7, 3, 5), (7, 8), loose=2
    ),
    Case("F.one_hot", lambda i: F.one_hot(i, 7), whole(0, 7, 3, 5), dtypes=(torch.int64,), grad=False),
    Case("F.one_hot without classes", lambda i: F.one_hot(i), whole(0, 7, 3, 5), dtypes=(torch.int64,), grad=False),
    Case(
        "torch.tril_indices",
        lambda x: (x.sum() * 0).long() + torch.tril_indices(4, 5, device=x.device),
        (3,),
        grad=False,
        layouts=ONCE,
    ),
    Case(
        "torch.index_select (all dtypes)",
        lambda x, i: torch.index_select(x, 1, i % 5),
        small(*A),
        INDEX,
        dtypes=ALL,
        grad=False,
    ),
    Case("torch.gather (all dtypes)", lambda x, i: torch.gather(x, 0, i), small(*A), LIKE, dtypes=ALL, grad=False),
    Case(
        "torch.masked_select (all dtypes)",
        lambda x, m: torch.masked_select(x, m),
        small(*A),
        truth(*A),
        dtypes=ALL,
        grad=False,
    ),
    Case(
        "torch.bucketize",
        lambda x, b: torch.bucketize(x, b.sort().values),
        A,
        fixed(7),
        grad=False,
        layouts=DENSE,
    ),
    Case(
        "torch.searchsorted",
        lambda x, b: torch.searchsorted(b.sort().values, x),
        A,
        fixed(7),
        grad=False,
        layouts=DENSE,
    ),
]
run(CASES)
