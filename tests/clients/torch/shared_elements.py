# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Fills of tensors whose indices share elements: an element has the value where any of its indices is filled."""
import warnings

import torch
import torch_npu  # noqa: F401

warnings.simplefilter("ignore")  # PyTorch would have no such fills one day
MASK = torch.tensor([False, True, False]).npu()
FILLS = {
    "fill_": lambda x: x.fill_(2),
    "masked_fill_": lambda x: x.masked_fill_(MASK, 2),
    "masked_fill_ by a tensor": lambda x: x.masked_fill_(MASK, torch.tensor(2.0).npu()),
    "x[mask] =": lambda x: x.__setitem__(MASK, 2),
    "x[indices] =": lambda x: x.__setitem__(torch.tensor([0, 2]).npu(), 2),
    "index_fill_": lambda x: x.index_fill_(0, torch.tensor([1]).npu(), 2),
}


def shared():
    return torch.zeros(1).npu().expand(3)


for name, fill in FILLS.items():
    x = shared()
    fill(x)
    assert x.tolist() == [2, 2, 2], (name, x)
    x.masked_fill_(MASK & ~MASK, 5)
    assert x.tolist() == [2, 2, 2], (name, x)
windows = torch.zeros(9).npu()
windows.as_strided((4, 3), (2, 1)).masked_fill_(MASK, 1)
assert windows.tolist() == [0, 1, 0, 1, 0, 1, 0, 1, 0], windows
both = [shared().fill_(3), shared().fill_(4)]
torch._foreach_zero_(both)
assert torch.stack(both).tolist() == [[0, 0, 0], [0, 0, 0]], both
