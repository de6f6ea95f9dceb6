# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Sparse tensors whose entries are put together, and a step along sparse gradients, beside the CPU."""

import torch
import torch_npu  # noqa: F401

torch.manual_seed(4)
INDICES = torch.randint(0, 4, (2, 40))
for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int64):
    for tail in ((), (3,), (2, 600)):
        values = torch.randint(-9, 9, (40, *tail)).to(dtype)
        sparse = torch.sparse_coo_tensor(INDICES, values, (4, 4, *tail))
        wanted, found = sparse.coalesce(), sparse.npu().coalesce().cpu()
        assert found.dtype == dtype and torch.equal(found.indices(), wanted.indices()), (dtype, tail)
        assert torch.equal(found.values(), wanted.values()), (dtype, tail)
        assert torch.equal(sparse.npu().to_dense().cpu(), wanted.to_dense()), (dtype, tail)

line = torch.sparse_coo_tensor(torch.tensor([[1, 1, 0]]), torch.tensor([1.0, 2, 4]), (3,))
assert torch.equal(line.npu().coalesce().cpu().to_dense(), torch.tensor([4.0, 3, 0]))
none = torch.sparse_coo_tensor(torch.empty(2, 0, dtype=torch.int64), torch.empty(0), (3, 3))
assert none.npu().coalesce().cpu()._nnz() == 0

square = torch.sparse_coo_tensor(INDICES, torch.arange(40.0), (4, 4))
assert torch.sparse.sum(square.npu()).cpu() == 780
assert torch.equal(
    (square.npu() + square.npu()).coalesce().cpu().to_dense(), (square + square).coalesce().to_dense()
)

# Not SparseAdam: torch_npu's product of a dense and a sparse tensor, which it needs, leaves entries out where
# the dense one is 0, as its state is in the beginning.
words = torch.tensor([[1, 2, 1, 7], [2, 2, 9, 0]])
start = torch.randn(10, 3)
weights = []
for device in ("cpu", "npu"):
    table = torch.nn.Embedding(10, 3, sparse=True, _weight=start.clone()).to(device)
    optimizer = torch.optim.SGD(list(table.parameters()), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (table(words.to(device)) ** 2).sum().backward()
        assert table.weight.grad.is_sparse
        optimizer.step()
    weights.append(table.weight.detach().cpu())
assert torch.allclose(*weights, rtol=1e-6, atol=1e-7), weights
