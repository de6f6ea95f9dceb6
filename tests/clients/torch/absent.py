# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-023 *
"""An operator that the library lacks: the exception names it, and the program goes on."""
import torch
import torch_npu

try:
    torch_npu.npu_moe_compute_expert_tokens(torch.tensor([0, 0, 1], dtype=torch.int32).npu(), 4)
    torch.npu.synchronize()
except RuntimeError as error:
    assert "aclnnMoeComputeExpertTokens is not in this release of Belay" in str(error), error
else:
    raise AssertionError("there is an aclnnMoeComputeExpertTokens: choose another one")
assert (torch.ones(10, device="npu") + 1).cpu().sum().item() == 20
