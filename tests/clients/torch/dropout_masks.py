# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Training with dropout: with the masks of the device, the CPU has the same losses over 50 steps."""
import copy

import torch
from torch import nn
from torch.nn import functional as F

STEPS, P = 50, 0.3


class Dropping(nn.Module):
    """Drops as the device draws and keeps the masks, or by masks that it is given."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = nn.Linear(16, 64), nn.Linear(64, 64), nn.Linear(64, 1)
        self.masks, self.given = [], None

    def drop(self, x):
        if self.given is not None:
            return x * self.given.pop(0) / (1 - P)
        y = F.dropout(x, P)
        self.masks.append((y != 0).float().cpu())  # a 0 that was kept is 0 by any mask
        return y

    def forward(self, x):
        x = self.drop(torch.relu(self.first(x)))
        return self.last(self.drop(F.silu(self.second(x))))


def train(model, inputs, targets):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = F.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


torch.manual_seed(0)
model = Dropping()
inputs, targets = torch.randn(128, 16), torch.randn(128, 1)
device = copy.deepcopy(model).npu()
on_npu = train(device, inputs.npu(), targets.npu())
kept = torch.cat([mask.flatten() for mask in device.masks[1::2]]).mean().item()
assert abs(kept - (1 - P)) < 0.01, kept
model.given = device.masks
on_cpu = train(model, inputs, targets)
worst = max(abs(a - b) / abs(b) for a, b in zip(on_npu, on_cpu))
assert worst < 1e-4, worst
