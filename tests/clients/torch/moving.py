# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Functions that move elements: joining, splitting, repeating, padding, turning."""

import torch
import torch.nn.functional as F

from support.table import FLOATS, INTEGERS, Case, run, whole

A = (4, 6, 5)
ALL = FLOATS + INTEGERS + (torch.bool,)
CASES = [
    Case("torch.cat", lambda x, y: torch.cat([x, y, x], 1), A, A),
    Case("torch.cat(dim=-1)", lambda x, y: torch.cat([x, y], -1), A, A),
    Case("torch.cat of two dtypes", lambda x, y: torch.cat([x, y]), A, whole(0, 9, *A, dtype=torch.int32), grad=False),
    Case("torch.stack", lambda x, y: torch.stack([x, y], 1), A, A),
    Case("torch._chunk_cat", lambda x, y: torch._chunk_cat([x, y], 0, 3), A, (5, 2), grad=False),
    Case("torch._chunk_cat(dim=1)", lambda x, y: torch._chunk_cat([x, y], 1, 2), A, (4, 7, 5), grad=False),
    Case("torch.hstack", lambda x, y: torch.hstack([x, y]), A, A),
    Case("torch.vstack", lambda x, y: torch.vstack([x, y]), A, A),
    Case("torch.dstack", lambda x, y: torch.dstack([x, y]), A, A),
    Case("torch.split", lambda x: [p * 2 for p in torch.split(x, 4, 1)], A),
    Case("torch.split of sizes", lambda x: [p * 2 for p in torch.split(x, [1, 5], 1)], A),
    Case("torch.chunk", lambda x: [p + 1 for p in torch.chunk(x, 3, 1)], A),
    Case("torch.unbind", lambda x: torch.unbind(x, 1), A),
    Case("torch.narrow", lambda x: x.narrow(1, 2, 3) * 2, A),
    Case("torch.Tensor.__getitem__ of slices", lambda x: x[1:3, ::2, -1] * 2, A),
    Case("torch.permute", lambda x: x.permute(2, 0, 1).contiguous(), A),
    Case("torch.transpose", lambda x: x.transpose(0, 2) + 1, A),
    Case("torch.movedim", lambda x: x.movedim(0, 2).contiguous(), A),
    Case("torch.Tensor.contiguous", lambda x: x.contiguous(), A),
    Case("torch.reshape", lambda x: x.reshape(6, -1) * 2, A),
    Case("torch.flatten", lambda x: x.flatten(1) * 2, A),
    Case("torch.Tensor.expand", lambda x: x[:, :1].expand(4, 7, 5) * 2, A),
    Case("torch.broadcast_to", lambda x: torch.broadcast_to(x, (2, 4, 6, 5)) * 2, A),
    Case("torch.Tensor.repeat", lambda x: x.repeat(2, 1, 3), A),
    Case("torch.tile", lambda x: torch.tile(x, (2, 2)), A),
    Case("torch.repeat_interleave", lambda x: torch.repeat_interleave(x, 3), A),
    Case(
        "torch.repeat_interleave of repeats alone",
        torch.repeat_interleave,
        whole(0, 5, 6),
        dtypes=FLOATS[:1],
        grad=False,
    ),
    Case("torch.repeat_interleave(dim=)", lambda x: torch.repeat_interleave(x, 3, 1), A),
    Case(
        "torch.repeat_interleave of a tensor",
        lambda x, r: torch.repeat_interleave(x, r, 1),
        A,
        whole(0, 4, 6),
    ),
    Case(
        "torch.repeat_interleave of a tensor, flat",
        lambda x, r: torch.repeat_interleave(x, r),
        (6,),
        whole(0, 4, 6),
    ),
    Case("torch.flip", lambda x: torch.flip(x, (0, 2)), A),
    Case("torch.fliplr", torch.fliplr, A),
    Case("torch.flipud", torch.flipud, A),
    Case("torch.rot90", torch.rot90, (4, 6)),
    Case("torch.roll", lambda x: torch.roll(x, 2), A),
    Case("torch.roll(dims=)", lambda x: torch.roll(x, (1, -2), (0, 1)), A),
    Case("torch.tril", torch.tril, A),
    Case("torch.triu", torch.triu, A),
    Case("torch.tril(diagonal=)", lambda x: torch.tril(x, -1), A),
    Case("torch.triu(diagonal=)", lambda x: torch.triu(x, 2), A),
    Case("torch.Tensor.tril_", lambda x: x.tril_(1), A, writes=True),
    Case("torch.Tensor.triu_", lambda x: x.triu_(1), A, writes=True),
    Case("torch.diagonal", lambda x: torch.diagonal(x, 1) * 2, (6, 6)),
    Case("torch.diag", torch.diag, (6, 6), grad=False),
    Case("torch.diag of a vector", torch.diag, (6,)),
    Case("torch.diag_embed", torch.diag_embed, (3, 6)),
    Case("F.unfold", lambda x: F.unfold(x, 3, padding=1, stride=2), (2, 3, 7, 6)),
    Case("F.fold", lambda x: F.fold(x, (6, 6), 3), (2, 18, 16)),
    Case("F.channel_shuffle", lambda x: F.channel_shuffle(x, 3), (2, 6, 3, 4), grad=False),
    Case("torch.Tensor.unfold", lambda x: x.unfold(1, 3, 2) * 2, A),
    Case("F.pad", lambda x: F.pad(x, (1, 2)), A),
    Case("F.pad(value=)", lambda x: F.pad(x, (1, 2, -1, 3), value=1.5), A),
    Case("F.pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), (2, 8, 3, 4)),
    Case("F.pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2), (2, 2, 6, 4)),
    Case("torch.meshgrid", lambda x, y: torch.meshgrid(x, y, indexing="ij"), (4,), (5,)),
    Case("torch.cartesian_prod", torch.cartesian_prod, (4,), (5,)),
    Case("torch.block_diag", torch.block_diag, (2, 3), (4, 1)),
    Case("torch.Tensor.clone", torch.clone, A),
    Case("torch.Tensor.float", lambda x: x.float(), A, same=True),
    Case("torch.Tensor.half", lambda x: x.half(), A, same=True),
    Case("torch.Tensor.bfloat16", lambda x: x.bfloat16(), A, same=True, loose=2000),
    Case("torch.Tensor.long", lambda x: x.long(), A, grad=False, same=True),
    Case("torch.Tensor.bool", lambda x: x.bool(), A, grad=False),
    Case("torch.Tensor.int of integers", lambda x: x.int(), A, dtypes=INTEGERS, grad=False),
    Case(
        "torch.Tensor.to(dtype)",
        lambda x: [x.to(d) for d in (torch.float32, torch.float16, torch.int32, torch.uint8, torch.bool)],
        whole(0, 100, *A, dtype=None),
        dtypes=ALL,
        grad=False,
        same=True,
    ),
    Case(
        "torch.cat (all dtypes)",
        lambda x: torch.cat([x, x], 1),
        whole(0, 100, *A, dtype=None),
        dtypes=ALL,
        grad=False,
        same=True,
    ),
    Case(
        "torch.flip (all dtypes)",
        lambda x: torch.flip(x, (1,)),
        whole(0, 100, *A, dtype=None),
        dtypes=ALL,
        grad=False,
        same=True,
    ),
    Case(
        "torch.roll (all dtypes)",
        lambda x: torch.roll(x, 1, 1),
        whole(0, 100, *A, dtype=None),
        dtypes=ALL,
        grad=False,
        same=True,
    ),
    Case(
        "torch.Tensor.repeat (all dtypes)",
        lambda x: x.repeat(2, 1, 1),
        whole(0, 100, *A, dtype=None),
        dtypes=ALL,
        grad=False,
        same=True,
    ),
]
for mode, most in (("reflect", 3), ("replicate", 3), ("circular", 3)):
    for dims in range(1, most + 1):
        pads = (1, 2, 2, 1, 1, 1)[: 2 * dims]
        CASES.append(
            Case(
                f"F.pad(mode='{mode}') of {dims} dims",
                lambda x, p=pads, m=mode: F.pad(x, p, m),
                (2, 3, *(4, 5, 6)[:dims]),
                loose=2,
            )
        )
run(CASES)
