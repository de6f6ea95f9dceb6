# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Copies between the host and the device, of every dtype, contiguous and not, pinned and not."""
import torch

for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.uint8, torch.int16,
              torch.int32, torch.int64, torch.bool):
    if dtype == torch.float64:
        continue  # torch_npu makes it FLOAT
    x = torch.randint(0, 2, (37, 53)).to(dtype)
    assert torch.equal(x.npu().cpu(), x), dtype
    assert torch.equal(x.npu().t().cpu(), x.t()), dtype
    assert torch.equal(x.t().npu().cpu(), x.t()), dtype
    assert torch.equal(x.npu()[3:30:3, 5:50:2].cpu(), x[3:30:3, 5:50:2]), dtype
    assert torch.equal(x.npu().t().contiguous().cpu(), x.t()), dtype
x = torch.randn(1000).pin_memory()
assert x.is_pinned()
y = x.npu(non_blocking=True)
z = torch.empty(1000).pin_memory()
z.copy_(y, non_blocking=True)
torch.npu.synchronize()
assert torch.equal(z, x)
