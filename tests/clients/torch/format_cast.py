# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Casts between formats whose elements lie in the order of the dims."""
import torch
import torch_npu

x = torch.randn(2, 3, 4, 5)
y = torch_npu.npu_format_cast(torch_npu.npu_format_cast(x.npu(), 0), 2)
assert torch.equal(y.cpu(), x)
