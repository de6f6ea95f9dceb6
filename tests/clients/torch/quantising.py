# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""torch.quantize_per_tensor and per_channel, beside the CPU, and torch_npu's npu_quantize."""

import torch
import torch_npu

x = torch.tensor([[1.0, -2, 3.4], [0.05, 0.149, -900]])
for kind in (torch.qint8, torch.quint8):
    wanted = torch.quantize_per_tensor(x, 0.1, 10, kind).int_repr()
    found = torch.quantize_per_tensor(x.npu(), 0.1, 10, kind).int_repr().cpu()
    assert torch.equal(found.to(torch.int32), wanted.to(torch.int32)), (found, wanted)
scales, zeros = torch.tensor([0.1, 0.25]), torch.tensor([1, -2], dtype=torch.int32)
wanted = torch.quantize_per_channel(x, scales, zeros, 0, torch.qint8).int_repr()
found = torch.quantize_per_channel(x.npu(), scales.npu(), zeros.npu(), 0, torch.qint8).int_repr().cpu()
assert torch.equal(found.to(torch.int32), wanted.to(torch.int32)), (found, wanted)
one = torch_npu.npu_quantize(x.npu(), scales[:1].npu(), zeros[:1].npu(), torch.qint8, 1, True).cpu()
assert one.tolist() == [[11, -19, 35], [2, 2, -128]], one
