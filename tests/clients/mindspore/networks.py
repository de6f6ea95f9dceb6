# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""An MLP, a CNN and a transformer in both styles, of mint and of nn: losses as PyTorch has them from the same weights."""
import json
import os
import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, nn, ops

from support import networks, target

target.choose()
is_graph = os.environ.get("BELAY_CLIENTS_MODE") == "O0"


def convolution_of_mint(inputs, outputs):
    return mint.nn.Conv2d(inputs, outputs, 3, padding=1)


def convolution_of_nn(inputs, outputs):
    return nn.Conv2d(inputs, outputs, 3, pad_mode="pad", padding=1, has_bias=True)


class Mint:
    linear, embedding, norm, norm2d = mint.nn.Linear, mint.nn.Embedding, mint.nn.LayerNorm, mint.nn.BatchNorm2d
    relu, softmax = mint.nn.ReLU, mint.nn.Softmax
    matmul, permute, turn, mean = (staticmethod(one) for one in (mint.matmul, mint.permute, mint.transpose, mint.mean))
    convolution = staticmethod(convolution_of_mint)

    @staticmethod
    def others():
        return mint.nn.GELU(approximate="tanh"), mint.nn.MaxPool2d(2), mint.nn.CrossEntropyLoss()

    @staticmethod
    def optimizer(parameters):
        return mint.optim.AdamW(parameters, lr=0.01, weight_decay=0.05)


class Layers:
    linear, embedding, relu, softmax = nn.Dense, nn.Embedding, nn.ReLU, nn.Softmax
    matmul, permute, turn, mean = (staticmethod(one) for one in (ops.matmul, ops.transpose, ops.swapaxes, ops.mean))
    convolution = staticmethod(convolution_of_nn)

    @staticmethod
    def norm(width):
        return nn.LayerNorm((width,), epsilon=1e-5)

    @staticmethod
    def norm2d(width):
        return nn.BatchNorm2d(width, momentum=0.9)

    @staticmethod
    def others():
        return nn.GELU(), nn.MaxPool2d(2, 2), nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    @staticmethod
    def optimizer(parameters):
        return nn.Momentum(parameters, 0.01, 0.9)


class Mlp(nn.Cell):
    def __init__(self, style):
        super().__init__()
        self.first, self.second, self.relu = style.linear(8, 16), style.linear(16, networks.CLASSES), style.relu()

    def construct(self, x):
        return self.second(self.relu(self.first(x)))


class Cnn(nn.Cell):
    def __init__(self, style):
        super().__init__()
        self.convolution, self.norm, self.relu = style.convolution(3, 4), style.norm2d(4), style.relu()
        self.last, self.pool = style.linear(4 * 36, networks.CLASSES), style.others()[1]

    def construct(self, x):
        return self.last(self.pool(self.relu(self.norm(self.convolution(x)))).reshape((x.shape[0], -1)))


class Transformer(nn.Cell):
    def __init__(self, style):
        super().__init__()
        width = networks.WIDTH
        self.words = style.embedding(networks.WORDS, width)
        self.before, self.all, self.after = style.norm(width), style.linear(width, 3 * width), style.linear(width, width)
        self.second, self.wide, self.narrow = style.norm(width), style.linear(width, 4 * width), style.linear(4 * width, width)
        self.last, self.gelu, self.softmax = style.linear(width, networks.CLASSES), style.others()[0], style.softmax(-1)
        self.matmul, self.permute, self.turn, self.mean = style.matmul, style.permute, style.turn, style.mean

    def heads(self, wide):
        return self.permute(wide.reshape((wide.shape[0], networks.TOKENS, networks.HEADS, networks.WIDTH // networks.HEADS)), (0, 2, 1, 3))

    def construct(self, x):
        width = networks.WIDTH
        x = self.words(x)
        wide = self.all(self.before(x))
        query, key, value = self.heads(wide[..., :width]), self.heads(wide[..., width:2 * width]), self.heads(wide[..., 2 * width:])
        scores = self.softmax(self.matmul(query, self.turn(key, -1, -2)) * (width // networks.HEADS) ** -0.5)
        x = x + self.after(self.permute(self.matmul(scores, value), (0, 2, 1, 3)).reshape(x.shape))
        x = x + self.narrow(self.gelu(self.wide(self.second(x))))
        return self.last(self.mean(x, 1))


def train(make, style, name):
    network = make(style)
    network.set_train()
    parameters = network.trainable_params()
    for parameter, value in zip(parameters, networks.weights([one.shape for one in parameters])):
        parameter.set_data(Tensor(value))
    optimizer, loss = style.optimizer(parameters), style.others()[2]
    x, labels = (Tensor(one) for one in networks.batch(name))

    def forward(x, labels):
        return loss(network(x), labels)
    differentiate = ms.value_and_grad(forward, None, parameters)

    def step(x, labels):
        value, gradients = differentiate(x, labels)
        optimizer(gradients)
        return value
    if is_graph:
        step = ms.jit(step, jit_level="O0")
    return [float(step(x, labels).asnumpy()) for _ in range(networks.STEPS)]


def main():
    found = {}
    for name, make in zip(networks.NETWORKS, (Mlp, Cnn, Transformer)):
        for style in (Mint, Layers):
            found[f"{name} {style.__name__}"] = train(make, style, name)
    sys.exit(target.judged("judge_networks.py", input=json.dumps(found), text=True))


main()
