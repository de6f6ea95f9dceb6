# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Two devices, and copies between them. with: BELAY_DEVICES=2"""
import torch

assert torch.npu.device_count() == 2
x = torch.arange(1000, dtype=torch.float32)
a = x.to("npu:0") + 1
b = a.to("npu:1") * 2
assert b.device.index == 1
assert torch.equal(b.to("npu:0").cpu(), (x + 1) * 2)
with torch.npu.device(1):
    c = torch.ones(10, device="npu")
    assert c.device.index == 1
torch.npu.synchronize(0)
torch.npu.synchronize(1)
