# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Trains a network by MindSpore on the device, and checks that it has learnt: belay run python train.py"""
import mindspore as ms
import numpy as np
from mindspore import Tensor, mint

ms.set_device("Ascend")
draw = np.random.RandomState(0)
x = draw.standard_normal((256, 8)).astype(np.float32)
y = (x * x).sum(1, keepdims=True)

ms.set_seed(0)
network = ms.nn.SequentialCell(mint.nn.Linear(8, 32), mint.nn.GELU(), mint.nn.LayerNorm(32), mint.nn.Linear(32, 1))
optimizer = mint.optim.AdamW(network.trainable_params(), lr=1e-2)


def forward(x, y):
    return mint.nn.functional.mse_loss(network(x), y)


step = ms.value_and_grad(forward, None, optimizer.parameters)
losses = []
for i in range(101):
    loss, gradients = step(Tensor(x), Tensor(y))
    optimizer(gradients)
    losses.append(float(loss.asnumpy()))
    if i % 25 == 0:
        print(f"step {i:3}  loss {losses[-1]:.3f}")
assert losses[-1] < losses[0] / 4, "it has not learnt"
