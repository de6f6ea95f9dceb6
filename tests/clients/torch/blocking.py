# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Every call waits for its work. with: ASCEND_LAUNCH_BLOCKING=1"""
import torch

x = torch.randn(1000)
assert torch.equal((x.npu() + 1).cpu(), x + 1)
