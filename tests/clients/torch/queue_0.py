# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""No thread between the program and the device. with: TASK_QUEUE_ENABLE=0"""
import torch

x = torch.randn(1000)
assert torch.equal((x.npu() + 1).cpu(), x + 1)
