# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-023 aclrtMallocPhysical
"""The same where memory is mapped in pieces. with: BELAY_MEMORY=1G PYTORCH_NPU_ALLOC_CONF=expandable_segments:True"""
import torch

import memory  # noqa: F401, which is its program first

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
