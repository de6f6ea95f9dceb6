# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-023 *
"""An operator that the library lacks: the exception names it, and the program goes on."""
import torch
import torch_npu

try:
    torch_npu.npu_ffn_worker_batching(torch.zeros(1024, dtype=torch.int8).npu(), 4, [2, 1, 2, 8])
    torch.npu.synchronize()
except RuntimeError as error:
    assert "aclnnFfnWorkerBatching is not in this release of Belay" in str(error), error
except AttributeError:  # the older wheel has no such function
    pass
else:
    raise AssertionError("there is an aclnnFfnWorkerBatching: choose another one")
assert (torch.ones(10, device="npu") + 1).cpu().sum().item() == 20
