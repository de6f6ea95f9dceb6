# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-023 *
"""An operator that the library lacks: the exception names it, and the program goes on."""
import torch

try:
    torch.linalg.qr(torch.ones(4, 4, device="npu"))
    torch.npu.synchronize()
except RuntimeError as error:
    assert "aclnnLinalgQr is not in this release of Belay" in str(error), error
else:
    raise AssertionError("there is an aclnnLinalgQr: choose another one")
assert (torch.ones(10, device="npu") + 1).cpu().sum().item() == 20
