# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-023 *
"""An operator that the library lacks: the exception names it, and the program goes on."""
import torch

try:
    torch.sparse_coo_tensor(torch.zeros(1, 2, dtype=torch.int64).npu(), torch.ones(2).npu(), (2,)).coalesce()
    torch.npu.synchronize()
except RuntimeError as error:
    assert "aclnnCoalesceSparse is not in this release of Belay" in str(error), error
else:
    raise AssertionError("there is an aclnnCoalesceSparse: choose another one")
assert (torch.ones(10, device="npu") + 1).cpu().sum().item() == 20
