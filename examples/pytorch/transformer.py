#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Trains a small transformer on the device "npu" and on the CPU, and prints the losses of both: once with
torch.nn.functional.scaled_dot_product_attention, once with attention made of matmul, a mask and softmax.

    pip install torch-npu
    belay run python transformer.py
"""
import copy
import math
import sys

import torch
from torch import nn
from torch.nn import functional

STEPS = 50
TOLERANCE = 1e-4  # relative: both compute in FLOAT, and add up in other orders
TOKENS, WIDTH, HEADS, LENGTH = 40, 64, 4, 24


class Attention(nn.Module):
    def __init__(self, is_fused):
        super().__init__()
        self.is_fused = is_fused
        self.into = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        batch, length, _ = x.shape
        query, key, value = (
            part.view(batch, length, HEADS, -1).transpose(1, 2) for part in self.into(x).chunk(3, dim=-1)
        )
        if self.is_fused:
            mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        else:
            scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
            later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
            mixed = functional.softmax(scores.masked_fill(later, float("-inf")), dim=-1) @ value
        return self.out(mixed.transpose(1, 2).reshape(batch, length, WIDTH))


class Block(nn.Module):
    def __init__(self, is_fused):
        super().__init__()
        self.before_attention, self.before_layers = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = Attention(is_fused)
        self.layers = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU("tanh"), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.before_attention(x))
        return x + self.layers(self.before_layers(x))


class Transformer(nn.Module):
    def __init__(self, is_fused):
        super().__init__()
        self.token, self.position = nn.Embedding(TOKENS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(Block(is_fused), Block(is_fused))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, TOKENS)

    def forward(self, text):
        places = torch.arange(text.shape[1], device=text.device)
        return self.head(self.norm(self.blocks(self.token(text) + self.position(places))))


def train(model, texts):
    """The losses of all steps, each of which predicts the next token at every place."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for step in range(STEPS):
        text = texts[step % len(texts)]
        optimizer.zero_grad()
        predicted = model(text[:, :-1])
        loss = functional.cross_entropy(predicted.reshape(-1, TOKENS), text[:, 1:].reshape(-1))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def texts_to_learn():
    """Batches of sequences in which each token is some steps behind the one before it."""
    first = torch.randint(TOKENS, (4, 16, 1))
    step = torch.randint(1, 4, (4, 16, 1))
    return (first + step * torch.arange(LENGTH + 1)) % TOKENS


def compare(is_fused):
    torch.manual_seed(0)
    model, texts = Transformer(is_fused), texts_to_learn()
    on_npu = train(copy.deepcopy(model).npu(), texts.npu())
    on_cpu = train(model, texts)
    print("scaled_dot_product_attention" if is_fused else "matmul and softmax")
    print("step       npu       cpu")
    for step in range(0, STEPS, 7):
        print(f"{step:4} {on_npu[step]:9.6f} {on_cpu[step]:9.6f}")
    worst = max(abs(a - b) / abs(b) for a, b in zip(on_npu, on_cpu))
    print(f"the losses of {STEPS} steps agree to {worst:.1e}")
    return worst <= TOLERANCE and on_npu[-1] < on_npu[0]


def main():
    agrees = [compare(is_fused) for is_fused in (True, False)]
    return 0 if all(agrees) else 1


if __name__ == "__main__":
    sys.exit(main())
