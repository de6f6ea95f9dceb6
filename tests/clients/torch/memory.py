# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-023 aclrtMalloc*
"""Out of memory, and going on afterwards. with: BELAY_MEMORY=1G"""
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
