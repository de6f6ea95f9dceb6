# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""One process with two devices: DataParallel and its own collectives. with: BELAY_DEVICES=2 BELAY_THREADS=2"""
import copy

import torch
from torch import nn

torch.manual_seed(0)
alone = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).npu()
model = nn.DataParallel(copy.deepcopy(alone), device_ids=[0, 1])
x = torch.randn(24, 16)
for step in range(3):
    results = [(one(x.npu()) ** 2).mean() for one in (model, alone)]
    for result, one in zip(results, (model, alone)):
        one.zero_grad()
        result.backward()
        with torch.no_grad():
            for parameter in one.parameters():
                parameter -= 0.1 * parameter.grad
    assert torch.allclose(results[0].cpu(), results[1].cpu(), rtol=1e-5), (step, results)
for parameter, other in zip(model.parameters(), alone.parameters()):
    assert torch.allclose(parameter.cpu(), other.cpu(), rtol=1e-5, atol=1e-6)
