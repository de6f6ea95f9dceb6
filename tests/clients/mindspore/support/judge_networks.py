# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Trains the networks of networks.py by PyTorch on its own processor, and compares the losses."""
import json
import sys

import numpy as np
import torch
from torch import nn

import networks


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.norm, self.last = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Linear(4 * 36, networks.CLASSES)

    def forward(self, x):
        return self.last(nn.functional.max_pool2d(torch.relu(self.norm(self.convolution(x))), 2).flatten(1))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        width = networks.WIDTH
        self.words = nn.Embedding(networks.WORDS, width)
        self.before, self.all, self.after = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.second, self.wide, self.narrow = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.last = nn.Linear(width, networks.CLASSES)

    def forward(self, x):
        x = self.words(x)
        query, key, value = (one.reshape(len(x), networks.TOKENS, networks.HEADS, -1).transpose(1, 2) for one in self.all(self.before(x)).chunk(3, -1))
        scores = torch.softmax(query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5, -1)
        x = x + self.after((scores @ value).transpose(1, 2).reshape(x.shape))
        x = x + self.narrow(nn.functional.gelu(self.wide(self.second(x)), approximate="tanh"))
        return self.last(x.mean(1))


def mlp():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, networks.CLASSES))


def train(name, style):
    network = {"mlp": mlp, "cnn": Cnn, "transformer": Transformer}[name]()
    parameters = list(network.parameters())
    with torch.no_grad():
        for parameter, value in zip(parameters, networks.weights([tuple(one.shape) for one in parameters])):
            parameter.copy_(torch.from_numpy(value))
    optimizer = torch.optim.AdamW(parameters, lr=0.01, weight_decay=0.05) if style == "Mint" else torch.optim.SGD(parameters, 0.01, 0.9)
    x, labels = (torch.from_numpy(one) for one in networks.batch(name))
    losses = []
    for _ in range(networks.STEPS):
        loss = nn.functional.cross_entropy(network(x.long() if x.dtype == torch.int32 else x), labels.long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    return losses


wrong = 0
for key, losses in json.load(sys.stdin).items():
    truth = train(*key.split())
    is_right = np.allclose(losses, truth, 1e-4, 1e-5) and truth[-1] < truth[0]
    wrong += not is_right
    print(f"{'right' if is_right else 'wrong'}  {key}: {losses[-1]:.6f}, {truth[-1]:.6f} by PyTorch")
sys.exit(wrong > 0)
