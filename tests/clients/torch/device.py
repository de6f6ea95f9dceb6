# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What PyTorch asks of the device itself."""
import os

import torch

assert torch.npu.is_available() and torch.npu.device_count() == 1
assert torch.npu.current_device() == 0
assert torch.npu.get_device_name(0) == os.environ["BELAY_SOC"]
free, total = torch.npu.mem_get_info()
assert 0 < free <= total
assert torch.npu.get_device_properties(0).total_memory > 0
torch.npu.set_device(0)
torch.npu.synchronize()
