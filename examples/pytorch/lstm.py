#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Trains an LSTM that predicts how waves go on, on the device "npu" and on the CPU.

    pip install torch-npu
    belay run python lstm.py
"""
import copy
import math
import sys

import torch
from torch import nn

STEPS = 50
TOLERANCE = 1e-4  # relative: both compute in FLOAT, and add up in other orders


class Predictor(nn.Module):
    """The next value of a sequence, after each of its values."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 32)
        self.layer = nn.Linear(32, 1)

    def forward(self, sequences):
        output, _ = self.lstm(sequences)
        return self.layer(output)


def waves(length, count):
    """Waves of several frequencies, (length, count, 1)."""
    time = torch.arange(length)[:, None] * (0.2 + 0.3 * torch.rand(count))
    return torch.sin(time + 2 * math.pi * torch.rand(count))[:, :, None]


def train(model, sequences):
    """The losses of all steps."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, foreach=False)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(sequences[:-1]), sequences[1:])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    torch.manual_seed(0)
    model = Predictor()
    sequences = waves(40, 32)
    on_npu = train(copy.deepcopy(model).npu(), sequences.npu())
    on_cpu = train(model, sequences)

    print("step       npu       cpu")
    for step in range(0, STEPS, 7):
        print(f"{step:4} {on_npu[step]:9.6f} {on_cpu[step]:9.6f}")
    worst = max(abs(a - b) / abs(b) for a, b in zip(on_npu, on_cpu))
    print(f"the losses of {STEPS} steps agree to {worst:.1e}")
    return 0 if worst <= TOLERANCE and on_npu[-1] < on_npu[0] / 2 else 1


if __name__ == "__main__":
    sys.exit(main())
