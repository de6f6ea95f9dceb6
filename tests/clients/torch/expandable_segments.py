# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The same where memory is mapped in pieces. with: BELAY_MEMORY=1G PYTORCH_NPU_ALLOC_CONF=expandable_segments:True"""
import torch

free, total = torch.npu.mem_get_info()
kept = torch.ones(1 << 20, device="npu")
try:
    torch.empty(2 * total, dtype=torch.uint8, device="npu")
except torch.OutOfMemoryError as error:
    assert "out of memory" in str(error)
else:
    raise AssertionError("twice the memory can be had")
blocks = []
try:
    while True:
        blocks.append(torch.empty(100 << 20, dtype=torch.uint8, device="npu"))
except torch.OutOfMemoryError:
    pass
assert 5 <= len(blocks) <= 10
blocks.clear()
torch.npu.empty_cache()
assert torch.npu.mem_get_info()[0] > free - (64 << 20)
again = torch.full((50 << 20,), 3.0, device="npu")
assert again.cpu().sum().item() == 3 * (50 << 20)
assert torch.equal(kept.cpu(), torch.ones(1 << 20))
# Tensors across pieces, sizes that grow, several streams.
side = torch.npu.Stream()
tensors = []
for step in range(1, 60):
    tensors.append(torch.full((step * 50000,), float(step), device="npu"))
    with torch.npu.stream(side):
        tensors.append(torch.full((step * 30000,), float(-step), device="npu"))
    if step % 3 == 0:
        del tensors[::3]
        torch.npu.empty_cache()
torch.npu.synchronize()
for tensor in tensors:
    host = tensor.cpu()
    assert torch.equal(host, torch.full_like(host, host[0].item())) and host[0] != 0
