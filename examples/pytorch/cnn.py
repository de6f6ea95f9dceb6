#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Trains a small convolutional network on the device "npu" and on the CPU, and prints the losses of both.

    pip install torch-npu
    belay run python cnn.py
"""
import copy
import sys

import torch
from torch import nn

STEPS = 50
TOLERANCE = 1e-4  # relative: both compute in FLOAT, and add up in other orders


def network():
    """Convolution, normalisation and pooling, twice, and a layer for ten classes."""
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1, groups=2),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Dropout(p=0.0),  # otherwise the two devices draw other numbers
        nn.Linear(32 * 4 * 4, 10),
    )


def train(model, images, labels):
    """The losses of all steps."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, foreach=False)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    torch.manual_seed(0)
    model = network()
    images, labels = torch.randn(32, 3, 16, 16), torch.randint(10, (32,))
    on_npu = train(copy.deepcopy(model).npu(), images.npu(), labels.npu())
    on_cpu = train(model, images, labels)

    print("step       npu       cpu")
    for step in range(0, STEPS, 7):
        print(f"{step:4} {on_npu[step]:9.6f} {on_cpu[step]:9.6f}")
    worst = max(abs(a - b) / abs(b) for a, b in zip(on_npu, on_cpu))
    print(f"the losses of {STEPS} steps agree to {worst:.1e}")
    return 0 if worst <= TOLERANCE and on_npu[-1] < on_npu[0] else 1


if __name__ == "__main__":
    sys.exit(main())
