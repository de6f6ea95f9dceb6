#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Trains a small network on the device "npu" and on the CPU, and prints the losses of both.

    pip install torch-npu
    belay run python mlp.py
"""
import copy
import sys

import torch
from torch import nn

STEPS = 50
TOLERANCE = 1e-4  # relative: both compute in FLOAT, and add up in other orders


def train(model, inputs, targets):
    """The losses of all steps."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, foreach=False)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        difference = model(inputs) - targets
        loss = (difference * difference).sum() / len(inputs)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
    inputs, targets = torch.randn(128, 16), torch.randn(128, 1)
    on_npu = train(copy.deepcopy(model).npu(), inputs.npu(), targets.npu())
    on_cpu = train(model, inputs, targets)

    print("step       npu       cpu")
    for step in range(0, STEPS, 7):
        print(f"{step:4} {on_npu[step]:9.6f} {on_cpu[step]:9.6f}")
    worst = max(abs(a - b) / abs(b) for a, b in zip(on_npu, on_cpu))
    print(f"the losses of {STEPS} steps agree to {worst:.1e}")
    return 0 if worst <= TOLERANCE and on_npu[-1] < on_npu[0] else 1


if __name__ == "__main__":
    sys.exit(main())
