#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Trains a small network in FLOAT16 on the device "npu", and in FLOAT on the CPU: autocast and GradScaler.

    pip install torch-npu
    belay run python mixed_precision.py
"""
import copy
import sys

import torch
from torch import nn

STEPS = 50
TOLERANCE = 2e-2  # relative: FLOAT16 has 11 bits
SCALE = 1024.0  # of the loss, so that small gradients are not lost
OVERFLOW = 20  # the step whose scale is beyond FLOAT16


def loss_of(model, inputs, targets):
    difference = model(inputs).float() - targets
    return (difference * difference).sum() / len(inputs)


def train_mixed(model, inputs, targets):
    """The losses of all steps; the scaler leaves out the one whose gradients overflow."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, foreach=False)
    scaler = torch.amp.GradScaler("npu", init_scale=SCALE)
    losses = []
    for step in range(STEPS):
        optimizer.zero_grad()
        with torch.autocast("npu", dtype=torch.float16):
            loss = loss_of(model, inputs, targets)
        if step == OVERFLOW:
            scaler.update(2.0**30)
        scaler.scale(loss).backward()
        weight = model[0].weight.detach().clone()
        scaler.step(optimizer)
        scaler.update()
        if step == OVERFLOW:
            assert torch.equal(model[0].weight, weight), "a step with infinite gradients was made"
            assert scaler.get_scale() == 2.0**29, "the scale did not fall"
            print(f"step {step} overflowed and was left out; the scale fell to 2^29")
            scaler.update(SCALE)
        losses.append(loss.item())
    return losses


def train(model, inputs, targets):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, foreach=False)
    losses = []
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(model, inputs, targets)
        loss.backward()
        if step != OVERFLOW:
            optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
    inputs, targets = torch.randn(128, 16), torch.randn(128, 1)
    on_npu = train_mixed(copy.deepcopy(model).npu(), inputs.npu(), targets.npu())
    on_cpu = train(model, inputs, targets)

    print("step   FLOAT16     FLOAT")
    for step in range(0, STEPS, 7):
        print(f"{step:4} {on_npu[step]:9.6f} {on_cpu[step]:9.6f}")
    worst = max(abs(a - b) / abs(b) for a, b in zip(on_npu, on_cpu))
    print(f"the losses of {STEPS} steps agree to {worst:.1e}")
    return 0 if worst <= TOLERANCE and on_npu[-1] < on_npu[0] else 1


if __name__ == "__main__":
    sys.exit(main())
