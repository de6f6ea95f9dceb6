# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Rows taken by an index and added at one, by torch_npu's own names, beside PyTorch on the CPU."""

import torch
import torch_npu

NPU = torch.ops.npu
torch.manual_seed(35)


def near(found, wanted):
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    assert torch.allclose(found.cpu(), wanted, rtol=1e-5, atol=1e-5), (found.cpu() - wanted).abs().max()


def added():
    x, y, index = torch.randn(5, 7), torch.randn(4, 7), torch.tensor([4, 0, 2, 0])
    near(NPU._npu_index_add(x.npu(), index.npu(), y.npu(), alpha=2), x.index_add(0, index, y, alpha=2))
    z = x.npu()
    NPU._npu_index_add_(z, index.npu(), y.npu())
    near(z, x.index_add(0, index, y))


def taken():
    x = torch.randn(5, 7, requires_grad=True)
    for shape in ((3,), (3, 2)):
        index = torch.randint(0, 5, shape)
        rows = x[index]
        grad = torch.randn_like(rows)
        (wanted,) = torch.autograd.grad(rows, x, grad)
        near(NPU.npu_gather_sparse_index(x.detach().npu(), index.npu()), rows.detach())
        if len(shape) == 1:  # it hands an index of more dims on, which aclnnIndexAddV2 does not take
            near(NPU.npu_gather_sparse_index_backward(grad.npu(), [5, 7], index.npu()), wanted)


if __name__ == "__main__":
    added()
    taken()
    torch.npu.synchronize()
