# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""An exception between work that was queued and its end, and an exit that does not hang."""
import torch

x = torch.ones(1 << 20, device="npu")
try:
    for step in range(1000):
        x = x + 1
        if step == 500:
            raise ValueError("in the middle")
except ValueError:
    pass
assert x[0].item() == 502
y = torch.ones(1 << 20, device="npu") * 3
